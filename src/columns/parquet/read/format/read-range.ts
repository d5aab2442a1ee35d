import { isArrowbookError } from "../../../../errors/errors.js";
import type { RandomAccess } from "../../../../format/random-access.js";
import { unsafeBytes } from "../../../build/buffer-pool.js";
import { ParquetFault } from "./fault.js";

/**
 * Reads `length` bytes of a file from `start` on.
 *
 * @throws {ParquetFault} where the file is shorter, as one that is truncated while it is read
 */
export async function readRange(file: RandomAccess, start: number, length: number): Promise<Uint8Array> {
  const bytes = unsafeBytes(length);
  await file.read(bytes, start).catch((error: unknown) => {
    throw isArrowbookError(error) ? error : new ParquetFault("the file ends early", { cause: error });
  });
  return bytes;
}
