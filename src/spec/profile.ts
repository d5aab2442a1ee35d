import { InputError } from "../errors/errors.js";
import { suggestion } from "../errors/nearest.js";
import { EXPORTS_PER_HOUR, LINK_LIFETIME_MS, MAX_ROWS_PER_REPLY } from "./limits.js";
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

/** What an error code means: retry advice and the next step. */
export interface ErrorMeaning {
  readonly status?: number;
  readonly retryable: boolean;
  /** Milliseconds to wait at least, where the code says so. */
  readonly after?: number;
  readonly hint: string;
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
  readonly maxRowsPerReply: Known<number>;
  readonly exportsPerHour: Known<number>;
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

const EXPORT_HINT =
  "Ask for an export instead (.export()), without filters if the query is long, and filter locally (spec 7).";

/** Error codes as observed; classification goes by code first, status second. */
const errorMeanings: Readonly<Record<string, ErrorMeaning>> = {
  QELx01: {
    status: 429,
    retryable: false,
    hint: "The daily limit of calls without a key is used up; try again tomorrow or use a key.",
  },
  QELx02: { status: 429, retryable: false, hint: "The daily limit of this key is used up; try again tomorrow." },
  QELx03: { status: 429, retryable: false, hint: "The daily limit of this key is used up; try again tomorrow." },
  QELx04: { status: 429, retryable: true, after: 60_000, hint: "Too many calls in ten minutes; wait a little." },
  QELx05: { status: 429, retryable: true, after: 60_000, hint: "Too many calls in ten minutes; wait a little." },
  QELx06: { status: 422, retryable: false, hint: `Apply some filters and try again. ${EXPORT_HINT}` },
  QELx07: { status: 414, retryable: false, hint: EXPORT_HINT },
  QELx08: { status: 413, retryable: false, hint: `Narrow the request. ${EXPORT_HINT}` },
  QEAx01: { status: 400, retryable: false, hint: "Check the API key given to connect() or in ARROWBOOK_API_KEY." },
  QEAx02: { status: 422, retryable: false, hint: "Check the login." },
  QEAx03: {
    status: 403,
    retryable: false,
    hint: "This call needs an API key: pass apiKey to connect() or set ARROWBOOK_API_KEY.",
  },
  QEAx05: { status: 401, retryable: false, hint: "Check the API key given to connect() or in ARROWBOOK_API_KEY." },
  QEAx06: { status: 429, retryable: false, hint: "The daily limit of this key is used up; try again tomorrow." },
  QEAx07: { status: 202, retryable: true, after: 30_000, hint: "The service asks to try again in 30 seconds." },
  QEPx01: { status: 401, retryable: false, hint: "Pass an API key to connect() or set ARROWBOOK_API_KEY." },
  QEPx02: { status: 403, retryable: false, hint: "This key may not read it; ask for access." },
  QEPx04: { status: 403, retryable: false, hint: "Subscribe to the product, or use the key of a subscriber (spec 8)." },
  QEPx05: { status: 403, retryable: false, hint: "Premium data needs the key of a subscriber (spec 8)." },
  QEPx06: { status: 403, retryable: false, hint: "This key may not read one of the columns; select others." },
  QESx02: { status: 422, retryable: false, hint: "Give the missing parameter a value." },
  QESx03: { status: 422, retryable: false, hint: "Correct the parameter." },
  QESx04: { status: 422, retryable: false, hint: "Correct the parameter." },
  QESx05: { status: 406, retryable: false, hint: "Ask for json, xml or csv (spec 1)." },
  QESx06: {
    status: 400,
    retryable: false,
    hint: "The cursor is not valid (any more): start again from the first page.",
  },
  QESx07: { status: 422, retryable: false, hint: "Use =, .gte, .lte, .gt or .lt (spec 4.7)." },
  QESx08: {
    status: 422,
    retryable: false,
    hint: "Filter by one of the columns in the metadata's filters (spec 4.7), and the rest locally.",
  },
  QESx09: { status: 400, retryable: false, hint: "Correct the parameter." },
  QECx01: {
    status: 400,
    retryable: false,
    hint: "Check the address of the service: connect({ url }) takes its base address (spec 4).",
  },
  QECx02: {
    status: 404,
    retryable: false,
    hint: "Check the code: DATABASE/DATASET for a series, VENDOR/TABLE for a table.",
  },
  QECx03: {
    status: 404,
    retryable: false,
    hint: "Check the code: DATABASE/DATASET for a series, VENDOR/TABLE for a table.",
  },
  QECx04: { status: 404, retryable: false, hint: "Check the code." },
  QECx05: { status: 422, retryable: false, hint: "Check the code: it has two parts, such as DATABASE/DATASET." },
  QECx06: { status: 404, retryable: false, hint: "This series is no longer offered." },
  QEMx01: { status: 500, retryable: true, hint: `The service failed. If it stays so: ${EXPORT_HINT}` },
  QEXx01: { status: 503, retryable: true, hint: `The service took too long. If it stays so: ${EXPORT_HINT}` },
  QEXx02: { status: 502, retryable: true, hint: "The service could not be reached behind its gateway." },
  QEXx03: { status: 500, retryable: true, hint: `The service failed. If it stays so: ${EXPORT_HINT}` },
};

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
  maxRowsPerReply: specified(MAX_ROWS_PER_REPLY, "spec 8"),
  exportsPerHour: specified(EXPORTS_PER_HOUR, "spec 8"),
  linkLifetimeMs: specified(LINK_LIFETIME_MS, "spec 8"),
  maxQueryLength: observed(8_000, "spec 7 says only that too long a query is refused"),
  concurrency: observed(4, "spec 8 shows no rate limit for ordinary calls"),
  windows: observed([], "spec 8 shows no rate limit for ordinary calls"),
  errorRoot: observed("error", "spec 7 shows no body"),
  errors: observed(errorMeanings, observedService),
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
 * @throws {InputError} UnknownProfile
 */
export function profileOf(profile: Profile | ProfileName | undefined): Profile {
  if (profile === undefined) return specification;
  if (typeof profile !== "string") return profile;
  if (Object.hasOwn(profiles, profile)) return profiles[profile];
  throw new InputError(`There is no profile ${JSON.stringify(profile)}.`, {
    code: "UnknownProfile",
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
 * an InputError `UnknownProfileEntry` for a name no profile has, and `BadProfileEntry` for a value of the wrong kind.
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
        code: "BadProfileEntry",
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
    code: "UnknownProfileEntry",
    hint: suggestion(entry, Object.keys(base), "entries"),
  });
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
