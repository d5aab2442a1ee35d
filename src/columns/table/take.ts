import { InputError } from "../../errors/errors.js";
import {
  type Bool,
  type Data,
  DataType,
  Dictionary,
  type Field,
  type FixedSizeList,
  Int32,
  makeData,
  Schema,
  type Struct,
  Table,
  type Union,
  UnionMode,
  Vector,
} from "../arrow/arrow.js";
import { chunkReader } from "../arrow/cell-reader.js";
import { emptyData } from "../arrow/empty-data.js";
import { recordBatch } from "../arrow/record-batch.js";
import { gatherBytes, gatherLargeBytes, gatherViews } from "./take-bytes.js";
import { gatherValidity, type Places, placesOf } from "./take-places.js";

/**
 * The rows of `table` at the given positions, in that order, in one batch. A position may repeat; -1 makes a row of
 * nulls (`Int32Array` only). Typed buffers are copied by type, values are never made.
 *
 * @example ```ts no-run takeRows(table, Uint32Array.of(4, 2, 2)); ```
 */
export function takeRows(table: Table, positions: Uint32Array | Int32Array): Table {
  const places = placesOf(
    table.batches.map((batch) => batch.numRows),
    positions,
  );
  const children = table.schema.fields.map((field, i) => gather(chunksOf(table, i, field), places));
  return tableOfData(table.schema, children, positions.length);
}

/** The values of one vector at the given positions, as {@link takeRows} does for a table. */
export function takeVector(vector: Vector, positions: Uint32Array | Int32Array): Vector {
  const places = placesOf(
    vector.data.map((data) => data.length),
    positions,
  );
  return new Vector([gather(vector.data.length === 0 ? [emptyData(vector.type)] : vector.data, places)]);
}

/** A table of one batch over these columns; the fields keep name and metadata and take the type of their data. */
export function tableOfData(schema: Schema, children: readonly Data[], numRows: number): Table {
  const fields = schema.fields.map((field, i) => withType(field, children[i]));
  const shaped = new Schema(fields, schema.metadata);
  return new Table(shaped, [recordBatch(shaped, children, numRows)]);
}

const withType = (field: Field, data: Data): Field =>
  field.clone({ type: data.type, nullable: field.nullable || data.nullCount > 0 });

const chunksOf = (table: Table, column: number, field: Field): readonly Data[] =>
  table.batches.length === 0 ? [emptyData(field.type)] : table.batches.map((batch) => batch.data.children[column]);

function gather(chunks: readonly Data[], places: Places): Data {
  const type = chunks[0].type;
  if (DataType.isNull(type)) return makeData({ type, length: places.row.length });
  if (DataType.isDictionary(type)) return gatherDictionary(chunks, places);
  if (DataType.isBool(type)) return gatherBool(chunks, places);
  if (DataType.isUtf8(type) || DataType.isBinary(type)) return gatherBytes(chunks, places);
  if (DataType.isStruct(type)) return gatherStruct(chunks, places);
  if (DataType.isList(type) || DataType.isMap(type) || DataType.isLargeList(type)) return gatherList(chunks, places);
  if (DataType.isFixedSizeList(type)) return gatherFixedLists(chunks, places);
  if (DataType.isUnion(type)) return gatherUnion(chunks, places);
  if (isFixedWidth(type)) return gatherFixed(chunks, places);
  if (DataType.isLargeUtf8(type) || DataType.isLargeBinary(type)) return gatherLargeBytes(chunks, places);
  if (DataType.isUtf8View(type) || DataType.isBinaryView(type)) return gatherViews(chunks, places);
  throw new InputError(`Rows of the Arrow type ${type} cannot be copied.`, { code: "UnsupportedType" });
}

const isFixedWidth = (type: DataType): boolean =>
  DataType.isInt(type) ||
  DataType.isFloat(type) ||
  DataType.isDecimal(type) ||
  DataType.isDate(type) ||
  DataType.isTime(type) ||
  DataType.isTimestamp(type) ||
  DataType.isDuration(type) ||
  DataType.isInterval(type) ||
  DataType.isFixedSizeBinary(type);

function gatherFixed(chunks: readonly Data[], places: Places): Data {
  const { type, values } = chunks[0];
  const width = (values.BYTES_PER_ELEMENT as number) * chunks[0].stride;
  const bytes = new ArrayBuffer(width * places.row.length);
  if (width % 4 === 0) gather32(viewsOf(chunks, Uint32Array), new Uint32Array(bytes), places, width / 4);
  else if (width === 2) gather16(viewsOf(chunks, Uint16Array), new Uint16Array(bytes), places);
  else gather8(viewsOf(chunks, Uint8Array), new Uint8Array(bytes), places, width);
  const data = new (values.constructor as new (buffer: ArrayBuffer) => typeof values)(bytes);
  return makeData({ type: type as Int32, length: places.row.length, data, ...gatherValidity(chunks, places) });
}

