import { isArrowbookError } from "../../../../errors/errors.js";
import type { RandomAccess } from "../../../../format/random-access.js";
import { unsafeBytes } from "../../../build/buffer-pool.js";
import { ParquetFault } from "./fault.js";

/**
 * Reads `length` bytes of a file from `start` on.
 *
 * @param bytes memory for them, of that length
 * @throws {ParquetFault} where the file is shorter, as one that is truncated while it is read
 */
export async function readRange(
  file: RandomAccess,
  start: number,
  length: number,
  bytes = unsafeBytes(length),
): Promise<Uint8Array> {
  await file.read(bytes, start).catch((error: unknown) => {
    throw isArrowbookError(error) ? error : new ParquetFault("the file ends early", { cause: error });
  });
  return bytes;
}
