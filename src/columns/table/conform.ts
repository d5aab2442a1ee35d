import { DataError } from "../../errors/errors.js";
import {
  Data,
  type DataType,
  type Dictionary,
  makeData,
  makeVector,
  type RecordBatch,
  type Schema,
  Table,
  Type,
  Utf8,
  type Vector,
} from "../arrow/arrow.js";
import { validityBits } from "../arrow/bits.js";
import { chunkReader } from "../arrow/cell-reader.js";
import { recordBatch } from "../arrow/record-batch.js";
import { typeNames } from "../arrow/schema.js";
import { extendsDictionary, isOwnDictionary } from "../build/batch-maker.js";
import { hashText, TextDictionary } from "../build/dictionary.js";
import { TEXT_LIMIT } from "../build/text-limit.js";
import { noBatches } from "../io/written.js";
import { withoutDictionary } from "./take.js";

/**
 * Combines batches that were read separately, such as the pages of a table: every column takes its type from the schema
 * (default: that of the first batch), and all chunks of a text column share one dictionary.
 *
 * @throws {DataError} SchemaMismatch if the columns of a batch differ
 */
export function tableOf(batches: readonly RecordBatch[], schema?: Schema): Table {
  const target = schema ?? batches[0]?.schema;
  if (target === undefined) throw noBatches();
  const conformed = batches.filter((batch) => batch.numRows > 0).map((batch) => conform(batch, target));
  return new Table(target, shareDictionaries(target, conformed));
}

/**
 * The same rows under a schema of the same names and types; text is converted between dictionary and Utf8 as the schema
 * requires.
 *
 * @throws {DataError} SchemaMismatch if names or types differ
 */
export function conform(batch: RecordBatch, schema: Schema): RecordBatch {
  if (batch.schema === schema) return batch;
  const { fields } = schema;
  if (batch.schema.fields.length !== fields.length) {
    throw mismatch(`${batch.schema.fields.length} columns`, `${fields.length} columns`);
  }
  const children = batch.data.children.map((data, i) => {
    const from = batch.schema.fields[i];
    if (from.name !== fields[i].name) throw mismatch(JSON.stringify(from.name), JSON.stringify(fields[i].name));
    return retyped(data, fields[i].type as DataType, fields[i].name);
  });
  return recordBatch(schema, children, batch.numRows);
}

function mismatch(found: string, expected: string, column?: string): DataError {
  return new DataError(`The batches do not match: expected ${expected}; got ${found}.`, {
    code: "SchemaMismatch",
    ...(column !== undefined && { column }),
    hint: "The table changed while it was read; read it again.",
  });
}

function retyped(data: Data, type: DataType, column: string): Data {
  if (data.type === type) return data;
  const from = data.type as DataType;
  if (from.typeId === Type.Dictionary && type.typeId === Type.Utf8) return withoutDictionary(data);
  if (from.typeId === Type.Utf8 && type.typeId === Type.Dictionary) return toDictionary(data, type as Dictionary);
  if (String(from) !== String(type)) {
    const [found, expected] = typeNames([from, type]);
    throw mismatch(found, expected, column);
  }
  return data.clone(type);
}

function toDictionary(data: Data, type: Dictionary): Data {
  const offsets = data.valueOffsets as Int32Array;
  const bytes = data.values as Uint8Array;
  const { valid } = chunkReader(data);
  const dictionary = new TextDictionary();
  const indices = new Int32Array(data.length);
  for (let i = 0; i < data.length; i++)
    if (valid(i)) indices[i] = numberOf(dictionary, bytes, offsets[i], offsets[i + 1]);
  return makeData({
    type,
    length: data.length,
    nullCount: data.nullCount,
    nullBitmap: validityBits(data),
    data: indices,
    dictionary: vectorOf(dictionary),
  } as never);
}

function numberOf(dictionary: TextDictionary, bytes: Uint8Array, start: number, end: number): number {
  return dictionary.take(bytes, start, end, hashText(bytes, start, end));
}

