import { deserializeTCompactProtocol } from "hyparquet/src/thrift.js";
import { ByteWriter } from "hyparquet-writer";
import { serializeTCompactProtocol } from "hyparquet-writer/src/thrift.js";

/** Thrift's structs have members `field_1`, `field_2`, …; those of the root of a footer are its FileMetaData. */
type Node = Record<string | number, unknown>;

/** Footer length and magic bytes at the end. */
const TAIL = 8;

/** The footer of a Parquet file, as another reader has it. */
export function footerOf(file: Uint8Array): Node {
  const view = new DataView(file.buffer, file.byteOffset, file.length);
  const length = view.getUint32(file.length - TAIL, true);
  return deserializeTCompactProtocol({ view, offset: file.length - TAIL - length }) as Node;
}

/** The file with this footer, its pages as they are. */
export function withFooter(file: Uint8Array, footer: Node): Uint8Array {
  const view = new DataView(file.buffer, file.byteOffset, file.length);
  const length = view.getUint32(file.length - TAIL, true);
  const writer = new ByteWriter();
  serializeTCompactProtocol(writer, footer);
  const bytes = writer.getBytes();
  const out = new Uint8Array(file.length - length + bytes.length);
  out.set(file.subarray(0, file.length - TAIL - length));
  out.set(bytes, file.length - TAIL - length);
  new DataView(out.buffer).setUint32(out.length - TAIL, bytes.length, true);
  out.set(file.subarray(-4), out.length - 4);
  return out;
}

/**
 * The file with one member of its footer changed: `["field_4", 0, "field_3"]` is the number of rows of the first row
 * group.
 */
export function changedFooter(file: Uint8Array, path: readonly (string | number)[], value: unknown): Uint8Array {
  const footer = footerOf(file);
  const last = path[path.length - 1];
  const parent = path.slice(0, -1).reduce((node, name) => node[name] as Node, footer);
  parent[last] = value;
  return withFooter(file, footer);
}
