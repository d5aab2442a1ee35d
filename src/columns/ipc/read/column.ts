import {
  Data,
  type DataType,
  type Decimal,
  type Dictionary,
  type Field,
  type FixedSizeBinary,
  type FixedSizeList,
  type Interval,
  Type,
  type Union,
  UnionMode,
  Vector,
} from "../../arrow/arrow.js";
import {
  badIndex,
  badOffset,
  badText,
  badUnionRow,
  badView,
  badViewText,
  type Indices,
  VIEW_BYTES,
  zeroBits,
} from "../../arrow/data-faults.js";
import { withIndexNulls } from "../../arrow/index-nulls.js";
import { emptyData } from "../../arrow/record-batch.js";
import { unsupportedArrow } from "./bad-arrow.js";
import type { BatchBody, ColumnPath, Node, Region } from "./body.js";

/** Finds the values of a dictionary that was read earlier. */
export type FindDictionary = (id: number) => Vector | undefined;

/** Reads the columns of a record batch in the order of the schema. */
interface ColumnReader {
  readonly body: BatchBody;
  readonly dictionary: FindDictionary;
}

/** One column while it is read. */
interface Column {
  /** The names of the column and its parents, outermost first; empty for the values of a dictionary. */
  readonly path: ColumnPath;
  readonly type: DataType;
  readonly node: Node;
  readonly reader: ColumnReader;
}

/** The constructor of a typed array over the bytes of a buffer. */
interface ArrayType {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBufferLike, offset: number, length: number): ArrayBufferView;
}

/**
 * The columns of a record batch. Every length, offset and index is checked against the buffers.
 *
 * @throws {DataError} BadArrow with the column and the byte offset
 */
export function columnsOf(body: BatchBody, fields: readonly Field[], dictionary: FindDictionary): Data[] {
  const reader = { body, dictionary };
  const { length } = body;
  if (fields.length === 0) body.claim(length);
  const columns = fields.map((field) => columnOf(reader, field.type, [field.name], length));
  body.finish();
  return columns;
}

/** One column; `length` is the length that its parent requires, if any. */
export function columnOf(reader: ColumnReader, type: DataType, path: ColumnPath, length?: number): Data {
  const node = reader.body.node(path);
  if (length !== undefined && node.length !== length) {
    throw reader.body.fault(`has ${node.length} rows where there are ${length}`, node.at, path);
  }
  const column = { path, type, node, reader };
  switch (type.typeId) {
    case Type.Null:
      reader.body.claim(node.length, path);
      return made(column, { nullCount: node.length });
    case Type.Utf8:
    case Type.Binary:
    case Type.LargeUtf8:
    case Type.LargeBinary:
      return readVariable(column);
    case Type.Utf8View:
    case Type.BinaryView:
      return readViews(column);
    case Type.List:
    case Type.LargeList:
    case Type.Map:
      return readLists(column);
    case Type.FixedSizeList:
      return readFixedLists(column);
    case Type.Struct:
      return readStruct(column);
    case Type.Union:
      return readUnion(column);
    case Type.Dictionary:
      return readDictionary(column);
    default:
      return readFixed(column);
  }
}

/** The byte length of `length` values of a type, and the widths in bytes of the numbers in one value. */
function sizeOf(type: DataType, length: number): { readonly bytes: number; readonly widths: readonly number[] } {
  switch (type.typeId) {
    case Type.Bool:
      return { bytes: Math.ceil(length / 8), widths: [1] };
    case Type.FixedSizeBinary:
      return { bytes: length * (type as FixedSizeBinary).byteWidth, widths: [1] };
    case Type.Decimal: {
      const width = (type as Decimal).bitWidth / 8;
      return { bytes: length * width, widths: [width] };
    }
    case Type.Interval: {
      // Years and months; days and milliseconds; months, days and nanoseconds.
      const widths = [[4], [4, 4], [4, 4, 8]][(type as Interval).unit];
      return { bytes: length * [4, 8, 16][(type as Interval).unit], widths };
    }
    default: {
      const width = arrayOf(type).BYTES_PER_ELEMENT;
      return { bytes: length * width, widths: [width] };
    }
  }
}

interface Parts {
  readonly nullCount: number;
  readonly nullBitmap?: Uint8Array;
  readonly offsets?: ArrayBufferView;
  readonly values?: ArrayBufferView;
  readonly typeIds?: Int8Array;
  readonly children?: Data[];
  readonly dictionary?: Vector;
  readonly variadic?: Uint8Array[];
}

