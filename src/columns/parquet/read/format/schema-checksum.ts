import { crc32 } from "node:zlib";
import { ThriftReader } from "./thrift.js";

/** Key of the file metadata that carries the checksum of the schema in the footer. */
export const CHECKSUM_KEY = "arrowbook.schema-checksum";

/** What files of this package name as their writer. */
export const CREATED_BY = "arrowbook";

/** The checksum of the elements of the schema in a footer. @throws {ParquetFault} where the footer is damaged */
export function schemaChecksum(footer: Uint8Array): string {
  return crc32(new ThriftReader(footer).fieldBytes(2) ?? new Uint8Array(0)).toString(16);
}
