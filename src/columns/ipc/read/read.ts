import { readFile } from "node:fs/promises";
import { DataError, InputError } from "../../../errors/errors.js";
import { fileError } from "../../../errors/file-error.js";
import { Table } from "../../arrow/arrow.js";
import { batchesOfFile, isArrowFile } from "./file-reader.js";
import { refuseOtherFormats } from "./not-arrow.js";
import { batchesOfStream } from "./stream-reader.js";

/**
 * A table of the bytes of an Arrow IPC stream or file. Every length, offset, index and count is compared with the bytes
 * before a table is made, and the buffers are views of the bytes where these are aligned.
 *
 * @throws {InputError} BadArgument
 * @throws {DataError} BadArrow for bytes that are truncated or contradict themselves, with their offset
 * @throws {DataError} UnsupportedArrow for compressed buffers and for layouts that are not read
 */
export function tableFromIPCBytes(bytes: Uint8Array | ArrayBuffer): Table {
  if (!(bytes instanceof ArrayBuffer || ArrayBuffer.isView(bytes))) {
    throw new InputError("Expected a Uint8Array or an ArrayBuffer.", {
      code: "BadArgument",
      hint: "Pass the bytes of an Arrow stream or file; await what is a Promise.",
    });
  }
  const view = bytes instanceof ArrayBuffer ? new Uint8Array(bytes) : bytes;
  if (view.byteLength === 0) {
    throw new DataError("Expected the bytes of an Arrow stream or file; there are none.", {
      code: "BadArrow",
      offset: 0,
    });
  }
  const plain = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  const isFile = isArrowFile(plain);
  if (!isFile) refuseOtherFormats(plain);
  const { schema, batches } = isFile ? batchesOfFile(plain) : batchesOfStream(plain);
  return new Table(schema, [...batches]);
}

/**
 * A table of an Arrow IPC stream or file on disk.
 *
 * @throws {FileError} when it cannot be read
 * @throws {DataError} as {@link tableFromIPCBytes}
 */
export async function readArrow(path: string): Promise<Table> {
  return tableFromIPCBytes(
    await readFile(path).catch((error: unknown) => Promise.reject(fileError(path, "read", error))),
  );
}
