import { InputError } from "../../errors/errors.js";
import { API_PREFIX, type Call, type Endpoint, endpoints, type Filter, parameterName } from "../../spec/endpoints.js";
import type { Profile } from "../../spec/profile.js";
import { withoutEnd } from "../../value/text.js";

/**
 * The address of a call below `base` (the specification's `{base_url}`; a trailing `/` or `/api/v3` is allowed),
 * without a key, which the sender adds. `server/http/route` parses the same call from it.
 *
 * @throws {InputError} for what an address cannot express: codes that are empty or a dot segment, a format the endpoint
 *   does not answer in, a comma inside a value of an equality filter (spec 4.7: a comma separates values), a filter
 *   column that is called like a parameter
 *
 * @example
 * ```ts no-run
 * address(
 *   {
 *     endpoint: "tableMetadata",
 *     codes: { vendor_code: "MARKET", datatable_code: "PRICES" },
 *     format: "json",
 *     parameters: {},
 *     filters: [],
 *   },
 *   "http://localhost:8080", specification); // http://localhost:8080/api/v3/datatables/MARKET/PRICES/metadata.json
 * ```
 */
export function address(call: Call, base: string, profile: Profile): string {
  const query = queryOf(call, profile);
  return baseOf(base) + pathOf(call) + (query === "" ? "" : `?${query}`);
}

/** The service's base address without a trailing `/` or `/api/v3`. */
export function baseOf(base: string): string {
  const bare = withoutEnd(base, "/");
  return bare.toLowerCase().endsWith(API_PREFIX) ? withoutEnd(bare.slice(0, -API_PREFIX.length), "/") : bare;
}

function pathOf(call: Call): string {
  const endpoint: Endpoint = endpoints[call.endpoint];
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => segment(name, call.codes[name]));
  return `${endpoint.prefix ?? API_PREFIX}${path}${extension(call, endpoint)}`;
}

/** `.json`; for an export `.json/` or, without a format, nothing (spec 4.9). */
function extension(call: Call, endpoint: Endpoint): string {
  const { format } = call;
  if (format === undefined) {
    if (endpoint.formats.length === 0 || call.endpoint === "tableExport") return "";
    throw new InputError(`A call of spec ${endpoint.section} requires a format.`, { code: "BadArgument" });
  }
  if (!endpoint.formats.includes(format)) {
    const known = endpoint.formats.join(", ") || "none: it replies with a zip";
    throw new InputError(`Spec ${endpoint.section} does not support the format ${JSON.stringify(format)}.`, {
      code: "UnknownValue",
      hint: `Its formats are ${known}.`,
    });
  }
  return call.endpoint === "tableExport" ? `.${format}/` : `.${format}`;
}

function segment(name: string, code: string | undefined): string {
  if (code === undefined || code === "" || code === "." || code === "..") {
    throw new InputError(`${JSON.stringify(code ?? "")} cannot be a ${name}.`, {
      code: "BadCode",
      hint: "Codes look like DATABASE/DATASET for a series and VENDOR/TABLE for a table.",
    });
  }
  return encode(code, name).replace(/\.(?=(?:json|xml|csv)$)/, "%2E");
}

function queryOf(call: Call, profile: Profile): string {
  const endpoint: Endpoint = endpoints[call.endpoint];
  for (const name of Object.keys(call.parameters)) {
    if (!endpoint.parameters.includes(name)) {
      throw new InputError(`Spec ${endpoint.section} has no parameter ${JSON.stringify(name)}.`, {
        code: "UnknownOption",
        hint: `Its parameters are ${endpoint.parameters.join(", ") || "none"}.`,
      });
    }
  }
  const parts = endpoint.filters ? filterParts(call.filters, profile) : refuseFilters(call.filters, endpoint);
  for (const name of endpoint.parameters) {
    const value = call.parameters[name] ?? (name === "qopts.export" ? "true" : undefined);
    if (value !== undefined)
      parts.push(`${parameterName(name, profile)}=${encode(wireValue(name, value, profile), name)}`);
  }
  return parts.join("&");
}

function wireValue(name: string, value: string, profile: Profile): string {
  const words = profile.downloadWords.value;
  return name === "download_type" && Object.hasOwn(words, value) ? words[value] : value;
}

function refuseFilters(filters: readonly Filter[], endpoint: Endpoint): string[] {
  if (filters.length === 0) return [];
  throw new InputError(`Spec ${endpoint.section} does not support row filters.`, { code: "UnknownOption" });
}

function filterParts(filters: readonly Filter[], profile: Profile): string[] {
  const seen = new Set<string>();
  return filters.map((filter) => {
    const name = filterName(filter, profile);
    if (seen.has(name)) {
      throw new InputError(`${JSON.stringify(name)} has two filters.`, {
        code: "BadFilter",
        hint: "Pass the values of one column as one list; they are alternatives.",
      });
    }
    seen.add(name);
    return `${encode(name, "filter")}=${filterValue(filter)}`;
  });
}

/** `ticker`, `date.gte`; `.eq` is written only if the column's own name ends like an operator. */
function filterName({ column, operator }: Filter, profile: Profile): string {
  if (column === "") throw new InputError("A filter requires a column name.", { code: "BadFilter" });
  const operators = profile.operators.value;
  const suffix = column.slice(column.lastIndexOf(".") + 1);
  const clash = column.includes(".") && operators.includes(suffix);
  const name = operator === "eq" && !clash ? column : `${column}.${operator}`;
  const own = [profile.keyParameter, profile.cursorParameter, profile.pageSizeParameter].map(({ value }) => value);
  if (own.includes(name) || /^qopts\./i.test(name)) {
    const why = "the address has a parameter of this name";
    throw new InputError(`A column called ${JSON.stringify(column)} cannot be filtered: ${why}.`, {
      code: "BadFilter",
      column,
      hint: "Omit this filter and filter the frame: see docs/client.md.",
    });
  }
  return name;
}

function filterValue({ column, operator, values }: Filter): string {
  if (values.length === 0 || (operator !== "eq" && values.length > 1)) {
    throw new InputError(`The filter ${JSON.stringify(`${column}.${operator}`)} has ${values.length} values.`, {
      code: "BadFilter",
      column,
      hint: "Equality takes one value or more, a range operator exactly one.",
    });
  }
  return values
    .map((value) => {
      if (operator === "eq" && value.includes(",")) {
        throw new InputError(`The filter value ${JSON.stringify(value)} contains a comma, which separates values.`, {
          code: "BadFilter",
          column,
          value,
          hint: "Use the range { gte: value, lte: value }, or filter the frame.",
        });
      }
      return encode(value, column);
    })
    .join(",");
}

function encode(text: string, where: string): string {
  try {
    return encodeURIComponent(text).replaceAll("'", "%27");
  } catch (cause) {
    throw new InputError(`${where}: an address cannot represent a lone surrogate.`, { code: "BadArgument", cause });
  }
}
