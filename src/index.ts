export type { Bundle } from "./display/show.js";
export type { FrameSource } from "./display/source.js";
export { sparkline } from "./display/sparkline.js";
export {
  ArrowbookError,
  DataError,
  FileError,
  InputError,
  isArrowbookError,
  ServiceError,
  TransportError,
} from "./errors/errors.js";
export { Column } from "./frame/column.js";
export { type AnyRow, Frame } from "./frame/frame.js";
export type { Cell, RowsOptions } from "./frame/rows.js";
