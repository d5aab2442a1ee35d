import { emitWarning } from "../../platform/node/process.js";
import { type ColumnSpec, parseType } from "../../spec/columns.js";
import {
  Data,
  type DataType,
  makeData,
  makeVector,
  type RecordBatch,
  type Schema,
  Table,
  Type,
  Utf8,
  type Vector,
} from "../arrow/arrow.js";
import type { ReadOptions } from "../arrow/read-options.js";
import { recordBatch } from "../arrow/record-batch.js";
import { schemaOf, withTypes } from "../arrow/schema.js";
import type { RawBatch, RawColumn, TextMode } from "./builder.js";
import type { DictionaryValues } from "./dictionary.js";

/** Warns of unknown service types, once per reader. */
export function warnUnknownTypes(columns: readonly ColumnSpec[], options: ReadOptions): void {
  const warned = new Set<string>();
  for (const { name, type } of columns) {
    if (parseType(type).kind !== "unknown" || warned.has(type)) continue;
    warned.add(type);
    const message = `Column ${JSON.stringify(name)} has the unknown type ${JSON.stringify(type)}; it is read as text.`;
    if (options.warn === undefined) warnOnce(message);
    else options.warn(message);
  }
}

const warnedOnce = new Set<string>();

/** Emits a process warning, each text once. */
export function warnOnce(message: string): void {
  if (warnedOnce.has(message)) return;
  warnedOnce.add(message);
  emitWarning(message, { type: "ArrowbookWarning" });
}

/** How text is stored in each column of a schema; undefined for other columns. */
export function textModes(schema: Schema | undefined): (TextMode | undefined)[] | undefined {
  return schema?.fields.map((field) => {
    if (field.type.typeId === Type.Dictionary) return "dictionary";
    return field.type.typeId === Type.Utf8 ? "utf8" : undefined;
  });
}

const NO_BYTES = new Uint8Array(0);

/**
 * Wraps finished buffers in Arrow batches for one reader: all share one schema, and share dictionaries while these do
 * not grow.
 */
export class BatchMaker {
  private decided: Schema | undefined;
  private readonly dictionaries: (Vector | undefined)[] = [];

  constructor(
    private readonly columns: readonly ColumnSpec[],
    private readonly options: ReadOptions,
  ) {
    this.decided = options.schema;
  }

  /** The schema of the batches: from the options, or as the text modes of the first batch determine. */
  schema(first?: RawBatch): Schema {
    if (this.decided === undefined) {
      const schema = schemaOf(this.columns, this.options);
      if (first === undefined) return schema;
      const types = first.columns.map((column) => {
        return column.buffer === "text" && column.dictionary === undefined ? new Utf8() : undefined;
      });
      this.decided = withTypes(schema, types);
    }
    return this.decided;
  }

  batch(raw: RawBatch): RecordBatch {
    const schema = this.schema(raw);
    const children = raw.columns.map((column, i) => this.data(column, schema.fields[i].type as DataType, raw.rows, i));
    return recordBatch(schema, children, raw.rows);
  }

  /** Combines all batches of a finished reader into a table whose chunks share the final state of each dictionary. */
  table(raws: readonly RawBatch[]): Table {
    if (raws.length === 0) return new Table(this.schema());
    const schema = this.schema(raws[0]);
    return new Table(
      schema,
      raws.filter((raw) => raw.rows > 0).map((raw) => this.batch(raw)),
    );
  }

  /**
   * Avoids `makeData`: V8 would transition to a new hidden class for its options after each garbage collection, and
   * each such transition triggers the next collection (docs/decisions.md).
   */
  private data(column: RawColumn, type: DataType, length: number, i: number): Data {
    const { buffer, nullCount, validity = NO_BYTES, words, floats, bytes, dictionary } = column;
    switch (buffer) {
      case "floats":
        return new Data(type, 0, length, nullCount, [undefined, floats, validity]);
      case "bits":
        return new Data(type, 0, length, nullCount, [undefined, bytes, validity]);
      case "text":
        if (dictionary === undefined) return new Data(type, 0, length, nullCount, [words, bytes, validity]);
        return new Data(type, 0, length, nullCount, [undefined, words, validity], [], this.dictionary(dictionary, i));
      case "words":
        return new Data(type, 0, length, nullCount, [undefined, valuesOf(words, type), validity]);
    }
  }

  /** The dictionary as a vector; that of the previous batch if nothing was added since. */
  private dictionary(dictionary: DictionaryValues, i: number): Vector {
    const held = this.dictionaries[i];
    if (held !== undefined && sources.get(held) === dictionary && held.length >= dictionary.size) return held;
    const { size, offsets, bytes, byteLength } = dictionary;
    const vector = makeVector(
      makeData({
        type: new Utf8(),
        length: size,
        nullCount: 0,
        valueOffsets: offsets.subarray(0, size + 1),
        data: bytes.subarray(0, byteLength),
      }),
    );
    sources.set(vector, dictionary);
    this.dictionaries[i] = vector;
    return vector;
  }
}

/**
 * The growing dictionary of which a vector is a snapshot: of two snapshots of one dictionary, the longer serves both.
 */
const sources = new WeakMap<Vector, DictionaryValues>();

/** The 32-bit words as the array that Arrow's type requires, over the same memory. */
function valuesOf(words: Int32Array, type: DataType): ArrayBufferView {
  const Values = type.ArrayType as unknown as Int32ArrayConstructor;
  return new Values(words.buffer, words.byteOffset, words.byteLength / Values.BYTES_PER_ELEMENT);
}

/** Whether `longer` is the same or a later snapshot of the growing dictionary of `shorter`. */
export function extendsDictionary(longer: Vector, shorter: Vector): boolean {
  if (longer === shorter) return true;
  const source = sources.get(shorter);
  return source !== undefined && sources.get(longer) === source && longer.length >= shorter.length;
}

/** Whether this package created the dictionary, so that its indices are known to be valid. */
export function isOwnDictionary(dictionary: Vector): boolean {
  return sources.has(dictionary);
}
