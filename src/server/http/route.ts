import { suggestion } from "../../errors/nearest.js";
import { shownText } from "../../errors/shown.js";
import {
  API_PREFIX,
  type Call,
  type Endpoint,
  type EndpointName,
  endpoints,
  type Filter,
  LISTS_PREFIX,
  parameterName,
} from "../../spec/endpoints.js";
import type { ServiceCode } from "../../spec/error-meanings.js";
import { hasExtension, type Profile } from "../../spec/profile.js";
import { FORMATS, type Format } from "../../spec/vocabulary.js";
import { percentDecoded } from "../../value/text.js";
import type { ServerFailure } from "../data/refused.js";
import { keyNames, type QueryValues, queryPairs } from "./query-pairs.js";

/** An address that is not a valid call, with the format of the error if the address has one. */
export interface Refusal extends ServerFailure {
  readonly format?: Format;
}

/**
 * Parses the call in an address, by the table from which `client/transport/address` builds it. `url` may be a path or a
 * complete address, for a POST with the parameters of the body in its query; the key parameter is ignored. Returns a
 * {@link Refusal} for anything outside of spec section 4 and of the extensions of the profile.
 *
 * @param known called with the endpoint and the format of the path before the query is read, to check the key; what it
 *   throws is thrown
 */
export function route(
  method: string,
  url: string,
  profile: Profile,
  known?: (endpoint: Endpoint, format: Format | undefined) => void,
): Call | Refusal {
  const posts = method === "POST" && hasExtension(profile, "post");
  if (method !== "GET" && method !== "HEAD" && !posts) return refuse(405, "QECx01", "All calls are HTTP GET.");
  const { path, query } = split(url);
  const pairs = queryPairs(query, profile);
  const found = findEndpoint(path, only(pairs?.get("qopts.export")) === "true", profile);
  if ("status" in found) return found;
  const { format } = found;
  const endpoint: Endpoint = endpoints[found.endpoint];
  known?.(endpoint, format);
  const read =
    posts && !endpoint.filters
      ? refuse(405, "QECx01", "Only the rows of a table can be requested by POST.")
      : !posts && query.length > profile.maxQueryLength.value
        ? refuse(414, "QELx07", TOO_LONG)
        : readQuery(pairs, endpoint, profile);
  if ("status" in read) return { ...read, ...(format && { format }) };
  const { metadataOnly, ...parsed } = read;
  const name = metadataOnly ? "datasetMetadata" : found.endpoint;
  return { endpoint: name, codes: found.codes, ...(format && { format }), ...parsed };
}

/** Whether {@link route} rejected the address. */
export function isRefusal(result: Call | Refusal): result is Refusal {
  return "status" in result;
}

/** Spec 7. */
const TOO_LONG =
  "The request query parameters are too long. Bulk download the whole table without filters (qopts.export=true) and filter locally.";

function refuse(status: number, code: ServiceCode, message: string): Refusal {
  return { status, code, message };
}

function split(url: string): { path: string; query: string } {
  const rest = url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, "").replace(/#.*$/s, "");
  const mark = rest.indexOf("?");
  return mark < 0 ? { path: rest, query: "" } : { path: rest.slice(0, mark), query: rest.slice(mark + 1) };
}

const only = (found: QueryValues | undefined): string | undefined =>
  found?.values.length === 1 ? found.values[0] : undefined;

type FoundEndpoint = Pick<Call, "endpoint" | "codes" | "format">;

function findEndpoint(path: string, wantsExport: boolean, profile: Profile): FoundEndpoint | Refusal {
  const prefix = [API_PREFIX, LISTS_PREFIX].find((each) => path.startsWith(`${each}/`));
  if (prefix === undefined) return unknownRoute(path);
  const segments = path.slice(prefix.length + 1).split("/");
  if (segments.at(-1) === "" && segments.length > 1) segments.pop();
  const last = segments.length - 1;
  const dot = segments[last].lastIndexOf(".");
  const ending = dot < 0 ? "" : segments[last].slice(dot + 1);
  const format = FORMATS.find((known) => known === ending);
  const bare = format === undefined ? segments : [...segments.slice(0, last), segments[last].slice(0, dot)];
  for (const name of Object.keys(endpoints) as EndpointName[]) {
    if ((name === "tableExport") !== wantsExport && (name === "tableExport" || name === "tableRows")) continue;
    const endpoint: Endpoint = endpoints[name];
    if ((endpoint.prefix ?? API_PREFIX) !== prefix) continue;
    if (endpoint.extension !== undefined && !hasExtension(profile, endpoint.extension)) continue;
    const codes = match(endpoint.path, endpoint.formats.length === 0 ? segments : bare);
    if (codes === undefined) continue;
    if (codes === "bad") return refuse(400, "QESx09", "The path is not percent-encoded UTF-8.");
    const isOther = format === undefined ? dot > 0 && name !== "tableExport" : !endpoint.formats.includes(format);
    if (endpoint.formats.length > 0 && isOther) return noFormat(ending, endpoint);
    return { endpoint: name, codes, ...(format && endpoint.formats.length > 0 && { format }) };
  }
  if (format === undefined && dot > 0) {
    // The call may be known but not its format: `…/data.yaml`.
    const before = [...segments.slice(0, last), segments[last].slice(0, dot)];
    const known = Object.values<Endpoint>(endpoints).find(
      ({ path, formats }) => formats.length > 0 && match(path, before),
    );
    if (known !== undefined) return noFormat(ending, known);
  }
  return { ...unknownRoute(path), ...(format && { format }) };
}