type View = new (buffer: ArrayBufferLike, offset: number, length: number) => unknown;

function viewsOf<T extends View & { readonly BYTES_PER_ELEMENT: number }>(chunks: readonly Data[], kind: T) {
  return chunks.map(({ values }) => {
    const view = values as Uint8Array;
    return new kind(view.buffer, view.byteOffset, view.byteLength / kind.BYTES_PER_ELEMENT) as InstanceType<T>;
  });
}

function gather32(from: readonly Uint32Array[], out: Uint32Array, { row, chunk }: Places, words: number): void {
  let source = from[0];
  for (let i = 0, o = 0; i < row.length; i++, o += words) {
    const at = row[i];
    if (at < 0) continue;
    if (chunk !== undefined) source = from[chunk[i]];
    const start = at * words;
    out[o] = source[start];
    if (words > 1) out[o + 1] = source[start + 1];
    for (let w = 2; w < words; w++) out[o + w] = source[start + w];
  }
}

function gather16(from: readonly Uint16Array[], out: Uint16Array, { row, chunk }: Places): void {
  for (let i = 0; i < row.length; i++) if (row[i] >= 0) out[i] = from[chunk === undefined ? 0 : chunk[i]][row[i]];
}

function gather8(from: readonly Uint8Array[], out: Uint8Array, { row, chunk }: Places, width: number): void {
  for (let i = 0; i < row.length; i++) {
    if (row[i] < 0) continue;
    const source = from[chunk === undefined ? 0 : chunk[i]];
    for (let w = 0; w < width; w++) out[i * width + w] = source[row[i] * width + w];
  }
}

function gatherBool(chunks: readonly Data[], places: Places): Data {
  const { row, chunk } = places;
  const data = new Uint8Array(((row.length + 63) & ~63) >> 3);
  for (let i = 0; i < row.length; i++) {
    if (row[i] < 0) continue;
    const source = chunks[chunk === undefined ? 0 : chunk[i]];
    const bit = source.offset + row[i];
    if ((source.values as Uint8Array)[bit >> 3] & (1 << (bit & 7))) data[i >> 3] |= 1 << (i & 7);
  }
  return makeData({ type: chunks[0].type as Bool, length: row.length, data, ...gatherValidity(chunks, places) });
}

function gatherDictionary(chunks: readonly Data[], places: Places): Data {
  const dictionaries = chunks.map((data) => data.dictionary as Vector);
  const length = places.row.length;
  if (dictionaries.every((dictionary) => sameDictionary(dictionary, dictionaries[0]))) {
    const { type, values } = chunks[0];
    const plain = gatherFixed(
      chunks.map((data) => data.clone((type as Dictionary).indices)),
      places,
    );
    const data = plain.values as typeof values;
    return makeData({
      type: type as Dictionary,
      length,
      data,
      dictionary: dictionaries[0],
      ...gatherValidity(chunks, places),
    });
  }
  const { merged, maps } = mergeDictionaries(dictionaries);
  const { row, chunk } = places;
  const data = new Int32Array(length);
  for (let i = 0; i < length; i++) {
    const k = chunk === undefined ? 0 : chunk[i];
    if (row[i] >= 0) data[i] = maps[k][Number(chunks[k].values[row[i]])] ?? 0;
  }
  const type = new Dictionary(merged.type, new Int32(), (chunks[0].type as Dictionary).id);
  return makeData({ type, length, data, dictionary: merged, ...gatherValidity(chunks, places) });
}

const sameDictionary = (a: Vector, b: Vector): boolean =>
  a === b || (a.data.length === b.data.length && a.data.every((data, i) => data === b.data[i]));

/** One dictionary that holds every value of several, and for each of them where its entries went. */
function mergeDictionaries(dictionaries: readonly Vector[]): { merged: Vector; maps: Int32Array[] } {
  const places = new Map<unknown, number>();
  const chunks: Data[] = [];
  const chunk: number[] = [];
  const row: number[] = [];
  const done = new Map<Vector, Int32Array>();
  const maps = dictionaries.map((dictionary) => {
    const known = done.get(dictionary);
    if (known !== undefined) return known;
    const map = new Int32Array(dictionary.length);
    let entry = 0;
    for (const data of dictionary.data) {
      const { valid, value } = chunkReader(data);
      for (let i = 0; i < data.length; i++, entry++) {
        const key = valid(i) ? value(i) : null;
        let place = places.get(key);
        if (place === undefined) {
          place = places.size;
          places.set(key, place);
          chunk.push(chunks.length);
          row.push(i);
        }
        map[entry] = place;
      }
      chunks.push(data);
    }
    done.set(dictionary, map);
    return map;
  });
  if (chunks.length === 0) return { merged: dictionaries[0], maps };
  const merged = gather(chunks, { row: Int32Array.from(row), chunk: Uint32Array.from(chunk) });
  return { merged: new Vector([merged]), maps };
}

