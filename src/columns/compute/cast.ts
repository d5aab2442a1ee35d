import { DataError, InputError } from "../../errors/errors.js";
import { checkWords, refuseUnknown } from "../../errors/options.js";
import { shown } from "../../errors/shown.js";
import { parseType, TYPE_TITLES } from "../../spec/columns.js";
import { unscaledText } from "../../value/decimal.js";
import type { TextForm } from "../../value/text-form.js";
import {
  type Data,
  DataType,
  DateDay,
  Float64,
  makeVector,
  type RecordBatch,
  type Schema,
  Utf8,
  Vector,
} from "../arrow/arrow.js";
import { chunkReader } from "../arrow/cell-reader.js";
import { instantsOf, secondDigits } from "../arrow/instants.js";
import type { ReadOptions } from "../arrow/read-options.js";
import { recordBatch } from "../arrow/record-batch.js";
import { fieldOf } from "../arrow/schema.js";
import { serviceTypeOfArrow } from "../arrow/types.js";
import { vectorToNumbers } from "../arrow/vector-values.js";
import { textRows } from "../build/text-rows.js";
import { takeVector } from "../table/take.js";
import { storeChecked } from "./add.js";
import {
  doubleData,
  isValid,
  mapChunks,
  presentOf,
  typeOfUnits,
  unitsData,
  validOf,
  valuesData,
  wordsOf,
} from "./chunks.js";
import { type Constant, exactConstant, SECONDS_PER_DAY } from "./constant.js";
import { doublesOf, isNumber } from "./operands.js";
import { type Place, tooLarge, unlike, wrongConstant } from "./place.js";
import { plainTexts, TEXT_FORM } from "./plain-texts.js";
import { KEPT, mapUnits, ROUNDED } from "./round.js";
import { isText } from "./texts.js";
import { big, exactType, isDays, MOST_DIGITS, type Units, type UnitsType } from "./units.js";

/** How values are converted. */
export interface CastOptions extends TextForm {
  /** Text that is not a value of the type: an error, or null. */
  readonly onBadCell?: "error" | "null";
  /** A value with more digits than the type keeps, or a timestamp that is not a whole day: an error, or rounded. */
  readonly onPrecisionLoss?: "error" | "round";
}

/**
 * The Arrow type that a service type names.
 *
 * @throws {InputError} BadArgument for an unknown type
 */
export function typeNamed(name: string, { column, method }: Place): DataType {
  if (typeof name === "string" && parseType(name).kind !== "unknown") return fieldOf({ name: "", type: name }).type;
  throw new InputError(`${method} of column ${JSON.stringify(column)}: ${shown(name)} is not a column type.`, {
    code: "BadArgument",
    column,
    hint: `The types are ${TYPE_TITLES.join(", ")}.`,
  });
}

/**
 * The values as another type, each of them exactly: what does not fit is an error that names the row. Text is read as a
 * CSV cell is; NaN counts as null.
 *
 * @throws {DataError} PrecisionLoss, Overflow, BadCell
 */
export function cast(vector: Vector, to: DataType, options: CastOptions, place: Place): Vector {
  refuseUnknown(options, ["onBadCell", "onPrecisionLoss", ...TEXT_FORM], place.method);
  checkWords(options, { onBadCell: ["error", "null"], onPrecisionLoss: ["error", "round"] });
  const from = vector.type as DataType;
  if (
    String(from) === String(to) &&
    !(DataType.isDecimal(from) && DataType.isDecimal(to) && from.bitWidth !== to.bitWidth)
  ) {
    return vector;
  }
  const target = exactType(to);
  if (exactType(from) !== undefined && target !== undefined) return rescaled(vector, target, options, place);
  if (DataType.isFloat(to) && (isNumber(from) || DataType.isBool(from))) return toDoubles(vector);
  if (isDays(from) && DataType.isTimestamp(to)) return toTimestamps(vector, to, place);
  if (DataType.isTimestamp(from) && isDays(to)) return toDays(vector, options, place);
  const plain = isText(from) && !isText(to) ? plainTexts(vector, to, options, place) : vector;
  return throughText(plain, to, options, place);
}

/**
 * One value as a column of one row whose type goes with a column's.
 *
 * @throws {InputError} BadArgument
 */
