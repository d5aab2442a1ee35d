import { InputError } from "../errors/errors.js";
import { suggestion } from "../errors/nearest.js";
import { oneOf } from "../errors/options.js";
import { ERROR_MEANINGS, type ErrorMeaning } from "./error-meanings.js";
import { COLLAPSES, DOWNLOAD_TYPES, OBSERVED_TRANSFORMS, OPERATORS, ORDERS } from "./vocabulary.js";

/**
 * A value of a service profile and its evidence: specified, observed at services of this kind, or passed by the user.
 */
export interface Known<T> {
  /** The value. */
  readonly value: T;
  /** Whether the specification fixes the value, a service was observed to use it, or the caller set it. */
  readonly evidence: "specified" | "observed" | "given";
  /** Section of the specification, or where the value was observed. */
  readonly source: string;
}

const specified = <T>(value: T, source: string): Known<T> => ({ value, evidence: "specified", source });
const observed = <T>(value: T, source: string): Known<T> => ({ value, evidence: "observed", source });

/** The number of requests allowed per time window. */
export interface RateWindow {
  /** The most requests within the window. */
  readonly requests: number;
  /** Length of the window in milliseconds. */
  readonly perMs: number;
}

/**
 * Everything that the specification leaves open, in one replaceable object. Each entry records its evidence. Unknown
 * option values, types and operators produce warnings, not errors.
 */
export interface Profile {
  /** Name of the profile. */
  readonly name: string;
  /** Root element of XML replies (spec 1). */
  readonly xmlRoot: Known<string>;
  /** The query parameter and, for services that accept it, the header that carry the key (spec 5). */
  readonly keyParameter: Known<string>;
  /** The header that carries the key; null for none. */
  readonly keyHeader: Known<string | null>;
  /**
   * The parameter that carries a cursor, and the header that carries the next one beside a CSV reply (both open in spec
   * 4.7).
   */
  readonly cursorParameter: Known<string>;
  /** The reply header with the cursor of the next page. */
  readonly cursorHeader: Known<string>;
  /** The query parameter for the rows of a page. */
  readonly pageSizeParameter: Known<string>;
  /** The accepted values of `collapse`. */
  readonly collapses: Known<readonly string[]>;
  /** The accepted values of `transform`. */
  readonly transforms: Known<readonly string[]>;
  /** The accepted values of `order`. */
  readonly orders: Known<readonly string[]>;
  /** The accepted values of `download_type`. */
  readonly downloadTypes: Known<readonly string[]>;
  /** The value this service uses for each `download_type` of spec 4.6. */
  readonly downloadWords: Known<Readonly<Record<string, string>>>;
  /** The comparison operators of row filters. */
  readonly operators: Known<readonly string[]>;
  /** The day on which weeks end, 0 = Sunday; significant digits of transformed values. */
  readonly weekEnd: Known<number>;
  /** Significant digits of a transformed value. */
  readonly transformDigits: Known<number>;
  /** The most rows of one table reply without an export. */
  readonly maxRowsPerReply: Known<number>;
  /** The most table exports per hour and key. */
  readonly exportsPerHour: Known<number>;
  /** Lifetime of a link to a bulk file, in milliseconds. */
  readonly linkLifetimeMs: Known<number>;
  /**
   * The longest query string that the embedded service accepts, and above which a client splits a query or advises an
   * export.
   */
  readonly maxQueryLength: Known<number>;
  /** The most concurrent requests per key. */
  readonly concurrency: Known<number>;
  /** The most requests per time window; every window applies. */
  readonly windows: Known<readonly RateWindow[]>;
  /** The member that wraps `code` and `message` in an error body. */
  readonly errorRoot: Known<string>;
  /** The known error codes and their meaning. */
  readonly errors: Known<Readonly<Record<string, ErrorMeaning>>>;
  /** Whether CSV writes empty text as `""`, so that an unquoted empty cell is null. */
  readonly csvQuotesEmptyText: Known<boolean>;
  /** How replies are checked against their queries; an empty list disables it. */
  readonly replyChecks: Known<readonly ReplyCheck[]>;
  /** Where clients of the service find its address and key if none is passed. */
  readonly surroundings: Known<Surroundings | null>;
  /** Whether the time series of the service have been withdrawn, so that 403 and 410 mean it. */
  readonly seriesRetired: Known<boolean>;
  /** The replies of the extension `fileLists`. */
  readonly fileLists: Known<FileLists>;
  /** Calls and spellings beyond the specification that the service accepts. */
  readonly extensions: Known<readonly Extension[]>;
}

/** How a service replies to a call for the list of files of a table. */
interface FileLists {
  /** The states of a list that is being made; the embedded service sends the first. */
  readonly pending: readonly string[];
  /** The state of a complete list. */
  readonly done: string;
  /** The states of a list that will not be made. */
  readonly failed: readonly string[];
  /** The most rows of a file that the embedded service makes. */
  readonly rowsPerFile: number;
}

/** Where clients of a service find its address and key. */
interface Surroundings {
  readonly domain: string;
  /** Environment variables with another domain, and with the key. */
  readonly domainVariable: string;
  readonly keyVariable: string;
  /** A file with the key, below the home folder. */
  readonly keyFile: string;
}

/**
 * Checks of a reply against its query. `echo`: the parameters that the reply repeats (spec 4.2); `columns`: the columns
 * returned; `rows`: how many, and in which order; `dates`: within the range, and one row for each period of a collapse;
 * `filters`: each row meets the row filters.
 */
const REPLY_CHECKS = ["echo", "columns", "rows", "dates", "filters"] as const;
export type ReplyCheck = (typeof REPLY_CHECKS)[number];

