import type { TypeKind } from "../../../spec/columns.js";
import { DECIMAL128_DIGITS } from "../../../value/decimal.js";
import { type DataType, DateUnit, type Decimal, type Int, type Time, TimeUnit, Type } from "../../arrow/arrow.js";
import { kindOfArrow } from "../../arrow/types.js";
import { PHYSICAL_TYPES, type PhysicalType } from "../read/format/types.js";
import type { ThriftFields } from "./byte-writer.js";

/** The older annotations that are written, by their numbers in the format. */
const CONVERTED = {
  UTF8: 0,
  DECIMAL: 5,
  DATE: 6,
  TIME_MILLIS: 7,
  TIME_MICROS: 8,
  TIMESTAMP_MILLIS: 9,
  TIMESTAMP_MICROS: 10,
  UINT_64: 14,
} as const;

/** How Parquet declares the values of a column that this package writes: physical type and annotation. */
export interface Element {
  readonly type: Exclude<PhysicalType, "INT96" | "FLOAT">;
  /** Bytes of a value of FIXED_LEN_BYTE_ARRAY. */
  readonly width?: number;
  readonly converted?: keyof typeof CONVERTED;
  readonly precision?: number;
  readonly scale?: number;
  /** The logical type as Thrift has it. */
  readonly logical?: ThriftFields;
}

export const elementFields = (name: string, element: Element): ThriftFields => ({
  1: PHYSICAL_TYPES.indexOf(element.type),
  2: element.width,
  // Optional.
  3: 1,
  4: name,
  6: element.converted && CONVERTED[element.converted],
  7: element.scale,
  8: element.precision,
  10: element.logical,
});

/** How a column is declared; with a reason where Parquet cannot hold its type, so that it is text. */
interface Declared {
  readonly element: Element;
  readonly whyText?: string;
  /** By which values are multiplied: Parquet has no seconds. */
  readonly factor?: bigint;
}

/** Most digits a 64-bit decimal of Parquet holds. */
const INT64_DIGITS = 18;

const TEXT: Declared = { element: { type: "BYTE_ARRAY", converted: "UTF8" } };

/** Units of times by their numbers in the format, with the annotations of older readers, which have no nanoseconds. */
const UNITS = {
  [TimeUnit.SECOND]: { id: 1, time: "TIME_MILLIS", timestamp: "TIMESTAMP_MILLIS" },
  [TimeUnit.MILLISECOND]: { id: 1, time: "TIME_MILLIS", timestamp: "TIMESTAMP_MILLIS" },
  [TimeUnit.MICROSECOND]: { id: 2, time: "TIME_MICROS", timestamp: "TIMESTAMP_MICROS" },
  [TimeUnit.NANOSECOND]: { id: 3, time: undefined, timestamp: undefined },
} as const;

/** The logical types of times of a day and of timestamps by their numbers in the format. */
const LOGICAL = { time: 7, timestamp: 8 } as const;

/** Times of day or timestamps, of which Parquet stores whether they are in UTC. */
function declaredTime(kind: "time" | "timestamp", unit: TimeUnit, isUtc: boolean): Declared {
  const { id, [kind]: converted } = UNITS[unit];
  const type = kind === "time" && id === 1 ? "INT32" : "INT64";
  const logical = { [LOGICAL[kind]]: { 1: isUtc, 2: { [id]: {} } } };
  const element = { type, ...(converted && { converted }), logical } as const;
  return unit === TimeUnit.SECOND ? { element, factor: 1000n } : { element };
}

/** How columns of each type are declared. */
const DECLARE: Readonly<Record<TypeKind, (type: DataType) => Declared>> = {
  text: () => TEXT,
  date: (type) =>
    (type as unknown as { unit: DateUnit }).unit === DateUnit.DAY
      ? { element: { type: "INT32", converted: "DATE" } }
      : TEXT,
  datetime(type) {
    const { unit, timezone } = type as unknown as { unit: TimeUnit; timezone?: string };
    return declaredTime("timestamp", unit, Boolean(timezone));
  },
  decimal(type) {
    const whyText = whyNoDecimal(type as Decimal);
    if (whyText !== undefined) return { ...TEXT, whyText };
    const { precision, scale } = type as Decimal;
    const decimal = { converted: "DECIMAL", precision, scale } as const;
    if (precision <= INT64_DIGITS) return { element: { type: "INT64", ...decimal } };
    return { element: { type: "FIXED_LEN_BYTE_ARRAY", width: bytesFor(precision), ...decimal } };
  },
  integer(type) {
    const { isSigned, bitWidth } = type as Int;
    return { element: isSigned || bitWidth < 64 ? { type: "INT64" } : { type: "INT64", converted: "UINT_64" } };
  },
  double: () => ({ element: { type: "DOUBLE" } }),
  boolean: () => ({ element: { type: "BOOLEAN" } }),
  unknown: (type) => (type.typeId === Type.Time ? declaredTime("time", (type as Time).unit, false) : TEXT),
};

/** How a column of an Arrow type is declared. */
export function declared(type: DataType): Declared {
  return DECLARE[kindOfArrow(type)](type);
}

/** Why Parquet cannot hold a decimal type. */
function whyNoDecimal({ precision, scale }: Decimal): string | undefined {
  if (precision > DECIMAL128_DIGITS) return `has ${precision} digits; Parquet stops at ${DECIMAL128_DIGITS}`;
  if (precision < 1 || scale < 0 || scale > precision) {
    return `has ${precision} digits and a scale of ${scale}, which Parquet does not know`;
  }
  return undefined;
}

/** The fewest bytes that hold every decimal of this precision. */
function bytesFor(precision: number): number {
  return Math.ceil((precision * Math.log2(10) + 1) / 8);
}
