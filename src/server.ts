export type { KeyGrant } from "./server/answers/keys.js";
export type { Catalog, DatabaseEntry, DatasetEntry, TableEntry, TableStatus } from "./server/data/catalog.js";
export { sampleData } from "./server/data/sample.js";
export { folderSource, madeRows, type RowSource, type Source } from "./server/data/source.js";
export type { RunningService, ServeOptions, ServerTimeouts, TableHolderEngine } from "./server/http/options.js";
export type { RequestLog } from "./server/http/request-log.js";
export { serve } from "./server/serve.js";
export type { CatalogItem } from "./spec/endpoints.js";
export { SAMPLE_KEY } from "./spec/endpoints.js";
