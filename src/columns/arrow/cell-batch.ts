import type {
  CellBatch,
  CellBits,
  CellColumn,
  CellEntries,
  CellPrinter,
  CellTexts,
} from "../../document/cells/cell-batch.js";
import { utf8Bytes } from "../../platform/node/bytes.js";
import type { TypeKind } from "../../spec/columns.js";
import { DATE_BYTES, writeDate } from "../../value/date.js";
import { NUMBER_BYTES, writeNumber } from "../../value/number.js";
import { TIMESTAMP_BYTES, writeTimestamp } from "../../value/timestamp.js";
import { decimalWidth, WIDEST_SCALE, writeDecimal } from "../../value/write-decimal.js";
import { type Data, type DataType, DateUnit, type Decimal, type RecordBatch, type Table, Type } from "./arrow.js";
import { ALL_VALID, chunkReader } from "./cell-reader.js";
import { secondDigits } from "./instants.js";
import { kindOfArrow } from "./types.js";

/**
 * The cells of the first `rows` rows as a document writes them: dates and timestamps in ISO 8601, timestamps without a
 * zone as UTC, decimals with exactly their scale's digits, doubles in the shortest form that reads back, booleans
 * `true` and `false` (spec 2.6).
 */
export function cellBatch(columns: readonly Data[], rows: number): CellBatch {
  return { rows, columns: columns.map(cellColumn) };
}

/** The cells of one column. */
export function cellColumn(data: Data): CellColumn {
  const { valid, text } = chunkReader(data);
  const type = data.type as DataType;
  const validBits = valid === ALL_VALID ? undefined : bitsOf(data);
  return {
    ...(valid !== ALL_VALID && { valid }),
    ...(validBits && { validBits }),
    text: isZoneless(type) ? (i) => `${text(i)}Z` : text,
    fast: FAST[kindOfArrow(type)](data),
  };
}

/** The validity bits; none where a null may also be an entry of a dictionary. */
function bitsOf({ nullBitmap, offset, dictionary }: Data): CellBits | undefined {
  if (!nullBitmap || nullBitmap.length === 0 || (dictionary?.nullCount ?? 0) > 0) return undefined;
  return { bytes: nullBitmap, from: offset };
}

/** A timestamp whose text lacks the zone that a reader requires; the service uses UTC only. */
function isZoneless(type: DataType): boolean {
  return type.typeId === Type.Timestamp && !(type as unknown as { timezone?: string | null }).timezone;
}

const FAST: Readonly<Record<TypeKind, (data: Data) => CellColumn["fast"]>> = {
  text: (data) => (data.type.typeId === Type.Dictionary ? entries(data) : texts(data)),
  date: dates,
  datetime: timestamps,
  decimal: decimals,
  integer: integers,
  double: ({ values }) =>
    values instanceof Float64Array
      ? {
          kind: "point",
          width: NUMBER_BYTES,
          print: (i, out, at) => writeNumber(values[i], out, at),
          values: { kind: "doubles", values },
        }
      : undefined,
  boolean: booleans,
  unknown: () => undefined,
};

function booleans({ values, offset }: Data): CellPrinter {
  const bits = values as Uint8Array;
  return {
    kind: "truth",
    width: FALSE.length,
    print(i, out, at) {
      const word = bits[(offset + i) >> 3] & (1 << ((offset + i) & 7)) ? TRUE : FALSE;
      for (let k = 0; k < word.length; k++) out[at + k] = word[k];
      return at + word.length;
    },
    values: { kind: "truths", bits: { bytes: bits, from: offset } },
  };
}

const [TRUE, FALSE] = [utf8Bytes("true"), utf8Bytes("false")];

function entries({ values }: Data): CellEntries {
  const indices = values as Int32Array | BigInt64Array;
  const numbers = indices instanceof Int32Array ? indices : undefined;
  return { kind: "entries", entry: (i) => Number(indices[i]), ...(numbers && { numbers }) };
}

function texts({ values, valueOffsets }: Data): CellTexts | undefined {
  return valueOffsets instanceof Int32Array ? { kind: "texts", bytes: values, offsets: valueOffsets } : undefined;
}

function dates({ type, values }: Data): CellPrinter | undefined {
  if ((type as unknown as { unit: DateUnit }).unit !== DateUnit.DAY) return undefined;
  const days = values as Int32Array;
  return {
    kind: "other",
    width: DATE_BYTES,
    print: (i, out, at) => writeDate(days[i], out, at),
    values: { kind: "days", values: days },
  };
}

function timestamps({ type, values }: Data): CellPrinter {
  const units = values as BigInt64Array;
  const digits = secondDigits(type);
  const perSecond = 10 ** digits;
  return {
    kind: "other",
    width: TIMESTAMP_BYTES,
    print(i, out, at) {
      const value = Number(units[i]);
      if (!Number.isSafeInteger(value)) return -1;
      const seconds = Math.floor(value / perSecond);
      return writeTimestamp(seconds, value - seconds * perSecond, digits, out, at);
    },
    values: { kind: "times", values: units, digits },
  };
}

function decimals({ type, values }: Data): CellPrinter | undefined {
  const { bitWidth, scale } = type as Decimal;
  if (scale < 0 || scale > WIDEST_SCALE) return undefined;
  return wordNumbers(values as Uint32Array, bitWidth / 32, scale);
}

function integers({ type, values }: Data): CellPrinter | undefined {
  const { isSigned } = type as unknown as { isSigned: boolean };
  if (!isSigned) return undefined;
  if (values instanceof Int32Array) return wordNumbers(values, 1, 0);
  if (!(values instanceof BigInt64Array)) return undefined;
  return wordNumbers(new Int32Array(values.buffer, values.byteOffset, values.length * 2), 2, 0);
}

/** Numbers of `count` times 32 bits each, little-endian two's complement. */
function wordNumbers(values: Int32Array | Uint32Array, count: number, scale: number): CellPrinter {
  return {
    kind: scale === 0 ? "whole" : "point",
    width: decimalWidth(count, scale),
    print: (i, out, at) => writeDecimal(values, i * count, count, scale, out, at),
    values: { kind: "words", values, count, scale },
  };
}

/** The rows of a small table as {@link cellTexts}. */
export function tableTexts(table: Table): (string | null)[][] {
  return table.batches.flatMap((batch) => [...cellTexts(batch)]);
}

/** The rows of a batch as exact strings, null as null, formatted as by `cellBatch`. */
export function* cellTexts(batch: RecordBatch): Generator<(string | null)[]> {
  const columns = batch.data.children.map(cellColumn);
  for (let i = 0; i < batch.numRows; i++)
    yield columns.map(({ valid, text }) => (valid?.(i) === false ? null : text(i)));
}