function made({ type, node }: Column, parts: Parts): Data {
  const { nullCount, nullBitmap, offsets, values, typeIds, children, dictionary, variadic } = parts;
  const buffers = [offsets, values, nullBitmap, typeIds] as never;
  return new Data(type, 0, node.length, nullCount, buffers, children, dictionary, variadic);
}

/** The validity of a column, with its nulls counted; omitted if there are none. */
function validityOf({ path, node, reader: { body } }: Column): Pick<Parts, "nullCount" | "nullBitmap"> {
  const { length, nullCount } = node;
  const { bytes, at } = body.region(path);
  if (bytes.length === 0 && nullCount <= 0) return { nullCount: 0 };
  const needed = Math.ceil(length / 8);
  if (bytes.length < needed) {
    throw body.fault(`needs ${needed} bytes for ${length} rows' validity, its buffer has ${bytes.length}`, at, path);
  }
  const zeros = zeroBits(bytes, 0, length);
  if (nullCount >= 0 && zeros !== nullCount) {
    throw body.fault(`declares ${nullCount} nulls, its validity has ${zeros}`, node.at, path);
  }
  return zeros === 0 ? { nullCount: 0 } : { nullCount: zeros, nullBitmap: plain(bytes.subarray(0, needed)) };
}

/** Whether a row is valid. */
const validIn =
  ({ nullBitmap }: Pick<Parts, "nullBitmap">) =>
  (row: number): boolean =>
    nullBitmap === undefined || (nullBitmap[row >> 3] & (1 << (row & 7))) !== 0;

/** A plain Uint8Array over the bytes: Node's Buffer overrides some methods. */
const plain = (bytes: Uint8Array): Uint8Array => new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** The bytes as an array of this type; a copy if they are not aligned for it. */
function typed({ bytes }: Region, type: ArrayType): ArrayBufferView {
  const width = type.BYTES_PER_ELEMENT;
  const aligned = bytes.byteOffset % width === 0 ? bytes : new Uint8Array(bytes);
  return new type(aligned.buffer, aligned.byteOffset, aligned.byteLength / width);
}

const arrayOf = (type: DataType): ArrayType => type.ArrayType as never;

function readFixed(column: Column): Data {
  const { type, path, node, reader } = column;
  const validity = validityOf(column);
  const { bytes, widths } = sizeOf(type, node.length);
  if (bytes === 0) reader.body.claim(node.length, path);
  const values = typed(reader.body.values(path, bytes, widths), arrayOf(type));
  return made(column, { ...validity, values });
}

/** The offsets of a column of values of variable length; `[0]` if the column is empty and has no offsets. */
function offsetsOf({ type, path, node, reader: { body } }: Column): {
  offsets: Int32Array | BigInt64Array;
  at: number;
} {
  const array = (type as unknown as { OffsetArrayType: typeof Int32Array | typeof BigInt64Array }).OffsetArrayType;
  const width = array.BYTES_PER_ELEMENT;
  const count = node.length === 0 ? 0 : node.length + 1;
  const region = body.values(path, count * width, [width]);
  return { offsets: count === 0 ? new array(1) : (typed(region, array) as Int32Array), at: region.at };
}

/** Rejects offsets that decrease or exceed `limit` bytes or rows. */
function checkOffsets(
  { path, reader: { body } }: Column,
  { offsets, at }: ReturnType<typeof offsetsOf>,
  limit: number,
  unit: string,
): void {
  const row = badOffset(offsets, limit);
  if (row < 0) return;
  const what = `has row ${row} from ${offsets[row]} to ${offsets[row + 1] ?? offsets[row]} of ${limit} ${unit}`;
  throw body.fault(what, at + row * offsets.BYTES_PER_ELEMENT, path, row);
}

function readVariable(column: Column): Data {
  const validity = validityOf(column);
  const offsets = offsetsOf(column);
  const { bytes, at } = column.reader.body.region(column.path);
  checkOffsets(column, offsets, bytes.length, "bytes");
  const { typeId } = column.type;
  if (typeId === Type.Utf8 || typeId === Type.LargeUtf8) {
    const row = badText(bytes, offsets.offsets, validIn(validity));
    if (row >= 0) throw notUtf8(column, row, at + Number(offsets.offsets[row]));
  }
  return made(column, { ...validity, offsets: offsets.offsets, values: plain(bytes) });
}

const notUtf8 = ({ path, reader }: Column, row: number, at: number): Error =>
  reader.body.fault(`has text in row ${row} that is not UTF-8`, at, path, row);

