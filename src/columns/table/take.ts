import { InputError } from "../../errors/errors.js";
import { LargeMap } from "../../value/large-map.js";
import {
  type Bool,
  Data,
  DataType,
  Dictionary,
  type Field,
  type FixedSizeList,
  Int32,
  makeData,
  type RecordBatch,
  Schema,
  type Struct,
  Table,
  type Union,
  UnionMode,
  Vector,
} from "../arrow/arrow.js";
import { chunkReader } from "../arrow/cell-reader.js";
import { emptyData, recordBatch } from "../arrow/record-batch.js";
import { tableOfVectors } from "./of-vectors.js";
import type { RoutedColumn } from "./take-blocks.js";
import { gatherBytes, gatherLargeBytes, gatherOneOfBytes, gatherViews } from "./take-bytes.js";
import { gatherFixed, isFixedWidth, routedColumn } from "./take-fixed.js";
import { gatherValidity, type Places, partsOf, placesOf } from "./take-places.js";

/**
 * Copies the rows of `table` at these positions, in that order. A position may repeat; -1 makes a row of nulls
 * (`Int32Array` only). Copies typed buffers without creating JavaScript values. Many rows become several batches.
 *
 * @param copyFirst copies some columns beforehand
 * @example ```ts no-run takeRows(table, Uint32Array.of(4, 2, 2)); ```
 */
export function takeRows(table: Table, positions: Uint32Array | Int32Array, copyFirst?: CopyColumns): Table {
  const places = placesOf(
    table.batches.map((batch) => batch.numRows),
    positions,
  );
  const columns = table.schema.fields.map((field, i) => chunksOf(table, i, field));
  const routed = copyFirst && columns.map((chunks) => routedOf(chunks, places));
  const copies = routed && copyFirst(routed);
  const taken = columns.map((chunks, i) => gatherCut(chunks, places, copies?.[i]));
  return takenTable(table.schema, taken, positions.length);
}

/**
 * Copies the values of columns to one buffer for each {@link PART_ROWS}; those of a column that is undefined in the
 * result remain to be copied.
 */
export type CopyColumns = (
  columns: readonly (RoutedColumn | undefined)[],
) => readonly (readonly ArrayBuffer[] | undefined)[];

function routedOf(chunks: readonly Data[], places: Places): RoutedColumn | undefined {
  const fixed = fixedChunks(chunks);
  return fixed && routedColumn(fixed, places);
}

/** A table of these columns; fields keep their name and metadata and take the type of the column. */
export function takenTable(schema: Schema, columns: readonly Vector[], numRows: number): Table {
  const shaped = schemaOf(
    schema,
    columns.map((column) => column.data),
  );
  return tableOfVectors(shaped, columns, numRows);
}

/** As {@link takeRows}, of one batch and into one. */
export function takeBatch({ schema, data }: RecordBatch, positions: Uint32Array): RecordBatch {
  const children = data.children.map((child) => takeVector(new Vector([child]), positions).data[0]);
  return tableOfData(schema, children, positions.length).batches[0];
}

/** The values of one vector at these positions in one chunk, as {@link takeRows} does for a table. */
export function takeVector(vector: Vector, positions: Uint32Array | Int32Array): Vector {
  return new Vector([gather(chunksIn(vector), placesIn(vector, positions))]);
}

/** As {@link takeVector}, cut into chunks where there are many values. */
export function takeColumn(vector: Vector, positions: Uint32Array | Int32Array): Vector {
  return gatherCut(chunksIn(vector), placesIn(vector, positions));
}

/** A chunk of dictionary codes as the values that they number. */
export function withoutDictionary(data: Data): Data {
  const codes = new Int32Array(data.length);
  for (let i = 0; i < data.length; i++) codes[i] = data.getValid(i) ? Number(data.values[i]) : -1;
  return takeVector(data.dictionary as Vector, codes).data[0];
}

const placesIn = (vector: Vector, positions: Uint32Array | Int32Array): Places =>
  placesOf(
    vector.data.map((data) => data.length),
    positions,
  );

/** The data that Arrow itself makes for a vector without any lack their children. */
const chunksIn = (vector: Vector): readonly Data[] =>
  vector.length === 0 ? [emptyData(vector.type)] : (vector.data as readonly Data[]);

/** A table of one batch with these columns; fields keep their name and metadata and take the type of the data. */
export function tableOfData(schema: Schema, children: readonly Data[], numRows: number): Table {
  const shaped = schemaOf(
    schema,
    children.map((data) => [data]),
  );
  return new Table(shaped, [recordBatch(shaped, children, numRows)]);
}

/** The schema with the types of these columns, nullable where they hold nulls. */
function schemaOf(schema: Schema, columns: readonly (readonly Data[])[]): Schema {
  const fields = schema.fields.map((field, i) =>
    field.clone({
      type: columns[i][0].type,
      nullable: field.nullable || columns[i].some((data) => data.nullCount > 0),
    }),
  );
  return new Schema(fields, schema.metadata);
}

const chunksOf = (table: Table, column: number, field: Field): readonly Data[] =>
  table.batches.length === 0 ? [emptyData(field.type)] : table.batches.map((batch) => batch.data.children[column]);

/** As {@link gather}, with chunks of their own for many values of fixed width, whose memory is reused, or long text. */
function gatherCut(chunks: readonly Data[], places: Places, copies?: readonly ArrayBuffer[]): Vector {
  const fixed = fixedChunks(chunks);
  if (fixed === undefined) {
    return new Vector(isBytes(chunks[0].type) ? gatherBytes(chunks, places) : [gather(chunks, places)]);
  }
  const taken = gatherFixed(fixed, places, partsOf(places), copies);
  return new Vector(fixed === chunks ? taken : taken.map((data) => withDictionary(data, chunks[0])));
}