function gatherStruct(chunks: readonly Data[], places: Places): Data {
  const { type } = chunks[0];
  const children = chunks[0].children.map((_, i) =>
    gather(
      chunks.map((data) => data.children[i]),
      places,
    ),
  );
  return makeData({
    type: type as Struct,
    length: places.row.length,
    children,
    ...gatherValidity(chunks, places),
  });
}

/** Lists and maps: offsets over one child, whose rows are copied in turn. */
function gatherList(chunks: readonly Data[], places: Places): Data {
  const { row, chunk } = places;
  const { type } = chunks[0];
  const large = DataType.isLargeList(type);
  const ends = new Int32Array(row.length + 1);
  const childRow: number[] = [];
  const childChunk: number[] = [];
  for (let i = 0; i < row.length; i++) {
    const k = chunk === undefined ? 0 : chunk[i];
    const offsets = chunks[k].valueOffsets as Int32Array | BigInt64Array;
    const end = row[i] < 0 ? 0 : Number(offsets[row[i] + 1]);
    for (let at = row[i] < 0 ? 0 : Number(offsets[row[i]]); at < end; at++) {
      childRow.push(at);
      childChunk.push(k);
    }
    ends[i + 1] = childRow.length;
  }
  const child = gatherChild(chunks, 0, childRow, childChunk);
  const valueOffsets = large ? BigInt64Array.from(ends, BigInt) : ends;
  return nested(chunks[0], places, [valueOffsets, undefined], [child], gatherValidity(chunks, places));
}

/** Lists of one length each: as many rows of the child for every row, null ones included. */
function gatherFixedLists(chunks: readonly Data[], places: Places): Data {
  const { row, chunk } = places;
  const size = (chunks[0].type as FixedSizeList).listSize;
  const childRow: number[] = [];
  const childChunk: number[] = [];
  for (let i = 0; i < row.length; i++) {
    for (let item = 0; item < size; item++) {
      childRow.push(row[i] < 0 ? -1 : row[i] * size + item);
      childChunk.push(chunk === undefined ? 0 : chunk[i]);
    }
  }
  const child = gatherChild(chunks, 0, childRow, childChunk);
  return nested(chunks[0], places, [undefined, undefined], [child], gatherValidity(chunks, places));
}

/**
 * Unions: a sparse one copies the row of every child, a dense one the row of the child that its type says; -1 is a null
 * of the first.
 */
function gatherUnion(chunks: readonly Data[], places: Places): Data {
  const { row, chunk } = places;
  const type = chunks[0].type as Union;
  const typeIds = new Int8Array(row.length);
  for (let i = 0; i < row.length; i++) {
    const source = chunks[chunk === undefined ? 0 : chunk[i]];
    typeIds[i] = row[i] < 0 ? type.typeIds[0] : source.typeIds[row[i]];
  }
  if (type.mode === UnionMode.Sparse) {
    const children = type.children.map((_, c) =>
      gather(
        chunks.map((data) => data.children[c]),
        places,
      ),
    );
    return nested(chunks[0], places, [undefined, undefined], children, { nullCount: 0 }, typeIds);
  }
  const rows: number[][] = type.children.map(() => []);
  const from: number[][] = type.children.map(() => []);
  const valueOffsets = new Int32Array(row.length);
  for (let i = 0; i < row.length; i++) {
    const k = chunk === undefined ? 0 : chunk[i];
    const child = type.typeIdToChildIndex[typeIds[i]];
    valueOffsets[i] = rows[child].length;
    rows[child].push(row[i] < 0 ? -1 : Number(chunks[k].valueOffsets[row[i]]));
    from[child].push(k);
  }
  const children = type.children.map((_, c) => gatherChild(chunks, c, rows[c], from[c]));
  return nested(chunks[0], places, [valueOffsets, undefined], children, { nullCount: 0 }, typeIds);
}

function gatherChild(chunks: readonly Data[], child: number, row: readonly number[], chunk: readonly number[]): Data {
  return gather(
    chunks.map((data) => data.children[child]),
    { row: Int32Array.from(row), chunk: Uint32Array.from(chunk) },
  );
}

/** A column like the first chunk over other buffers and children. */
function nested(
  like: Data,
  { row }: Places,
  [valueOffsets, values]: readonly [Int32Array | BigInt64Array | undefined, Uint8Array | undefined],
  children: Data[],
  { nullBitmap, nullCount }: { readonly nullBitmap?: Uint8Array; readonly nullCount: number },
  typeIds?: Int8Array,
): Data {
  return like.clone(
    like.type,
    0,
    row.length,
    nullCount,
    [valueOffsets, values, nullBitmap, typeIds] as never,
    children,
  );
}
