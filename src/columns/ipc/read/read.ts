import { DataError, FileError, InputError } from "../../../errors/errors.js";
import { type AnyFile, anyAccess, nameOfFile, type OpenableFile } from "../../../format/random-access.js";
import { refuseFormat } from "../../../format/signature.js";
import { latin1Text } from "../../../platform/node/bytes.js";
import { type RecordBatch, Table } from "../../arrow/arrow.js";
import type { OnBytes } from "../../arrow/read-options.js";
import { emptyData, recordBatch } from "../../arrow/record-batch.js";
import { isArrowFile, openFile } from "./file-reader.js";
import { fromBytes, RangeReader, type Reading } from "./reading.js";
import { type BatchReader, openStream } from "./stream-reader.js";

/** Bytes that are enough to distinguish Arrow files, Arrow streams and other formats. */
const FIRST_BYTES = 16;

/**
 * Reads the bytes of an Arrow IPC stream or file as a table. Every length, offset, index and count is checked against
 * the bytes first; buffers are views of the bytes where these are aligned.
 *
 * @throws {InputError} BadArgument
 * @throws {DataError} BadArrow with the byte offset, for bytes that are truncated or contradict themselves
 * @throws {DataError} UnsupportedArrow for unsupported codecs and layouts
 */
export function tableFromIPCBytes(bytes: Uint8Array | ArrayBuffer): Table {
  if (!(bytes instanceof ArrayBuffer || ArrayBuffer.isView(bytes))) {
    throw new InputError("Expected a Uint8Array or an ArrayBuffer.", {
      code: "BadArgument",
      hint: "Pass the bytes of an Arrow stream or file; await a Promise first.",
    });
  }
  const view = bytes instanceof ArrayBuffer ? new Uint8Array(bytes) : bytes;
  const plain = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  const reader = fromBytes(openArrow(plain.length), plain);
  const batches: RecordBatch[] = [];
  for (;;) {
    const batch = fromBytes(reader.next(), plain);
    if (batch === undefined) return new Table(reader.schema, batches);
    batches.push(batch);
  }
}

/** @throws {DataError} BadArrow, UnsupportedArrow */
function* openArrow(size: number): Reading<BatchReader> {
  if (size === 0) {
    throw new DataError("Expected the bytes of an Arrow stream or file; got no bytes.", {
      code: "BadArrow",
      offset: 0,
    });
  }
  const first = yield { at: 0, length: Math.min(FIRST_BYTES, size) };
  if (isArrowFile(first)) return yield* openFile(size);
  refuseOtherFormats(first, size);
  return yield* openStream(size);
}

/**
 * Rejects an input of `size` bytes whose first ones cannot begin a stream, before its first length is read as one.
 *
 * @throws {DataError} BadArrow, with the name of the format if it is known
 */
function refuseOtherFormats(bytes: Uint8Array, size: number): void {
  refuseFormat(bytes, "an Arrow stream or file", "BadArrow");
  const length = bytes.length < 4 ? 0 : new DataView(bytes.buffer, bytes.byteOffset).getInt32(0, true);
  if (length >= -1 && length <= size) return;
  const start = latin1Text(bytes, 0, FIRST_BYTES);
  throw new DataError(`Expected an Arrow stream or file; the bytes begin with ${JSON.stringify(start)}.`, {
    code: "BadArrow",
    offset: 0,
    hint: "Pass the bytes of an Arrow stream or file; Frame.fromJSON() and Frame.fromCSV() read text.",
  });
}

/**
 * Reads an Arrow IPC stream or file that is not in memory as a table, batch by batch.
 *
 * @throws {FileError} if it cannot be read, or changes meanwhile
 * @throws {DataError} as {@link tableFromIPCBytes}
 */
export async function readArrow(file: string | OpenableFile): Promise<Table> {
  const access = await anyAccess(file);
  const name = nameOfFile(file, "The input");
  try {
    const ranges = new RangeReader(access);
    const reader = await readFrom(name, ranges, openArrow(access.size));
    const batches: RecordBatch[] = [];
    for (;;) {
      const batch = await readFrom(name, ranges, reader.next());
      if (batch === undefined) return new Table(reader.schema, batches);
      batches.push(batch);
    }
  } finally {
    await access.close();
  }
}

/**
 * The batches of an Arrow IPC stream or file, one in memory at a time besides the dictionaries. There is at least one
 * batch, without rows if the input has none.
 *
 * @throws {FileError} in the iteration, if the file cannot be read or changes meanwhile
 * @throws {DataError} in the iteration, as {@link tableFromIPCBytes}
 */
export async function* arrowFileBatches(source: AnyFile, { onBytes }: OnBytes = {}): AsyncGenerator<RecordBatch> {
  const access = await anyAccess(source);
  const name = nameOfFile(source, "The input");
  try {
    const ranges = new RangeReader(access);
    const reader = await readFrom(name, ranges, openArrow(access.size));
    for (let count = 0; ; count++) {
      const batch = await readFrom(name, ranges, reader.next());
      if (batch === undefined) {
        if (count === 0)
          yield recordBatch(
            reader.schema,
            reader.schema.fields.map(({ type }) => emptyData(type)),
            0,
          );
        return;
      }
      onBytes?.(ranges.position, access.size);
      yield batch;
    }
  } finally {
    await access.close();
  }
}

async function readFrom<T>(name: string, ranges: RangeReader, reading: Reading<T>): Promise<T> {
  try {
    return await ranges.run(reading);
  } catch (error) {
    // What was there when the file was opened is not any more.
    if (!(error instanceof Error && error.message === "unexpected EOF")) throw error;
    const hint = "Read it again when no other process writes it.";
    throw new FileError(`${name} changed while it was being read.`, { code: "FileChanged", hint, cause: error });
  }
}
