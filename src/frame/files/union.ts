import {
  type Data,
  DataType,
  Dictionary,
  Field,
  Int32,
  type RecordBatch,
  Schema,
  type Table,
  Utf8,
  Vector,
  vectorFromArray,
} from "../../columns/arrow/arrow.js";
import { secondDigits } from "../../columns/arrow/instants.js";
import { keyOf, withKey } from "../../columns/arrow/key.js";
import { fieldOf, TYPE_KEY, typeNames } from "../../columns/arrow/schema.js";
import { serviceTypeOfArrow } from "../../columns/arrow/types.js";
import { checkTyped } from "../../columns/build/type-guess.js";
import { cast, commonType, isSafe } from "../../columns/compute/cast.js";
import { dictionaryData, textData } from "../../columns/compute/map-texts.js";
import { isNumber } from "../../columns/compute/operands.js";
import { isText } from "../../columns/compute/texts.js";
import { exactType, isDays } from "../../columns/compute/units.js";
import { conform, tableOf } from "../../columns/table/conform.js";
import { tableOfVectors } from "../../columns/table/of-vectors.js";
import { takeVector } from "../../columns/table/take.js";
import { DataError } from "../../errors/errors.js";
import { noColumn } from "../../errors/options.js";

/** How several files are read as one table, whose columns are those of all files by name. */
export interface UnionOptions {
  /**
   * Adds a column of this name at the end, with the name of the file of each row: its path below the folder that all
   * files share.
   */
  readonly source?: string | undefined;
  /** A column that a file lacks: null in its rows, as by `union_by_name` of DuckDB, or an error. */
  readonly missingColumns?: "null" | "error" | undefined;
}

/** What of several files is read; `only`: these columns, in this order. */
export interface UnionChoice extends UnionOptions {
  readonly only?: readonly string[] | undefined;
  readonly types?: Readonly<Record<string, string>> | undefined;
}

/** The columns of one file of several. */
export interface UnionPart {
  readonly name: string;
  readonly schema: Schema;
  /** Whether a column is known to have no value, so that its type is open. */
  readonly isEmpty: (column: number) => boolean;
}

/** A column of the union: where it is in each part, -1 where a part lacks it. */
interface UnionColumn {
  readonly field: Field;
  readonly places: readonly number[];
}

/**
 * The rows of several files under the columns of all of them: in the order of first appearance, each in a type that
 * holds the values of all files exactly.
 */
export class Union {
  readonly schema: Schema;
  private readonly columns: readonly UnionColumn[];
  private readonly fileNames: Vector<Utf8>;

  /**
   * @param remedy what to do about columns that have no common type
   * @throws {DataError} SchemaMismatch for a column without a common type, or with the name of `source`; MissingColumn
   */
  constructor(
    private readonly parts: readonly UnionPart[],
    private readonly options: UnionChoice,
    remedy: string,
  ) {
    const { source, missingColumns, only, types = {} } = options;
    const all = columnsOf(parts, remedy);
    const names = all.map(({ field }) => field.name);
    checkTyped(types, names, "a column of any file");
    this.columns = only?.map((name) => all[names.indexOf(name)] ?? refuseName(name, names)) ?? all;
    if (missingColumns === "error") refuseMissing(parts, this.columns);
    const fields = this.columns.map(({ field }) => field);
    if (source !== undefined) {
      if (fields.some(({ name }) => name === source)) throw taken(source);
      fields.push(fieldOf({ name: source, type: "String" }));
    }
    const keys = parts.map(({ schema }) => keyOf(schema));
    const hasKey = keys.every((key) => key.join("\0") === keys[0].join("\0"));
    this.schema = withKey(new Schema(fields, parts[0].schema.metadata), hasKey ? keys[0] : []);
    this.fileNames = new Vector([textData(parts.map(({ name }) => name))]) as Vector<Utf8>;
  }

  /** The rows of all parts. */
  table(tables: readonly Table[]): Table {
    const batches = tables.flatMap((table, part) => {
      const vectors = table.schema.fields.map((_, at) => table.getChildAt(at) as Vector);
      return this.piece(part, vectors, table.numRows).batches;
    });
    return tableOf(batches, this.schema);
  }

  /** The rows of a batch of one part. */
  batch(part: number, { data, numRows }: RecordBatch): RecordBatch {
    const vectors = data.children.map((child) => new Vector([child]));
    return conform(this.piece(part, vectors, numRows).batches[0], this.schema);
  }

  private piece(part: number, vectors: readonly Vector[], rows: number): Table {
    const { name, isEmpty } = this.parts[part];
    const own = this.columns.map(({ field, places }) => {
      const at = places[part];
      if (at < 0 || isEmpty(at)) return nulls(field.type as DataType, rows);
      return converted(vectors[at], field, name);
    });
    if (this.options.source !== undefined) {
      const codes = new Int32Array(rows).fill(part);
      own.push(new Vector([dictionaryData(new Dictionary(new Utf8(), new Int32()), codes, this.fileNames)]));
    }
    const fields = this.schema.fields.map((field, i) => field.clone({ type: own[i].type }));
    return tableOfVectors(new Schema(fields), own, rows);
  }
}

function refuseName(name: string, names: readonly string[]): never {
  throw noColumn("No file", name, names);
}

