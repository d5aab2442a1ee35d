import { suggestion } from "../../errors/nearest.js";
import { API_PREFIX } from "../../spec/api-prefix.js";
import { type Call, type Endpoint, type EndpointName, endpoints, type Filter } from "../../spec/endpoints.js";
import type { ServiceCode } from "../../spec/error-meanings.js";
import type { Profile } from "../../spec/profile.js";
import { FORMATS, type Format } from "../../spec/vocabulary.js";
import type { ServerFailure } from "../data/refused.js";

/** An address that is not a call, with the format its reply should have where the address names one. */
export interface Refusal extends ServerFailure {
  readonly format?: Format;
}

/**
 * The call in an address: what `client/transport/address` put there, from the same table. `url` may be a path or a
 * whole address; the key parameter is left out of the call. Answers a {@link Refusal} for what is not in spec section
 * 4.
 */
export function route(method: string, url: string, profile: Profile): Call | Refusal {
  if (method !== "GET" && method !== "HEAD") return refuse(405, "QECx01", "All calls are HTTP GET.");
  const { path, query } = split(url);
  const pairs = pairsOf(query);
  const found = findEndpoint(path, pairs?.get("qopts.export") === "true");
  if ("status" in found) return found;
  const { format } = found;
  const read =
    query.length > profile.maxQueryLength.value
      ? refuse(414, "QELx07", TOO_LONG)
      : readQuery(pairs, endpoints[found.endpoint], profile);
  if ("status" in read) return { ...read, ...(format && { format }) };
  return { endpoint: found.endpoint, codes: found.codes, ...(format && { format }), ...read };
}

/** Whether {@link route} refused. */
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

/**
 * Names and values of the query, decoded; a repeated name has no single value. Undefined where it is not
 * percent-encoded UTF-8.
 */
function pairsOf(query: string): ReadonlyMap<string, string | undefined> | undefined {
  const pairs = new Map<string, string | undefined>();
  for (const part of query.split("&")) {
    if (part === "") continue;
    const equals = part.indexOf("=");
    const name = decode((equals < 0 ? part : part.slice(0, equals)).replaceAll("+", " "));
    const value = decode((equals < 0 ? "" : part.slice(equals + 1)).replaceAll("+", " "));
    if (name === undefined || value === undefined) return undefined;
    pairs.set(name, pairs.has(name) ? undefined : value);
  }
  return pairs;
}

interface FoundEndpoint {
  readonly endpoint: EndpointName;
  readonly codes: Readonly<Record<string, string>>;
  readonly format?: Format;
}

function findEndpoint(path: string, wantsExport: boolean): FoundEndpoint | Refusal {
  if (!path.startsWith(`${API_PREFIX}/`)) return unknownRoute(path);
  const segments = path.slice(API_PREFIX.length + 1).split("/");
  if (segments.at(-1) === "" && segments.length > 1) segments.pop();
  const last = segments.length - 1;
  const dot = segments[last].lastIndexOf(".");
  const ending = dot < 0 ? "" : segments[last].slice(dot + 1);
  const format = FORMATS.find((known) => known === ending);
  const bare = format === undefined ? segments : [...segments.slice(0, last), segments[last].slice(0, dot)];
  for (const name of Object.keys(endpoints) as EndpointName[]) {
    if ((name === "tableExport") !== wantsExport && (name === "tableExport" || name === "tableRows")) continue;
    const endpoint: Endpoint = endpoints[name];
    const codes = match(endpoint.path, endpoint.formats.length === 0 ? segments : bare);
    if (codes === undefined) continue;
    if (codes === "bad") return refuse(400, "QESx09", "The path is not percent-encoded UTF-8.");
    if (endpoint.formats.length > 0 && format === undefined && name !== "tableExport")
      return noFormat(ending, endpoint);
    return { endpoint: name, codes, ...(format && endpoint.formats.length > 0 && { format }) };
  }
  if (format === undefined && dot > 0) {
    // The call may be known and only its format not: `…/data.yaml`.
    const before = [...segments.slice(0, last), segments[last].slice(0, dot)];
    const known = Object.values<Endpoint>(endpoints).find(
      ({ path, formats }) => formats.length > 0 && match(path, before),
    );
    if (known !== undefined) return noFormat(ending, known);
  }
  return { ...unknownRoute(path), ...(format && { format }) };
}

function unknownRoute(path: string): Refusal {
  return refuse(
    400,
    "QECx01",
    `There is no call ${JSON.stringify(path.slice(0, 200))}; see section 4 of the specification.`,
  );
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
    const code = decode(segments[i]);
    if (code === undefined) return "bad";
    codes[part.slice(1, -1)] = code;
  }
  return codes;
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

interface ReadQuery {
  readonly parameters: Readonly<Record<string, string>>;
  readonly filters: readonly Filter[];
}

function readQuery(
  pairs: ReadonlyMap<string, string | undefined> | undefined,
  endpoint: Endpoint,
  profile: Profile,
): ReadQuery | Refusal {
  if (pairs === undefined) return refuse(400, "QESx09", "The query is not percent-encoded UTF-8.");
  const parameters: Record<string, string> = {};
  const filters: Filter[] = [];
  for (const [name, value] of pairs) {
    if (value === undefined) return refuse(400, "QESx09", `The parameter ${shown(name)} is repeated.`);
    if (name === profile.keyParameter.value) continue;
    const known = knownParameter(name, endpoint, profile);
    if (known === EXPORT && value !== "true" && value !== "false") {
      return refuse(422, "QESx04", `${EXPORT} is true or false, not ${shown(value)}.`);
    }
    if (known === EXPORT || known === "ignored") continue;
    if (known !== undefined) parameters[known] = fromWire(known, value, profile);
    else if (endpoint.filters && !/^qopts\./i.test(name)) filters.push(readFilter(name, value, profile));
    else return unknownParameter(name, endpoint, profile);
  }
  return { parameters, filters };
}

const EXPORT = "qopts.export";

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 80));
}

/**
 * The parameter's name in the endpoint table. Pages mean nothing to an export, and it says `qopts.export` by being one.
 */
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

function readFilter(name: string, value: string, profile: Profile): Filter {
  const dot = name.lastIndexOf(".");
  const suffix = name.slice(dot + 1);
  const operator = dot > 0 && (suffix === "eq" || profile.operators.value.includes(suffix)) ? suffix : "eq";
  const column = operator === suffix && dot > 0 ? name.slice(0, dot) : name;
  return { column, operator, values: operator === "eq" ? value.split(",") : [value] };
}

function unknownParameter(name: string, endpoint: Endpoint, profile: Profile): Refusal {
  const names = endpoint.parameters.map((parameter) =>
    parameter === "@cursor"
      ? profile.cursorParameter.value
      : parameter === "@pageSize"
        ? profile.pageSizeParameter.value
        : parameter,
  );
  const known = names.length === 0 ? "This call takes none besides the key." : suggestion(name, names, "parameters");
  return refuse(422, "QESx04", `There is no parameter ${shown(name)}. ${known}`);
}