export function castConstant(value: Exclude<Constant, null>, type: DataType, place: Place): Vector {
  if (exactType(type) !== undefined && !(typeof value === "number" && !Number.isFinite(value))) {
    const exact = exactConstant(value, type, place);
    if (exact === undefined) throw wrongConstant(place, type, value);
    const { units, scale } = exact;
    const digits = Math.max(String(units < 0n ? -units : units).length, scale, 1);
    if (digits > MOST_DIGITS) throw wrongConstant(place, type, value);
    const isInteger = DataType.isInt(type) && scale === 0 && digits < 19;
    const made: UnitsType = { scale, precision: digits, isInteger };
    const words = new Int32Array(wordsOf(made));
    storeChecked(words, 0, made, units, { ...place, row: 0 });
    return new Vector([unitsData(made, 1, words, undefined)]);
  }
  if (isNumber(type)) {
    if (typeof value !== "number" && typeof value !== "string" && typeof value !== "bigint") {
      throw wrongConstant(place, type, value);
    }
    const number = Number(value);
    if (Number.isNaN(number) && typeof value !== "number") throw wrongConstant(place, type, value);
    return new Vector([doubleData(Float64Array.of(number), undefined)]);
  }
  const isFitting = isText(type)
    ? typeof value === "string"
    : DataType.isBool(type)
      ? typeof value === "boolean"
      : typeof value === "string" || value instanceof Date;
  if (!isFitting) throw wrongConstant(place, type, value);
  const text = value instanceof Date ? value.toISOString() : String(value);
  const cell = isDays(type) && value instanceof Date ? text.slice(0, 10) : text;
  try {
    return ofTexts([cell], isText(type) ? new Utf8() : type, {}, place);
  } catch (cause) {
    if (cause instanceof DataError) throw wrongConstant(place, type, value);
    throw cause;
  }
}

/**
 * The type that holds the values of two columns.
 *
 * @throws {InputError} WrongType where there is none
 */
export function commonType(a: DataType, b: DataType, place: Place): DataType {
  const [x, y] = [exactType(a), exactType(b)];
  if (x !== undefined && y !== undefined) {
    if (x.isInteger && y.isInteger) return typeOfUnits({ ...x, precision: 19 });
    const scale = Math.max(x.scale, y.scale);
    const whole = Math.max(x.precision - x.scale, y.precision - y.scale);
    return typeOfUnits({ scale, precision: Math.min(MOST_DIGITS, Math.max(1, whole + scale)), isInteger: false });
  }
  if (isNumber(a) && isNumber(b)) return new Float64();
  if (isText(a) && isText(b)) {
    const isOwn = DataType.isDictionary(a) && a.indices.bitWidth === 32 && DataType.isUtf8(a.dictionary);
    return isOwn ? a : new Utf8();
  }
  if (DataType.isBool(a) && DataType.isBool(b)) return a;
  if (isDays(a) && isDays(b)) return a;
  if (DataType.isTimestamp(a) && DataType.isTimestamp(b) && String(a) === String(b)) return a;
  throw unlike(place, a, b);
}

function rescaled(vector: Vector, type: UnitsType, { onPrecisionLoss }: CastOptions, place: Place): Vector {
  const { scale } = exactType(vector.type) as UnitsType;
  const [down, up] = [Math.max(0, scale - type.scale), Math.max(0, type.scale - scale)];
  const onLoss = (units: Units, i: number, row: number): never => {
    throw loss(place, row, unscaledText(String(big(units, i)), scale), typeOfUnits(type));
  };
  return mapUnits(vector, type, {
    ...(down === 0 ? KEPT : ROUNDED),
    down,
    up,
    place,
    onLoss: onPrecisionLoss === "round" || down === 0 ? undefined : onLoss,
  });
}

function loss({ column, method }: Place, row: number, value: string, type: DataType): DataError {
  const name = serviceTypeOfArrow(type);
  return new DataError(
    `${method} of column ${JSON.stringify(column)}, row ${row}: ${value} has more than ${name} keeps.`,
    {
      code: "PrecisionLoss",
      column,
      row,
      value,
      hint: 'Name a type that keeps it, or pass { onPrecisionLoss: "round" }.',
    },
  );
}

function toDoubles(vector: Vector): Vector {
  return mapChunks(vector, new Float64(), (data) => doubleData(doublesOf(data), validOf(data)));
}

function toTimestamps(vector: Vector, type: DataType, place: Place): Vector {
  const second = 10n ** BigInt(secondDigits(type));
  return mapChunks(vector, type, (data, from) => {
    const { days } = instantsOf(data);
    const { valid, text } = chunkReader(data);
    const values = new BigInt64Array(data.length);
    for (let i = 0; i < values.length; i++) {
      if (!valid(i)) continue;
      const units = BigInt(days(i) * SECONDS_PER_DAY) * second;
      values[i] = units;
      if (values[i] !== units) throw tooLarge(place, from + i, text(i), `DateTime(${secondDigits(type)})`);
    }
    return valuesData(type, data.length, values, validOf(data));
  });
}

