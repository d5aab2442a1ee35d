import { InputError } from "../errors/errors.js";
import { suggestion } from "../errors/nearest.js";
import { ERROR_MEANINGS, type ErrorMeaning } from "./error-meanings.js";
import { COLLAPSES, DOWNLOAD_TYPES, OPERATORS, ORDERS, TRANSFORMS } from "./vocabulary.js";

/**
 * A value of a service profile and how it is known: from the specification, observed at services of this kind, or given
 * by the user.
 */
export interface Known<T> {
  readonly value: T;
  readonly evidence: "specified" | "observed" | "given";
  /** Section of the specification, or where it was observed. */
  readonly source: string;
}

const specified = <T>(value: T, source: string): Known<T> => ({ value, evidence: "specified", source });
const observed = <T>(value: T, source: string): Known<T> => ({ value, evidence: "observed", source });

/** Requests allowed in a window of time. */
export interface RateWindow {
  readonly requests: number;
  readonly perMs: number;
}

/**
 * Everything the specification leaves open, in one replaceable object. Each entry says whether it is specified or
 * observed. Unknown option values, types and operators pass with a warning; they are not errors.
 */
export interface Profile {
  readonly name: string;
  /** Root element of XML replies (spec 1). */
  readonly xmlRoot: Known<string>;
  /** Query parameter and, for services that take it, header that carry the key (spec 5). */
  readonly keyParameter: Known<string>;
  readonly keyHeader: Known<string | null>;
  /**
   * Parameter that carries a cursor, and header that carries the next one beside a CSV reply (both open in spec 4.7).
   */
  readonly cursorParameter: Known<string>;
  readonly cursorHeader: Known<string>;
  readonly pageSizeParameter: Known<string>;
  readonly collapses: Known<readonly string[]>;
  readonly transforms: Known<readonly string[]>;
  readonly orders: Known<readonly string[]>;
  readonly downloadTypes: Known<readonly string[]>;
  /** The value this service uses for each `download_type` of spec 4.6. */
  readonly downloadWords: Known<Readonly<Record<string, string>>>;
  readonly operators: Known<readonly string[]>;
  /** Week ends on this day, 0 = Sunday; significant digits of transformed values. */
  readonly weekEnd: Known<number>;
  readonly transformDigits: Known<number>;
  /** Rows of one table reply without an export, at most. */
  readonly maxRowsPerReply: Known<number>;
  readonly exportsPerHour: Known<number>;
  /** Life of a link to a bulk file, in milliseconds. */
  readonly linkLifetimeMs: Known<number>;
  /** Longest query string the embedded service takes, and above which a client splits or advises an export. */
  readonly maxQueryLength: Known<number>;
  readonly concurrency: Known<number>;
  readonly windows: Known<readonly RateWindow[]>;
  /** Member name that wraps `code` and `message` in an error body. */
  readonly errorRoot: Known<string>;
  readonly errors: Known<Readonly<Record<string, ErrorMeaning>>>;
  /** In CSV, whether empty text is written `""` so that an unquoted empty cell is null. */
  readonly csvQuotesEmptyText: Known<boolean>;
}

const observedService = "observed at a public service of this kind";

/** The default profile: what the specification says where it speaks, the best known value where it is silent. */
export const specification: Profile = {
  name: "specification",
  xmlRoot: specified("service-response", "spec 1"),
  keyParameter: specified("api_key", "spec 5"),
  keyHeader: observed(null, "spec 5 shows the query form only"),
  cursorParameter: observed("qopts.cursor_id", observedService),
  cursorHeader: observed("Cursor_ID", observedService),
  pageSizeParameter: observed("qopts.per_page", observedService),
  collapses: observed(COLLAPSES, `${observedService}; spec 4.2 shows monthly`),
  transforms: observed(TRANSFORMS, `${observedService}; spec 4.2 shows rdiff`),
  orders: observed(ORDERS, `${observedService}; spec 2.1 shows desc`),
  downloadTypes: specified(DOWNLOAD_TYPES, "spec 4.6"),
  downloadWords: specified({ full: "full", partial: "partial" }, "spec 4.6"),
  operators: observed(OPERATORS, `${observedService}; spec 4.7 shows =, .gte and .lte`),
  weekEnd: observed(0, observedService),
  transformDigits: observed(14, observedService),
  maxRowsPerReply: specified(10_000, "spec 8"),
  exportsPerHour: specified(60, "spec 8"),
  linkLifetimeMs: specified(30 * 60_000, "spec 3 and 8: 30 minutes"),
  maxQueryLength: observed(8_000, "spec 7 says only that too long a query is refused"),
  concurrency: observed(4, "spec 8 shows no rate limit for ordinary calls"),
  windows: observed([], "spec 8 shows no rate limit for ordinary calls"),
  errorRoot: observed("error", "spec 7 shows no body"),
  errors: observed(ERROR_MEANINGS, observedService),
  csvQuotesEmptyText: observed(true, "the embedded service"),
};

