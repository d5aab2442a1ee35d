import { InputError } from "../../errors/errors.js";
import type { Filter } from "../../spec/endpoints.js";
import { isLocal } from "../transport/settings.js";

/** What a mirror holds, in a line: another service, table, filter or selection has another one. */
export function mirrorQuestion(
  url: string,
  { code, filters, select }: { code: string; filters: readonly Filter[]; select: readonly string[] | undefined },
): string {
  // The embedded service has another port each time.
  const place = isLocal(url) ? new URL(url).hostname : url;
  const columns = select === undefined ? [] : [`columns ${select.map(quoted).join(", ")}`];
  return [place, code, ...filters.map(shownFilter), ...columns].join(" ");
}

const shownFilter = ({ column, operator, values }: Filter): string =>
  `${quoted(column)} ${operator} ${values.map(quoted).join(",")}`;

/** As it is, unless it could be taken for several names or values. */
const quoted = (text: string): string => (/^[^\s",]+$/.test(text) ? text : JSON.stringify(text));

/** The filters with another that `column` is at or after `day`, joined with the one that it has. */
export function sinceDay(filters: readonly Filter[], column: string, day: string): Filter[] {
  const isBound = (filter: Filter): boolean => filter.column === column && filter.operator === "gte";
  const bounds = filters.filter(isBound).map(({ values: [bound] }) => bound);
  // What is not written as a date may be later than the day.
  const later = bounds.find((bound) => !/^\d{4}-\d\d-\d\d/.test(bound) || bound > day);
  return [...filters.filter((filter) => !isBound(filter)), { column, operator: "gte", values: [later ?? day] }];
}

/** @throws {InputError} BadArgument for a limited query: a mirror would miss the rows beyond it */
export function refuseLimited(code: string, limit: number | undefined): void {
  if (limit === undefined) return;
  throw new InputError(`A mirror of ${code} holds all rows of its query; the query is limited to ${limit}.`, {
    code: "BadArgument",
    hint: "Leave the limit out; filters mirror fewer rows.",
  });
}
