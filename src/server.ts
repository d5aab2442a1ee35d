export type { Catalog, DatabaseEntry, DatasetEntry, TableEntry, TableStatus } from "./server/catalog.js";
export type { KeyGrant } from "./server/keys.js";
export type { RunningService, ServeOptions, ServerTimeouts, TableHolderEngine } from "./server/options.js";
export type { RequestLog } from "./server/request-log.js";
export { SAMPLE_KEY, sampleData } from "./server/sample.js";
export { serve } from "./server/serve.js";
export { folderSource, madeRows, type RowSource, type Source } from "./server/source.js";
export type { CatalogItem } from "./spec/catalog-item.js";
