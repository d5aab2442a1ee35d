import {
  type Data,
  DataType,
  type Dictionary,
  makeData,
  type RecordBatch,
  RecordBatchFileWriter,
  Schema,
  Vector,
  vectorFromArray,
} from "../arrow/arrow.js";
import { recordBatch } from "../arrow/record-batch.js";
import { vectorToStrings } from "../arrow/vector-values.js";
import type { OnWritten, Written } from "../io/written.js";
import { namesWritten, writable, writeBatches } from "./stream.js";

/**
 * Writes batches in Arrow's file format, which allows random access and lets a dictionary grow but not change: every
 * text column gets one dictionary, which is held in memory together with one batch. The file gets its name once it is
 * complete.
 *
 * @throws {FileError} if it cannot be written; also any error of the batches
 */
export function writeArrowFile(
  batches: AsyncIterable<RecordBatch> | Iterable<RecordBatch>,
  path: string,
  options: OnWritten = {},
): Promise<Written> {
  return writeBatches(batches, path, options, new RecordBatchFileWriter(), (schema) => {
    const target = new Schema(namesWritten(schema.fields), schema.metadata);
    const columns: Unified[] = [];
    return { target, converted: (batch) => (batch.numRows > 0 ? unified(batch, target, columns) : undefined) };
  });
}

/** The dictionary of a text column: the index of each value, and its chunks in writing order. */
interface Unified {
  readonly places: Map<string, number>;
  readonly chunks: Data[];
}

function unified(batch: RecordBatch, schema: Schema, columns: Unified[]): RecordBatch {
  const children = batch.data.children.map((data, i) => {
    if (!DataType.isDictionary(data.type)) return writable(data);
    columns[i] ??= { places: new Map(), chunks: [] };
    return reindexed(data as Data<Dictionary>, columns[i]);
  });
  return recordBatch(schema, children, batch.numRows);
}

/** The column with its indices mapped to the shared dictionary; new values become the next chunk of the dictionary. */
function reindexed(data: Data<Dictionary>, { places, chunks }: Unified): Data {
  const added: string[] = [];
  const moved = vectorToStrings(data.dictionary as Vector).map((word) => {
    if (word === null) return 0;
    const known = places.get(word);
    if (known !== undefined) return known;
    places.set(word, places.size);
    added.push(word);
    return places.size - 1;
  });
  if (added.length > 0 || chunks.length === 0) chunks.push(...vectorFromArray(added, data.type.dictionary).data);
  const old = data.values as Int32Array;
  const values = new Int32Array(data.length);
  for (let i = 0; i < data.length; i++) values[i] = moved[old[i]] ?? 0;
  const { type, length, nullCount, nullBitmap, offset } = data;
  const dictionary = new Vector([...chunks]);
  return makeData({ type, length, nullCount, nullBitmap, offset, data: values, dictionary } as never);
}