/**
 * Calls and spellings beyond the specification. `listings`: lists of databases, datasets and tables, with search;
 * `lists`: `x[]=a&x[]=b`, a repeated `x=` and `x.in=` for several values; `olderNames`: `rows`, `trim_start`,
 * `trim_end`, `sort_order`, `transformation`, `auth_token`; `dateTimes`: dates followed by a time; `post`: the query of
 * a table as a POST body; `redirects`: a database file as a redirect to its link; `unnamedColumn`: a column number out
 * of range as a column without a name and rows; `pointInTime`: rows of a table as they were known (docs/server.md says
 * what is not known of it); `fileLists`: the rows of a table as a list of Parquet files.
 */
const EXTENSIONS = [
  "listings",
  "lists",
  "olderNames",
  "dateTimes",
  "months",
  "post",
  "redirects",
  "unnamedColumn",
  "unknownParameters",
  "anyCase",
  "noKey",
  "pointInTime",
  "fileLists",
] as const;
export type Extension = (typeof EXTENSIONS)[number];

const observedService = "observed at a public service of this kind";

/** The default profile: the specification where it is explicit, otherwise the best known value. */
export const specification: Profile = {
  name: "specification",
  xmlRoot: specified("service-response", "spec 1"),
  keyParameter: specified("api_key", "spec 5"),
  keyHeader: observed(null, "spec 5 shows the query form only"),
  cursorParameter: observed("qopts.cursor_id", observedService),
  cursorHeader: observed("Cursor_ID", observedService),
  pageSizeParameter: observed("qopts.per_page", observedService),
  collapses: observed(COLLAPSES, `${observedService}; spec 4.2 shows monthly`),
  transforms: observed(OBSERVED_TRANSFORMS, `${observedService}; spec 4.2 shows rdiff`),
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
  replyChecks: specified(REPLY_CHECKS, "spec 2.1, 4.2 and 4.7: the reply echoes the parameters applied"),
  surroundings: specified(null, "spec 4: {base_url}"),
  seriesRetired: specified(false, "spec 4.1"),
  fileLists: observed(
    {
      pending: ["RUNNING", "PENDING", "RATE_LIMITED"],
      done: "SUCCEEDED",
      failed: ["CANCELLED", "CLOSED", "COLUMN_FILTER_FAILURE", "FAILED"],
      rowsPerFile: 1_000_000,
    },
    "the tool ndlbulkdownload 0.2.0; the format of the files (Parquet) and RATE_LIMITED from its users; not known: rows " +
      "of a file, the lifetime of links, whether a list stays through a refresh",
  ),
  extensions: specified([], "spec 4"),
};

/** The public service that this interface resembles, as last observed (its time-series half has been withdrawn). */
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
  surroundings: observed(
    {
      domain: "data.nasdaq.com",
      domainVariable: "NASDAQ_DATA_LINK_BASE_DOMAIN",
      keyVariable: "NASDAQ_DATA_LINK_API_KEY",
      keyFile: ".nasdaq/data_link_apikey",
    },
    "the official Python client",
  ),
  seriesRetired: observed(true, "withdrawn about September 2024"),
  extensions: observed(EXTENSIONS, observedService),
};

/** Whether a service with this profile accepts an extension. */
export function hasExtension({ extensions }: Profile, extension: Extension): boolean {
  return extensions.value.includes(extension);
}

/** The shipped profiles by name. */
export const profiles = { specification, nasdaqDataLink } as const satisfies Readonly<Record<string, Profile>>;
export type ProfileName = keyof typeof profiles;

/**
 * Resolves a profile or the name of a shipped one; `specification` by default.
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

/** Plain values for profile entries: `{ cursorParameter: "cursor" }`. */
export type ProfileChanges = { readonly name?: string } & {
  readonly [K in Exclude<keyof Profile, "name">]?: Profile[K] extends Known<infer T> ? T : never;
};

/** Entries that may be null, and the kind of their other values. */
const NULLABLE: ReadonlyMap<string, string> = new Map([
  ["keyHeader", "string"],
  ["surroundings", "object"],
]);

/**
 * Creates a profile for another service: `base` with some entries replaced by plain values, each marked `given`.
 * `downloadWords` and `errors` are merged with those of `base`; other entries are replaced as a whole.
 *
 * @throws {InputError} UnknownOption for an unknown entry, BadArgument for a value of the wrong kind
 *
 * @example
 * ```ts
 * import { defineProfile, specification } from "arrowbook";
 * const own = defineProfile(specification, { name: "own", cursorParameter: "cursor", maxQueryLength: 2_000 });
 * console.log(own.cursorParameter); // { value: "cursor", evidence: "given", source: "defineProfile" }
 * ```
 */
export function defineProfile(base: Profile, changes: ProfileChanges): Profile {
  if (base?.name === undefined || typeof changes !== "object" || changes === null) {
    throw new InputError("defineProfile() expects a profile and its changes.", {
      code: "BadArgument",
      hint: 'Start from one: defineProfile(specification, { name: "own", … }).',
    });
  }
  const { name = `${base.name} changed`, ...entries } = changes;
  const given: Record<string, Known<unknown>> = {};
  for (const [entry, value] of Object.entries(entries)) {
    const known = knownEntry(base, entry);
    if (value === undefined) continue;
    const kind = kindOf(value);
    if (kind !== kindOf(known) && !(NULLABLE.has(entry) && (kind === NULLABLE.get(entry) || kind === "null"))) {
      throw new InputError(`The profile entry "${entry}" is ${kind}, not ${kindOf(known)}.`, {
        code: "BadArgument",
      });
    }
    if (entry === "replyChecks") for (const name of value as ReplyCheck[]) oneOf(name, REPLY_CHECKS, "reply check");
    if (entry === "extensions") for (const name of value as Extension[]) oneOf(name, EXTENSIONS, "extension");
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