function toDays(vector: Vector, { onPrecisionLoss }: CastOptions, place: Place): Vector {
  const type = new DateDay();
  return mapChunks(vector, type, (data, from) => {
    const { valid, text } = chunkReader(data);
    const times = instantsOf(data);
    const values = new Int32Array(data.length);
    for (let i = 0; i < values.length; i++) {
      if (!valid(i)) continue;
      const days = times.days(i);
      if (onPrecisionLoss !== "round" && times.nanos(i) !== 0) throw loss(place, from + i, text(i), type);
      if (days !== (days | 0)) throw tooLarge(place, from + i, text(i), "Date");
      values[i] = days;
    }
    return valuesData(type, data.length, values, validOf(data));
  });
}

/** Values as the texts of their cells, read as the other type; an entry of a dictionary is read once. */
function throughText(vector: Vector, to: DataType, options: CastOptions, place: Place): Vector {
  if (DataType.isDictionary(vector.type) && isText(vector.type) && !isText(to)) {
    try {
      return throughDictionary(vector, to, options, place);
    } catch (error) {
      // Rows are read one by one for the number of the row, and because no row may have that entry.
      if (!(error instanceof DataError)) throw error;
    }
  }
  const texts: (string | null)[] = [];
  const from = vector.type as DataType;
  // A timestamp without a zone counts as UTC.
  const zone = DataType.isTimestamp(from) && DataType.isTimestamp(to) && !from.timezone ? "Z" : "";
  for (const data of vector.data as readonly Data[]) {
    const { text } = chunkReader(data);
    const valid = presentOf(data);
    for (let i = 0; i < data.length; i++) texts.push(isValid(valid, i) ? text(i) + zone : null);
  }
  return ofTexts(texts, to, options, place);
}

function throughDictionary(vector: Vector, to: DataType, options: CastOptions, place: Place): Vector {
  const read = new Map<Vector, Vector>();
  return mapChunks(vector, to, (data) => {
    const dictionary = data.dictionary as Vector;
    const values = read.get(dictionary) ?? throughText(dictionary, to, options, place);
    read.set(dictionary, values);
    const valid = validOf(data);
    const from = data.values as Int32Array | BigInt64Array;
    const codes = new Int32Array(data.length);
    for (let row = 0; row < codes.length; row++) codes[row] = isValid(valid, row) ? Number(from[row]) : -1;
    return takeVector(values, codes).data[0];
  });
}

function ofTexts(
  texts: readonly (string | null)[],
  to: DataType,
  { onBadCell, onPrecisionLoss }: CastOptions,
  { column }: Place,
): Vector {
  const layout: ReadOptions["text"] = DataType.isUtf8(to) ? "utf8" : isText(to) ? "dictionary" : undefined;
  const rows = function* (): Generator<[string | null]> {
    for (const text of texts) yield [text];
  };
  const type = DataType.isTimestamp(to) ? `DateTime(${secondDigits(to)})` : serviceTypeOfArrow(to);
  const spec = { name: column, type };
  const table = textRows(rows(), [spec], { text: layout, onBadCell, onPrecisionLoss }).table();
  const made = table.getChildAt(0);
  return made === null ? new Vector([]) : made;
}

/**
 * Columns of numbers as one type that holds the values of all exactly: decimals of more digits, or doubles where the
 * others are integers up to 2^53; undefined where there is none.
 *
 * @throws {DataError} Overflow for decimals of more than 76 digits
 */
export function widened(vectors: readonly Vector[], place: Place): readonly Vector[] | undefined {
  const types = vectors.map(({ type }) => type as DataType);
  if (!types.every(isNumber)) return undefined;
  const type = types.reduce((common, other) => commonType(common, other, place));
  if (DataType.isFloat(type)) {
    const isExact = vectors.every((vector, i) => DataType.isFloat(types[i]) || isSafe(vector));
    if (!isExact) return undefined;
  }
  return vectors.map((vector) => cast(vector, type, {}, place));
}

/** Whether a column holds only integers that doubles hold. */
export function isSafe(vector: Vector): boolean {
  if (!DataType.isInt(vector.type)) return false;
  const numbers = vectorToNumbers(vector);
  let row = 0;
  for (const data of vector.data as readonly Data[]) {
    const valid = validOf(data);
    for (let i = 0; i < data.length; i++, row++) {
      if (isValid(valid, i) && !Number.isSafeInteger(numbers[row])) return false;
    }
  }
  return true;
}

/**
 * Batches with the names and types of a schema, column by column.
 *
 * @param from where the values come from, for messages
 * @throws {DataError} for a value that the type cannot represent exactly
 */
export async function* declaredBatches(
  batches: AsyncIterable<RecordBatch>,
  schema: Schema,
  from: string,
): AsyncGenerator<RecordBatch> {
  for await (const { data, numRows } of batches) {
    const children = data.children.map((each, i) => {
      const { name, type } = schema.fields[i];
      return cast(makeVector(each), type, {}, { column: name, method: from }).data[0];
    });
    yield recordBatch(schema, children, numRows);
  }
}
