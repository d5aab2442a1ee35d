import { DataError } from "../../../errors/errors.js";

/** Other formats by their first bytes, and what reads them. */
const FORMATS: readonly { readonly start: string; readonly name: string; readonly hint: string }[] = [
  { start: "PAR1", name: "a Parquet file", hint: "Frame.fromParquet(path) reads it." },
  { start: "FEA1", name: "a Feather file of version 1", hint: "Write it again as Feather 2, the Arrow file format." },
  { start: "PK\x03\x04", name: "a zip archive", hint: "Frame.fromZip(path, { columns }) reads the CSV file inside." },
  { start: "\x1f\x8b", name: "gzip data", hint: "Decompress them first." },
  { start: "\x28\xb5\x2f\xfd", name: "zstd data", hint: "Decompress them first." },
  { start: "{", name: "JSON", hint: "Frame.fromJSON(bytes) reads a reply of the service." },
  { start: "<", name: "XML or a web page", hint: "Look at what the server sent." },
];

const SHOWN = 16;

/**
 * Refuses bytes that cannot begin a stream, where the length of the first message comes first.
 * @throws {DataError} BadArrow, naming the format where it is known
 */
export function refuseOtherFormats(bytes: Uint8Array): void {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, SHOWN)).toString("latin1");
  const length = bytes.length < 4 ? 0 : new DataView(bytes.buffer, bytes.byteOffset).getInt32(0, true);
  if (length === -1 || (length >= 0 && length <= bytes.length && length % 4 === 0)) return;
  const found = FORMATS.find((format) => start.startsWith(format.start));
  const name = found === undefined ? "" : `, like ${found.name}`;
  throw new DataError(`Expected an Arrow stream or file; the bytes begin with ${JSON.stringify(start)}${name}.`, {
    code: "BadArrow",
    offset: 0,
    hint: found?.hint ?? "Pass the bytes of an Arrow stream or file.",
  });
}
