import type { ResourceName } from "./resources.js";
import { FORMATS, type Format } from "./vocabulary.js";

/** One endpoint of spec section 4. The client builds addresses from this table, the embedded service routes by it. */
export interface Endpoint {
  /** Section of the specification. */
  readonly section: string;
  /** Path below {@link API_PREFIX}; `{…}` is one percent-encoded segment. The format follows as an extension. */
  readonly path: string;
  /** Formats it answers in; empty where the path takes none (spec 4.6). */
  readonly formats: readonly Format[];
  /**
   * Query parameters it takes besides `api_key`, in the order they are written. A name that starts with `@` refers to a
   * profile parameter.
   */
  readonly parameters: readonly string[];
  /** Whether table columns may appear in the query as row filters (spec 4.7). */
  readonly filters?: true;
  /** The shape of the reply; none for a zip. */
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

export const endpoints = {
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
} as const satisfies Record<string, Endpoint>;

export type EndpointName = keyof typeof endpoints;

/** One row filter of spec 4.7: any of `values` for `eq` (comma list), one value for a range operator. */
export interface Filter {
  readonly column: string;
  /** `eq`, `gt`, `gte`, `lt`, `lte`, or another operator a service may know. */
  readonly operator: string;
  readonly values: readonly string[];
}

/**
 * A call as a value: the client makes its address from it (`client/transport/address`), the embedded service finds it
 * in an address (`server/http/route`). `route(address(call))` equals `call`.
 */
export interface Call {
  readonly endpoint: EndpointName;
  /** The `{…}` of the path, by name, decoded. */
  readonly codes: Readonly<Record<string, string>>;
  /** Missing only where the endpoint takes none, or for the extension-less form of spec 4.9. */
  readonly format?: Format;
  /** Parameters by the names of {@link Endpoint.parameters}; values as text. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly filters: readonly Filter[];
}
