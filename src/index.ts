export {
  ArrowbookError,
  DataError,
  FileError,
  InputError,
  isArrowbookError,
  ServiceError,
  TransportError,
} from "./errors/errors.js";
