import { DataError } from "../../errors/errors.js";
import type { Profile, ReplyCheck } from "../../spec/profile.js";

/** One point in which a reply contradicts its query. */
export interface Contradiction {
  readonly check: ReplyCheck;
  /** The query's part, such as `collapse "annual"`. */
  readonly query: string;
  /** The reply's part, such as `collapse null`. */
  readonly reply: string;
}

/** Contradictions that a message names. */
const MAX_SHOWN = 5;

/**
 * Refuses a reply that contradicts its query, unless the profile leaves the check out.
 *
 * @param code of the dataset or table
 * @throws {DataError} ReplyContradicts with the query's and the reply's part of each contradiction
 */
export function refuseContradictions(code: string, found: Iterable<Contradiction>, { replyChecks }: Profile): void {
  const counted = [...found].filter(({ check }) => replyChecks.value.includes(check));
  if (counted.length === 0) return;
  const shown = counted.slice(0, MAX_SHOWN);
  const more = counted.length > shown.length ? `, … (${counted.length - shown.length} more)` : "";
  const names = [...new Set(shown.map(({ check }) => JSON.stringify(check)))].join(", ");
  throw new DataError(
    `The reply contradicts the query of ${code}: requested ${list(shown, "query")}${more}; received ${list(shown, "reply")}${more}.`,
    {
      code: "ReplyContradicts",
      hint: `A cache or proxy may drop the query string of the address: bypass it, or request an export. If the service replies so on purpose, leave ${names} out of the profile's replyChecks: connect({ profile: defineProfile(specification, { replyChecks: […] }) }).`,
    },
  );
}

const list = (found: readonly Contradiction[], part: "query" | "reply"): string =>
  [...new Set(found.map((each) => each[part]))].join(", ");
