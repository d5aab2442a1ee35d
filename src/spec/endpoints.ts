import type { Extension, Profile } from "./profile.js";
import type { ResourceName } from "./resources.js";
import { FORMATS, type Format } from "./vocabulary.js";

/** The path prefix of every address (spec 9). */
export const API_PREFIX = "/api/v3";
/** That of the lists of files, which are of another version. */
export const LISTS_PREFIX = "/api/v1";

/** Path of the list of all codes of an embedded service: no call of the specification, hence not below the prefix. */
export const CATALOG_PATH = "/catalog.json";

/** The key of the sample, subscribed to everything. */
export const SAMPLE_KEY = "sample";

/**
 * One endpoint of spec section 4. The client builds addresses from this table, and the embedded service routes by it.
 */
export interface Endpoint {
  /** Section of the specification; "beyond" for an extension. */
  readonly section: string;
  /** The profile extension that the call belongs to. */
  readonly extension?: Extension;
  /** The prefix of its address; default {@link API_PREFIX}. */
  readonly prefix?: string;
  /** Path below the prefix; `{…}` is one percent-encoded segment. The format is appended as an extension. */
  readonly path: string;
  /** The formats it can reply in; empty if the path takes none (spec 4.6). */
  readonly formats: readonly Format[];
  /**
   * Query parameters besides `api_key`, in writing order. A name that starts with `@` refers to a profile parameter.
   */
  readonly parameters: readonly string[];
  /** Whether the query may contain table columns as row filters (spec 4.7). */
  readonly filters?: true;
  /** The shape of the reply; undefined for a zip and for the listings, which `document/listing` describes. */
  readonly reply?: ResourceName;
}

const datasetParameters = [
  "column_index",
  "start_date",
  "end_date",
  "collapse",
  "transform",
  "order",
  "limit",
] as const;

const listing = {
  section: "beyond",
  extension: "listings",
  formats: ["json"],
} as const;

/** Rows as they were known at a time, at times up to and with an end, and before an end. */
const pastRows = {
  section: "beyond",
  extension: "pointInTime",
  formats: FORMATS,
  parameters: ["qopts.columns", "@pageSize", "@cursor"],
  filters: true,
  reply: "tableRows",
} as const;

export const endpoints = {
  datasetList: { ...listing, path: "/datasets", parameters: ["database_code", "query", "page", "per_page"] },
  databaseList: { ...listing, path: "/databases", parameters: ["query", "page", "per_page"] },
  tableList: { ...listing, path: "/datatables", parameters: ["query", "page", "per_page"] },
  datasetData: {
    section: "4.1",
    path: "/datasets/{database_code}/{dataset_code}/data",
    formats: FORMATS,
    parameters: datasetParameters,
    reply: "datasetData",
  },
  datasetMetadata: {
    section: "4.3",
    path: "/datasets/{database_code}/{dataset_code}/metadata",
    formats: FORMATS,
    parameters: [],
    reply: "datasetMetadata",
  },
  dataset: {
    section: "4.2, 4.4",
    path: "/datasets/{database_code}/{dataset_code}",
    formats: FORMATS,
    parameters: datasetParameters,
    reply: "dataset",
  },
  databaseBulk: {
    section: "4.6",
    path: "/databases/{database_code}/data",
    formats: [],
    parameters: ["download_type"],
  },
  databaseMetadata: {
    section: "4.5",
    path: "/databases/{database_code}",
    formats: FORMATS,
    parameters: [],
    reply: "databaseMetadata",
  },
  tableMetadata: {
    section: "4.8",
    path: "/datatables/{vendor_code}/{datatable_code}/metadata",
    formats: FORMATS,
    parameters: [],
    reply: "tableMetadata",
  },
  tableExport: {
    section: "4.9",
    path: "/datatables/{vendor_code}/{datatable_code}",
    formats: FORMATS,
    parameters: ["qopts.columns", "qopts.export"],
    filters: true,
    reply: "tableExport",
  },
  tableRows: {
    section: "4.7",
    path: "/datatables/{vendor_code}/{datatable_code}",
    formats: FORMATS,
    parameters: ["qopts.columns", "@pageSize", "@cursor"],
    filters: true,
    reply: "tableRows",
  },
  tableFiles: {
    section: "beyond",
    extension: "fileLists",
    prefix: LISTS_PREFIX,
    path: "/bulkdownloads/{vendor_code}/{datatable_code}",
    formats: [],
    parameters: ["qopts.columns"],
    filters: true,
  },
  pastRows: { ...pastRows, path: "/pit/{vendor_code}/{datatable_code}/asofdate/{date}" },
  pastRowsThrough: { ...pastRows, path: "/pit/{vendor_code}/{datatable_code}/between/{start_date}/{end_date}" },
  pastRowsUntil: { ...pastRows, path: "/pit/{vendor_code}/{datatable_code}/from/{start_date}/to/{end_date}" },
} as const satisfies Record<string, Endpoint>;

export type EndpointName = keyof typeof endpoints;

/** The name of a parameter in the query: `@cursor` and `@pageSize` are the profile's. */
export function parameterName(name: string, { cursorParameter, pageSizeParameter }: Profile): string {
  if (name === "@cursor") return cursorParameter.value;
  return name === "@pageSize" ? pageSizeParameter.value : name;
}

/** A dataset, database or table that a service offers. */
export interface CatalogItem {
  /** What the code names. */
  readonly kind: "dataset" | "database" | "table";
  /** The code as queries use it: `EOD/AAPL`, `EOD`, `SHARADAR/SEP`. */
  readonly code: string;
  /** The title. */
  readonly name: string;
  /** Whether a subscriber's key is needed. */
  readonly premium: boolean;
  /** What the data are. */
  readonly description?: string;
}

/** One row filter of spec 4.7: any of `values` for `eq` (a comma list), one value for a range operator. */
export interface Filter {
  readonly column: string;
  /** `eq`, `gt`, `gte`, `lt`, `lte`, or another operator that a service may support. */
  readonly operator: string;
  readonly values: readonly string[];
}

/**
 * An endpoint call as a value: the client builds its address (`client/transport/address`), the embedded service parses
 * it from an address (`server/http/route`). `route(address(call))` equals `call`.
 */
export interface Call {
  readonly endpoint: EndpointName;
  /** The decoded `{…}` segments of the path, by name. */
  readonly codes: Readonly<Record<string, string>>;
  /** Absent if the endpoint takes none, or if the path ends without one: the reply is then JSON, or as accepted. */
  readonly format?: Format;
  /** Parameters by the names of {@link Endpoint.parameters}; values as strings. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly filters: readonly Filter[];
}
