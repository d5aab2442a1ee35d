import { InputError } from "../../errors/errors.js";
import { suggestion } from "../../errors/nearest.js";
import type { Known, Profile } from "../../spec/profile.js";
import { COLLAPSES, DOWNLOAD_TYPES, OPERATORS, ORDERS, TRANSFORMS } from "../../spec/vocabulary.js";

type ListEntry = { [K in keyof Profile]: Profile[K] extends Known<readonly string[]> ? K : never }[keyof Profile];
type NumberEntry = { [K in keyof Profile]: Profile[K] extends Known<number> ? K : never }[keyof Profile];

/**
 * What the service can compute of each list; `downloadTypes` are the profile's own values for it, `replyChecks` the
 * client's, and the names of `extensions` are checked by `defineProfile`.
 */
const COMPUTED: Readonly<
  Record<Exclude<ListEntry, "downloadTypes" | "replyChecks" | "extensions">, readonly string[]>
> = {
  collapses: COLLAPSES,
  transforms: TRANSFORMS,
  orders: ORDERS,
  operators: OPERATORS,
};

/** Bounds of each number; whole numbers, or Infinity if the upper bound is. */
const BOUNDS: Readonly<Record<NumberEntry, readonly [least: number, most: number]>> = {
  weekEnd: [0, 6],
  transformDigits: [1, 17],
  maxRowsPerReply: [1, Number.POSITIVE_INFINITY],
  exportsPerHour: [0, Number.POSITIVE_INFINITY],
  linkLifetimeMs: [1, Number.POSITIVE_INFINITY],
  maxQueryLength: [1, Number.POSITIVE_INFINITY],
  concurrency: [1, Number.POSITIVE_INFINITY],
};

/**
 * Checks that the service supports a profile: an unknown transform would otherwise be computed as another one.
 *
 * @throws {InputError} BadArgument for a value that the service cannot compute, or a number out of bounds
 */
export function checkProfile(profile: Profile): void {
  for (const [entry, computed] of Object.entries(COMPUTED)) {
    checkNames(entry, profile[entry as keyof typeof COMPUTED].value, computed);
  }
  checkNames("downloadWords", Object.keys(profile.downloadWords.value), DOWNLOAD_TYPES);
  if (profile.orders.value.length === 0)
    throw bad("The profile entry orders is empty.", `Its values are ${ORDERS.join(", ")}.`);
  for (const [entry, [least, most]] of Object.entries(BOUNDS)) {
    const { value } = profile[entry as NumberEntry];
    if (value >= least && value <= most && (Number.isInteger(value) || value === most)) continue;
    const range = most === Number.POSITIVE_INFINITY ? `of ${least} or more` : `from ${least} to ${most}`;
    throw bad(`The profile entry ${entry} is ${value}.`, `Pass a whole number ${range}.`);
  }
}

function checkNames(entry: string, names: readonly string[], computed: readonly string[]): void {
  const unknown = names.find((name) => !computed.includes(name));
  if (unknown === undefined) return;
  throw bad(
    `The service cannot compute ${JSON.stringify(unknown)}, which the profile lists in ${entry}.`,
    suggestion(unknown, computed, `values of ${entry}`),
  );
}

function bad(message: string, hint: string): InputError {
  return new InputError(message, { code: "BadArgument", hint });
}
