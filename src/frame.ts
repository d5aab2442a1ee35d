export {
  ArrowbookError,
  DataError,
  FileError,
  InputError,
  isArrowbookError,
  ServiceError,
  TransportError,
} from "./errors/errors.js";
export { Column } from "./frame/cells/column.js";
export { coalesce, when } from "./frame/cells/when.js";
export { arrowBatches } from "./frame/files/arrow-batches.js";
export { csvBatches } from "./frame/files/csv-files.js";
export { jsonLinesBatches } from "./frame/files/json-lines.js";
export { parquetBatches } from "./frame/files/parquet-batches.js";
export { Frame } from "./frame/frame.js";
export type * from "./index.js";