/** The values that are copied of these if they have a fixed width: themselves, or the codes of one dictionary. */
function fixedChunks(chunks: readonly Data[]): readonly Data[] | undefined {
  const { type } = chunks[0];
  if (isFixedWidth(type)) return chunks;
  if (!DataType.isDictionary(type) || !haveOneDictionary(chunks)) return undefined;
  return chunks.map((data) => data.clone(type.indices));
}

const isBytes = (type: DataType): boolean => DataType.isUtf8(type) || DataType.isBinary(type);

function gather(chunks: readonly Data[], places: Places): Data {
  const type = chunks[0].type;
  if (DataType.isNull(type)) return makeData({ type, length: places.row.length });
  if (DataType.isDictionary(type)) return gatherDictionary(chunks, places);
  if (DataType.isBool(type)) return gatherBool(chunks, places);
  if (isBytes(type)) return gatherOneOfBytes(chunks, places);
  if (DataType.isStruct(type)) return gatherStruct(chunks, places);
  if (DataType.isList(type) || DataType.isMap(type) || DataType.isLargeList(type)) return gatherList(chunks, places);
  if (DataType.isFixedSizeList(type)) return gatherFixedLists(chunks, places);
  if (DataType.isUnion(type)) return gatherUnion(chunks, places);
  if (isFixedWidth(type)) return gatherFixed(chunks, places, [places])[0];
  if (DataType.isLargeUtf8(type) || DataType.isLargeBinary(type)) return gatherLargeBytes(chunks, places);
  if (DataType.isUtf8View(type) || DataType.isBinaryView(type)) return gatherViews(chunks, places);
  throw new InputError(`Rows of the Arrow type ${type} cannot be copied.`, { code: "UnsupportedType" });
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
  if (haveOneDictionary(chunks)) {
    const codes = chunks.map((data) => data.clone((data.type as Dictionary).indices));
    return withDictionary(gatherFixed(codes, places, [places])[0], chunks[0]);
  }
  const length = places.row.length;
  const { merged, maps } = mergeDictionaries(chunks.map((data) => data.dictionary as Vector));
  const { row, chunk } = places;
  const data = new Int32Array(length);
  for (let i = 0; i < length; i++) {
    const k = chunk === undefined ? 0 : chunk[i];
    if (row[i] >= 0) data[i] = maps[k][Number(chunks[k].values[row[i]])] ?? 0;
  }
  // With an id of its own: a table may hold the column of which these are rows as well.
  const type = new Dictionary(merged.type, new Int32());
  return makeData({ type, length, data, dictionary: merged, ...gatherValidity(chunks, places) });
}

const haveOneDictionary = (chunks: readonly Data[]): boolean =>
  chunks.every((data) => sameDictionary(data.dictionary as Vector, chunks[0].dictionary as Vector));

/** These indices into the dictionary of a chunk. */
const withDictionary = (indices: Data, like: Data): Data =>
  new Data(like.type, 0, indices.length, indices.nullCount, indices.buffers, [], like.dictionary);

/** Whether dictionaries have the same chunks: batches that share them may have a vector each. */
export const sameDictionary = (a: Vector, b: Vector): boolean =>
  a === b || (a.data.length === b.data.length && a.data.every((data, i) => data === b.data[i]));

/** Merges dictionaries; `maps` holds the new number of each entry. */
function mergeDictionaries(dictionaries: readonly Vector[]): { merged: Vector; maps: Int32Array[] } {
  const places = new LargeMap<string | null, number>();
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
      const { valid, text } = chunkReader(data);
      for (let i = 0; i < data.length; i++, entry++) {
        const key = valid(i) ? text(i) : null;
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
  const type = chunks[0].type as Struct;
  const children = gatherChildren(chunks, places);
  return makeData({ type, length: places.row.length, children, ...gatherValidity(chunks, places) });
}

const gatherChildren = (chunks: readonly Data[], places: Places): Data[] =>
  chunks[0].children.map((_, c) =>
    gather(
      chunks.map((data) => data.children[c]),
      places,
    ),
  );

/** Lists and maps: copies the offsets and the child rows they cover. */
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
  return nested(chunks[0], places, [child], { valueOffsets, ...gatherValidity(chunks, places) });
}

/** Fixed-size lists: copies as many child rows for every row, including null ones. */
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
  return nested(chunks[0], places, [child], gatherValidity(chunks, places));
}

/**
 * Unions: a sparse one copies the row of every child, a dense one that of the selected child; -1 becomes a null of the
 * first child.
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
    return nested(chunks[0], places, gatherChildren(chunks, places), { nullCount: 0, typeIds });
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
  return nested(chunks[0], places, children, { nullCount: 0, typeIds, valueOffsets });
}

function gatherChild(chunks: readonly Data[], child: number, row: readonly number[], chunk: readonly number[]): Data {
  return gather(
    chunks.map((data) => data.children[child]),
    { row: Int32Array.from(row), chunk: Uint32Array.from(chunk) },
  );
}

interface NestedBuffers {
  readonly valueOffsets?: Int32Array | BigInt64Array;
  readonly typeIds?: Int8Array;
  readonly nullBitmap?: Uint8Array;
  readonly nullCount: number;
}

/** A column like the first chunk, with other buffers and children. */
function nested(like: Data, { row }: Places, children: Data[], buffers: NestedBuffers): Data {
  const { valueOffsets, typeIds, nullBitmap, nullCount } = buffers;
  const all = [valueOffsets, undefined, nullBitmap, typeIds];
  return like.clone(like.type, 0, row.length, nullCount, all as never, children);
}