function vectorOf({ size, offsets, bytes, byteLength }: TextDictionary): Vector {
  const valueOffsets = offsets.subarray(0, size + 1);
  const data = bytes.subarray(0, byteLength);
  return makeVector(makeData({ type: new Utf8(), length: size, nullCount: 0, valueOffsets, data }));
}

/** Makes all batches share one dictionary per text column, as Arrow readers and the file format require. */
export function shareDictionaries(schema: Schema, batches: readonly RecordBatch[]): RecordBatch[] {
  const columns = schema.fields.map((field, i) => {
    const chunks = batches.map((batch) => batch.data.children[i]);
    const type = field.type as DataType;
    return isTextDictionary(type) ? sharedDictionary(chunks) : chunks;
  });
  return batches.map((batch, k) => {
    const children = columns.map((chunks) => chunks[k]);
    const same = children.every((data, i) => data === batch.data.children[i]);
    return same ? batch : recordBatch(schema, children, batch.numRows);
  });
}

/** `Dictionary<Utf8, Int32>`, the only kind this package makes. */
function isTextDictionary(type: DataType): boolean {
  if (type.typeId !== Type.Dictionary) return false;
  const { dictionary, indices } = type as Dictionary;
  return dictionary.typeId === Type.Utf8 && indices.bitWidth === 32;
}

function sharedDictionary(chunks: readonly Data[]): readonly Data[] {
  const vectors = chunks.map((data) => data.dictionary as Vector);
  const longest = vectors.reduce((a, b) => (b.length > a.length ? b : a), vectors[0]);
  if (vectors.every((vector) => vector === longest) || vectors.some((vector) => vector.nullCount > 0)) return chunks;
  if (vectors.every((vector) => extendsDictionary(longest, vector))) {
    return chunks.map((data) => withDictionary(data, longest, data.values as Int32Array));
  }
  // Dictionaries too long for one chunk stay apart.
  if (bytesOf(new Set(vectors)) > TEXT_LIMIT.bytes) return chunks;
  const merged = new TextDictionary();
  const numbers = new Map<Vector, Int32Array | undefined>();
  for (const vector of vectors) {
    if (numbers.has(vector)) continue;
    const to = renumber(vector, merged);
    const stays = isOwnDictionary(vector) && to.every((number, i) => number === i);
    numbers.set(vector, stays ? undefined : to);
  }
  const shared = vectorOf(merged);
  return chunks.map((data) => {
    const to = numbers.get(data.dictionary as Vector);
    const from = data.values as Int32Array;
    if (to === undefined) return withDictionary(data, shared, from);
    const indices = new Int32Array(data.length);
    for (let i = 0; i < data.length; i++) indices[i] = to[Number(from[i])] ?? 0;
    return withDictionary(data, shared, indices);
  });
}

/** Bytes of the texts of dictionaries, those that several have counted several times. */
function bytesOf(dictionaries: Iterable<Vector>): number {
  let bytes = 0;
  for (const { data } of dictionaries) {
    for (const { valueOffsets, length } of data) bytes += valueOffsets[length] - valueOffsets[0];
  }
  return bytes;
}

/** Maps the numbers of a dictionary to those of the merged one. */
function renumber(vector: Vector, merged: TextDictionary): Int32Array {
  const numbers = new Int32Array(vector.length);
  let at = 0;
  for (const data of vector.data as readonly Data[]) {
    const offsets = data.valueOffsets as Int32Array;
    const bytes = data.values as Uint8Array;
    for (let i = 0; i < data.length; i++) numbers[at++] = numberOf(merged, bytes, offsets[i], offsets[i + 1]);
  }
  return numbers;
}

function withDictionary(data: Data, dictionary: Vector, indices: Int32Array): Data {
  const buffers = [undefined, indices, data.nullBitmap, undefined] as never;
  return new Data(data.type, data.offset, data.length, data.nullCount, buffers, [], dictionary);
}