function readViews(column: Column): Data {
  const { path, node, reader } = column;
  const { body } = reader;
  const validity = validityOf(column);
  const { bytes, at } = body.views(path, node.length * VIEW_BYTES);
  const variadic = Array.from({ length: body.variadicCount(path) }, () => plain(body.region(path).bytes));
  const row = badView(bytes, node.length, variadic, validIn(validity));
  if (row >= 0)
    throw body.fault(`has a view in row ${row} that points outside its buffers`, at + row * VIEW_BYTES, path, row);
  if (column.type.typeId === Type.Utf8View) {
    const bad = badViewText(bytes, node.length, variadic, validIn(validity));
    if (bad >= 0) throw notUtf8(column, bad, at + bad * VIEW_BYTES);
  }
  return made(column, { ...validity, values: plain(bytes), variadic });
}

function readLists(column: Column): Data {
  const validity = validityOf(column);
  const offsets = offsetsOf(column);
  const child = childOf(column, 0);
  checkOffsets(column, offsets, child.length, "items");
  return made(column, { ...validity, offsets: offsets.offsets, children: [child] });
}

function readFixedLists(column: Column): Data {
  const { type, path, node, reader } = column;
  const { listSize } = type as FixedSizeList;
  if (listSize === 0) reader.body.claim(node.length, path);
  const validity = validityOf(column);
  return made(column, { ...validity, children: [childOf(column, 0, node.length * listSize)] });
}

function readStruct(column: Column): Data {
  const { type, path, node, reader } = column;
  if (type.children.length === 0) reader.body.claim(node.length, path);
  const validity = validityOf(column);
  return made(column, { ...validity, children: type.children.map((_, i) => childOf(column, i, node.length)) });
}

function childOf({ type, path, reader }: Column, i: number, length?: number): Data {
  const child = (type.children as readonly Field[])[i];
  return columnOf(reader, child.type, [...path, child.name], length);
}

/** Metadata version 4 (Arrow before 1.0), in which unions had validity bits. */
const OLD_UNIONS = 3;

function readUnion(column: Column): Data {
  const { path, node, reader } = column;
  const { body } = reader;
  const type = column.type as Union;
  if (body.source.version <= OLD_UNIONS) {
    const { at } = body.region(path);
    if (node.nullCount > 0) {
      const what = `${body.place(path)} is a union with validity bits`;
      throw unsupportedArrow(what, { at, column: path.join(".") }, "Write the data again with Arrow 1.0 or later.");
    }
  }
  const ids = body.values(path, node.length, [1]);
  const typeIds = typed(ids, Int8Array) as Int8Array;
  const dense = type.mode === UnionMode.Dense;
  const offsets = dense ? (typed(body.values(path, node.length * 4, [4]), Int32Array) as Int32Array) : undefined;
  if (type.children.length === 0) body.claim(node.length, path);
  const children = type.children.map((_, i) => childOf(column, i, dense ? undefined : node.length));
  const lengths = new Map(children.map((child, i) => [type.typeIds[i], child.length] as const));
  const row = badUnionRow(typeIds, offsets, node.length, lengths);
  if (row >= 0) {
    const place = offsets === undefined ? "" : ` at offset ${offsets[row]}`;
    throw body.fault(`has a row ${row} of type ${typeIds[row]}${place}, which no child has`, ids.at + row, path, row);
  }
  return made(column, { nullCount: 0, typeIds, children, ...(offsets && { offsets }) });
}

function readDictionary(column: Column): Data {
  const { path, node, reader } = column;
  const { body } = reader;
  const { indices, id } = column.type as Dictionary;
  const validity = validityOf(column);
  const width = indices.bitWidth / 8;
  const region = body.values(path, node.length * width, [width]);
  const values = typed(region, arrayOf(indices)) as Indices;
  const dictionary = reader.dictionary(id);
  const size = dictionary?.length ?? 0;
  const row = badIndex(values, node.length, size, validIn(validity));
  if (row >= 0) {
    const held = dictionary === undefined ? "is missing" : `has ${size} values`;
    const what = `has index ${values[row]} in row ${row}, its dictionary ${id} ${held}`;
    throw body.fault(what, region.at + row * width, path, row);
  }
  const data = made(column, {
    ...validity,
    values,
    dictionary: dictionary ?? new Vector([emptyData((column.type as Dictionary).dictionary)]),
  });
  return withIndexNulls(data);
}