/** The public service that this interface resembles, as it was last seen (its time-series half has been withdrawn). */
export const nasdaqDataLink: Profile = {
  ...specification,
  name: "nasdaqDataLink",
  xmlRoot: observed("quandl-response", observedService),
  keyHeader: observed("X-Api-Token", observedService),
  downloadTypes: observed(["complete", "partial"], observedService),
  downloadWords: observed({ full: "complete", partial: "partial" }, observedService),
  maxQueryLength: observed(6_300, observedService),
  concurrency: observed(1, observedService),
  windows: observed(
    [
      { requests: 300, perMs: 10_000 },
      { requests: 2_000, perMs: 600_000 },
    ],
    observedService,
  ),
  errorRoot: observed("quandl_error", observedService),
  csvQuotesEmptyText: observed(false, observedService),
};

/** The shipped profiles by name. */
export const profiles = { specification, nasdaqDataLink } as const satisfies Readonly<Record<string, Profile>>;
export type ProfileName = keyof typeof profiles;

/**
 * A profile, or the shipped one of this name; `specification` where none is passed.
 *
 * @throws {InputError} UnknownValue
 */
export function profileOf(profile: Profile | ProfileName | undefined): Profile {
  if (profile === undefined) return specification;
  if (typeof profile !== "string") return profile;
  if (Object.hasOwn(profiles, profile)) return profiles[profile];
  throw new InputError(`There is no profile ${JSON.stringify(profile)}.`, {
    code: "UnknownValue",
    hint: suggestion(profile, Object.keys(profiles), "profiles"),
  });
}

/** Plain values for entries of a profile: `{ cursorParameter: "cursor" }`. */
export type ProfileChanges = { readonly name?: string } & {
  readonly [K in Exclude<keyof Profile, "name">]?: Profile[K] extends Known<infer T> ? T : never;
};

/** Entries that may be null. */
const NULLABLE: ReadonlySet<string> = new Set(["keyHeader"]);

/**
 * A profile for another service: `base` with some entries replaced by plain values, each marked `given`. The values of
 * `downloadWords` and the codes of `errors` are added to those of `base`; every other entry is replaced whole. Throws
 * an InputError `UnknownOption` for a name no profile has, and `BadArgument` for a value of the wrong kind.
 *
 * @example
 * ```ts
 * import { defineProfile, specification } from "arrowbook";
 * const own = defineProfile(specification, { name: "own", cursorParameter: "cursor", maxQueryLength: 2_000 });
 * console.log(own.cursorParameter); // { value: "cursor", evidence: "given", source: "defineProfile" }
 * ```
 */
export function defineProfile(base: Profile, changes: ProfileChanges): Profile {
  const { name = `${base.name} changed`, ...entries } = changes;
  const given: Record<string, Known<unknown>> = {};
  for (const [entry, value] of Object.entries(entries)) {
    const known = knownEntry(base, entry);
    if (value === undefined) continue;
    const kind = kindOf(value);
    if (kind !== kindOf(known) && !(NULLABLE.has(entry) && (kind === "string" || kind === "null"))) {
      throw new InputError(`The profile entry "${entry}" is ${kind}, not ${kindOf(known)}.`, {
        code: "BadArgument",
      });
    }
    given[entry] = {
      value: kind === "object" ? { ...(known as object), ...(value as object) } : value,
      evidence: "given",
      source: "defineProfile",
    };
  }
  return { ...base, ...given, name };
}

function knownEntry(base: Profile, entry: string): unknown {
  if (Object.hasOwn(base, entry)) return (base as unknown as Readonly<Record<string, Known<unknown>>>)[entry].value;
  throw new InputError(`A profile has no entry ${JSON.stringify(entry)}.`, {
    code: "UnknownOption",
    hint: suggestion(entry, Object.keys(base), "entries"),
  });
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