function unknownRoute(path: string): Refusal {
  const call = JSON.stringify(path.slice(0, 200));
  return refuse(400, "QECx01", `There is no call ${call}; see section 4 of the specification.`);
}

function noFormat(ending: string, endpoint: Endpoint): Refusal {
  const known = endpoint.formats.map((format) => `.${format}`).join(", ");
  const what = ending === "" ? "The address has no format" : `${JSON.stringify(ending.slice(0, 40))} is not a format`;
  return refuse(406, "QESx05", `${what}: end the path with ${known}.`);
}

function match(pattern: string, segments: readonly string[]): Record<string, string> | "bad" | undefined {
  const parts = pattern.slice(1).split("/");
  if (parts.length !== segments.length) return undefined;
  const codes: Record<string, string> = {};
  for (const [i, part] of parts.entries()) {
    if (!part.startsWith("{")) {
      if (part !== segments[i]) return undefined;
      continue;
    }
    if (segments[i] === "") return undefined;
    const code = percentDecoded(segments[i]);
    if (code === undefined) return "bad";
    codes[part.slice(1, -1)] = code;
  }
  return codes;
}

/** `metadataOnly`: the older spelling of a metadata call. */
type ReadQuery = Pick<Call, "parameters" | "filters"> & { readonly metadataOnly?: true };

function readQuery(
  pairs: ReadonlyMap<string, QueryValues> | undefined,
  endpoint: Endpoint,
  profile: Profile,
): ReadQuery | Refusal {
  if (pairs === undefined) return refuse(400, "QESx09", "The query is not percent-encoded UTF-8.");
  const parameters: Record<string, string> = {};
  const filters: Filter[] = [];
  const keys = keyNames(profile);
  const older = hasExtension(profile, "olderNames");
  let metadataOnly = false;
  for (const [name, given] of pairs) {
    if (keys.includes(name) && given.values.length > 1) return repeated(name);
    if (keys.includes(name) || (older && name === "api_version")) continue;
    if (older && name === "exclude_data" && endpoint === endpoints.dataset) {
      metadataOnly = only(given) === "true";
      continue;
    }
    const known = knownParameter(name, endpoint, profile);
    const isFilter = known === undefined && endpoint.filters === true && !/^qopts\./i.test(name);
    const filter = isFilter ? readFilter(name, given, profile) : undefined;
    const isUnknown = known === undefined && filter === undefined;
    if (isUnknown && hasExtension(profile, "unknownParameters")) continue;
    if (given.values.length > 1 && !mayRepeat(known, filter, profile)) return repeated(name);
    const [value] = given.values;
    if (known === EXPORT && value !== "true" && value !== "false") {
      return refuse(422, "QESx04", `${EXPORT} is true or false, not ${shownText(value)}.`);
    }
    if (known === EXPORT || known === "ignored") continue;
    if (known !== undefined) parameters[known] = fromWire(known, given.values.join(","), profile);
    else if (filter !== undefined) filters.push(filter);
    else return unknownParameter(name, endpoint, profile);
  }
  if (metadataOnly) return { parameters: {}, filters: [], metadataOnly };
  return { parameters, filters };
}

const EXPORT = "qopts.export";

const repeated = (name: string): Refusal => refuse(400, "QESx09", `The parameter ${shownText(name)} is repeated.`);

/** The name of a parameter in the endpoint table. Exports have no pages, and imply `qopts.export`. */
function knownParameter(name: string, endpoint: Endpoint, profile: Profile): string | undefined {
  if (endpoint.filters && name === EXPORT) return EXPORT;
  const named: Readonly<Record<string, string>> = {
    [profile.cursorParameter.value]: "@cursor",
    [profile.pageSizeParameter.value]: "@pageSize",
  };
  const table = Object.hasOwn(named, name) ? named[name] : name;
  if (endpoint.parameters.includes(table) && !(table === name && name.startsWith("@"))) return table;
  return endpoint.filters && table.startsWith("@") && table !== name ? "ignored" : undefined;
}

function fromWire(name: string, value: string, profile: Profile): string {
  if (name !== "download_type") return value;
  return Object.entries(profile.downloadWords.value).find(([, word]) => word === value)?.[0] ?? value;
}

/** Only lists may repeat a name: the columns, and the values of an equality filter. */
function mayRepeat(known: string | undefined, filter: Filter | undefined, profile: Profile): boolean {
  return hasExtension(profile, "lists") && (known === "qopts.columns" || filter?.operator === "eq");
}

function readFilter(name: string, { values, isList }: QueryValues, profile: Profile): Filter {
  const dot = name.lastIndexOf(".");
  const suffix = name.slice(dot + 1);
  if (dot > 0 && suffix === "in" && hasExtension(profile, "lists")) {
    return { column: name.slice(0, dot), operator: "eq", values: isList ? values : commaList(values) };
  }
  const operator = dot > 0 && (suffix === "eq" || profile.operators.value.includes(suffix)) ? suffix : "eq";
  const column = operator === suffix && dot > 0 ? name.slice(0, dot) : name;
  return { column, operator, values: operator === "eq" && !isList ? commaList(values) : values };
}

const commaList = (values: readonly string[]): string[] => values.flatMap((value) => value.split(","));

function unknownParameter(name: string, endpoint: Endpoint, profile: Profile): Refusal {
  const names = endpoint.parameters.map((parameter) => parameterName(parameter, profile));
  const known = names.length === 0 ? "This call takes none besides the key." : suggestion(name, names, "parameters");
  return refuse(422, "QESx04", `There is no parameter ${shownText(name)}. ${known}`);
}
