import { readConditions } from "../../columns/predicate/conditions.js";
import type { TableMetadata } from "../../document/records.js";
import { InputError } from "../../errors/errors.js";
import { noColumn } from "../../errors/options.js";
import type { Filter } from "../../spec/endpoints.js";
import { dayOfDate } from "../../value/date.js";
import type { Settings } from "../transport/settings.js";
import { optionValue } from "./option-values.js";

/**
 * Converts conditions to filters of a call.
 *
 * @throws {InputError} BadFilter for a missing value and for one that an address cannot represent
 */
export function filtersOf(settings: Settings, conditions: unknown): Filter[] {
  return readConditions(conditions, {
    code: "BadFilter",
    operator: (name) => optionValue(settings, "filter operator", name, settings.profile.operators.value),
    value: textOf,
  });
}

/** In an equality filter a comma separates two values; a bound is a single value, sent unchanged. */
function textOf(column: string, value: unknown, several: boolean): string {
  const plain = typeof value === "string" || typeof value === "bigint" || typeof value === "boolean";
  if (plain || (typeof value === "number" && Number.isFinite(value))) {
    const text = String(value);
    if (several && text.includes(",")) {
      const range = "Use the range { gte: value, lte: value }, or filter the frame.";
      throw unsendable(column, text, "commas separate values", range);
    }
    return text;
  }
  if (value instanceof Date) return dayOfDate(value, `The value for ${JSON.stringify(column)}`);
  throw unsendable(column, String(value), "it must be a string, finite number, bigint or boolean");
}

function unsendable(
  column: string,
  value: string,
  why: string,
  hint = "Filter the frame instead: frame.filter((row) => …).",
): InputError {
  const what = `The value ${JSON.stringify(value)} for ${JSON.stringify(column)}`;
  return new InputError(`${what} cannot be used as a filter: ${why}.`, { code: "BadFilter", column, value, hint });
}

/**
 * @throws {InputError} UnknownColumn for a selected or filtered column that the metadata does not list, NotFilterable
 *   (spec 4.7)
 */
function checkNames(
  code: string,
  known: TableMetadata,
  selected: readonly string[] | undefined,
  filters: readonly Filter[],
): void {
  const names = known.columns.map(({ name }) => name);
  for (const name of [...(selected ?? []), ...filters.map(({ column }) => column)]) {
    if (!names.includes(name)) throw noColumn(code, name, names);
  }
  const comma = selected?.find((name) => name.includes(","));
  if (comma !== undefined) {
    throw new InputError(`${JSON.stringify(comma)} cannot be selected: a comma separates names.`, {
      code: "BadSelection",
      column: comma,
      hint: "Query all columns, or export them, and select from the frame.",
    });
  }
  for (const { column } of filters) {
    if (known.filters.includes(column)) continue;
    throw new InputError(`${code} cannot be filtered by ${JSON.stringify(column)}.`, {
      code: "NotFilterable",
      column,
      hint: `${known.filters.length > 0 ? `Filter by ${known.filters.map((f) => JSON.stringify(f)).join(", ")}` : "It has no filters"}; where({ … }, { local: true }) filters by the rest here, after the rows have arrived.`,
    });
  }
}

/**
 * The metadata, in which all names are found. `again` requests it a second time before a name is reported: a copy on
 * disk may be older than a column.
 *
 * @throws {InputError} UnknownColumn, NotFilterable, BadSelection
 */
export async function metadataWithNames(
  code: string,
  selected: readonly string[],
  filters: readonly Filter[],
  metadata: () => Promise<TableMetadata>,
  again: (() => Promise<TableMetadata>) | undefined,
): Promise<TableMetadata> {
  const known = await metadata();
  try {
    checkNames(code, known, selected, filters);
    return known;
  } catch (error) {
    if (again === undefined) throw error;
  }
  const now = await again().catch(() => known);
  checkNames(code, now, selected, filters);
  return now;
}

/** A selection, with the columns that filters need besides. */
export function withColumns(
  select: readonly string[] | undefined,
  filters: readonly { readonly column: string }[],
): readonly string[] | undefined {
  const missing = filters.map(({ column }) => column).filter((name) => select?.includes(name) === false);
  return select === undefined || missing.length === 0 ? select : [...select, ...new Set(missing)];
}