function columnsOf(parts: readonly UnionPart[], remedy: string): UnionColumn[] {
  // A repeated name is another column in each file that repeats it.
  const slots = new Map<string, number[]>();
  for (const [part, { schema }] of parts.entries()) {
    const seen = new Map<string, number>();
    for (const [at, { name }] of schema.fields.entries()) {
      const number = seen.get(name) ?? 0;
      seen.set(name, number + 1);
      const key = `${number} ${name}`;
      const places = slots.get(key) ?? new Array<number>(parts.length).fill(-1);
      places[part] = at;
      slots.set(key, places);
    }
  }
  return [...slots.values()].map((places) => ({ field: commonField(parts, places, remedy), places }));
}

function commonField(parts: readonly UnionPart[], places: readonly number[], remedy: string): Field {
  const all = parts.flatMap(({ name, schema, isEmpty }, part) => {
    const at = places[part];
    return at < 0 ? [] : [{ file: name, field: schema.fields[at], isOpen: isEmpty(at) }];
  });
  const filled = all.filter(({ isOpen }) => !isOpen);
  const [first, ...others] = filled.length > 0 ? filled : all;
  let type = first.field.type as DataType;
  for (const { file, field } of others) {
    const wider = widerType(type, field.type as DataType, field.name);
    if (wider === undefined) {
      const known = filled.find(({ field: one }) => String(one.type) === String(type)) ?? first;
      const [one, other] = typeNames([type, field.type]);
      throw new DataError(`Column ${JSON.stringify(field.name)} is ${one} in ${known.file} and ${other} in ${file}.`, {
        code: "SchemaMismatch",
        column: field.name,
        hint: remedy.replaceAll("COLUMN", JSON.stringify(field.name)),
      });
    }
    type = wider;
  }
  const { name, metadata } = first.field;
  if (String(type) === String(first.field.type)) return new Field(name, type, true, metadata);
  const noted = isText(type) ? metadata.get(TYPE_KEY) : typeOf(type);
  return new Field(name, type, true, new Map(noted === undefined ? [] : [[TYPE_KEY, noted]]));
}

const typeOf = (type: DataType): string =>
  DataType.isTimestamp(type) && secondDigits(type) > 3 ? `DateTime(${secondDigits(type)})` : serviceTypeOfArrow(type);

/** A type that holds the values of both exactly; integers beside doubles are checked when they are converted. */
function widerType(a: DataType, b: DataType, column: string): DataType | undefined {
  if (isText(a) && isText(b)) return String(a) === String(b) ? a : new Utf8();
  if (String(a) === String(b) && !DataType.isDecimal(a)) return a;
  if (isNumber(a) && isNumber(b)) {
    const isMixed = DataType.isFloat(a) !== DataType.isFloat(b);
    const exact = exactType(DataType.isFloat(a) ? b : a);
    return isMixed && exact?.isInteger !== true ? undefined : commonType(a, b, { column, method: "the union" });
  }
  if (isDays(a) && DataType.isTimestamp(b)) return b;
  if (isDays(b) && DataType.isTimestamp(a)) return a;
  if (!DataType.isTimestamp(a) || !DataType.isTimestamp(b) || a.timezone !== b.timezone) return undefined;
  return secondDigits(a) < secondDigits(b) ? b : a;
}

function converted(vector: Vector, { name, type }: Field, file: string): Vector {
  if (isText(type)) return vector;
  if (DataType.isFloat(type) && DataType.isInt(vector.type) && !isSafe(vector)) {
    throw new DataError(`Column ${JSON.stringify(name)} of ${file} has integers that no double holds.`, {
      code: "PrecisionLoss",
      column: name,
      hint: "Declare the column as the same type in all files.",
    });
  }
  return cast(vector, type as DataType, {}, { column: name, method: `the union with ${file}` });
}

/** A column without values. */
function nulls(type: DataType, rows: number): Vector {
  const one = vectorFromArray([null], isText(type) ? new Utf8() : type) as Vector;
  return takeVector(one, new Int32Array(rows).fill(-1));
}

function refuseMissing(parts: readonly UnionPart[], columns: readonly UnionColumn[]): void {
  for (const { field, places } of columns) {
    const lacking = places.indexOf(-1);
    if (lacking < 0) continue;
    const other = parts[places.findIndex((at) => at >= 0)].name;
    throw new DataError(`${parts[lacking].name} has no column ${JSON.stringify(field.name)}, which ${other} has.`, {
      code: "MissingColumn",
      column: field.name,
      hint: 'Correct the file, or pass missingColumns: "null".',
    });
  }
}

function taken(source: string): DataError {
  return new DataError(`The files have a column ${JSON.stringify(source)} themselves.`, {
    code: "SchemaMismatch",
    column: source,
    hint: "Name the column of the files otherwise: source.",
  });
}

/** A table as a part of a union. Text columns without values have an open type: they may be of any. */
export const tablePart = (name: string, table: Table): UnionPart => ({
  name,
  schema: table.schema,
  isEmpty(column) {
    const { data, type, length } = table.getChildAt(column) as Vector;
    const count = (data as readonly Data[]).reduce((sum, chunk) => sum + chunk.nullCount, 0);
    return count === length && (isText(type) || DataType.isNull(type));
  },
});
