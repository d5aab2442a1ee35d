import { DataError } from "../../../errors/errors.js";
import { refuseFormat } from "../../../format/signature.js";

/** Bytes that are enough to distinguish Arrow files, Arrow streams and other formats. */
export const FIRST_BYTES = 16;

/**
 * Rejects an input of `size` bytes whose first ones cannot begin a stream, before its first length is read as one.
 *
 * @throws {DataError} BadArrow, with the name of the format if it is known
 */
export function refuseOtherFormats(bytes: Uint8Array, size: number): void {
  refuseFormat(bytes, "an Arrow stream or file", "BadArrow");
  const length = bytes.length < 4 ? 0 : new DataView(bytes.buffer, bytes.byteOffset).getInt32(0, true);
  if (length >= -1 && length <= size) return;
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, FIRST_BYTES)).toString("latin1");
  throw new DataError(`Expected an Arrow stream or file; the bytes begin with ${JSON.stringify(start)}.`, {
    code: "BadArrow",
    offset: 0,
    hint: "Pass the bytes of an Arrow stream or file; Frame.fromJSON() and Frame.fromCSV() read text.",
  });
}
