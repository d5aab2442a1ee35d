import { DataError } from "../../../errors/errors.js";
import { refuseFormat } from "../../../format/signature.js";

const SHOWN = 16;

/**
 * Refuses bytes that cannot begin a stream, where the length of the first message comes first.
 *
 * @throws {DataError} BadArrow, naming the format where it is known
 */
export function refuseOtherFormats(bytes: Uint8Array): void {
  refuseFormat(bytes, "an Arrow stream or file", "BadArrow");
  const length = bytes.length < 4 ? 0 : new DataView(bytes.buffer, bytes.byteOffset).getInt32(0, true);
  if (length >= -1 && length <= bytes.length) return;
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, SHOWN)).toString("latin1");
  throw new DataError(`Expected an Arrow stream or file; the bytes begin with ${JSON.stringify(start)}.`, {
    code: "BadArrow",
    offset: 0,
    hint: "Pass the bytes of an Arrow stream or file; Frame.fromJSON() and Frame.fromCSV() read text.",
  });
}
