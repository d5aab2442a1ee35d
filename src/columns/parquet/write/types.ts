import type { SchemaElement } from "hyparquet-writer";
import type { TypeKind } from "../../../spec/columns.js";
import { DECIMAL128_DIGITS } from "../../../value/decimal.js";
import { type DataType, DateUnit, type Decimal, type Int, type Time, TimeUnit, Type } from "../../arrow/arrow.js";
import { kindOfArrow } from "../../arrow/types.js";

/** How Parquet declares the values of a column that this package writes: physical type and annotation. */
export type Element = Omit<SchemaElement, "name" | "type"> & {
  readonly type: Exclude<NonNullable<SchemaElement["type"]>, "INT96" | "FLOAT">;
};

/** How a column is declared; with a reason where Parquet cannot hold its type, so that it is text. */
interface Declared {
  readonly element: Element;
  readonly whyText?: string;
  /** By which values are multiplied: Parquet has no seconds. */
  readonly factor?: bigint;
}

/** Most digits a 64-bit decimal of Parquet holds. */
const INT64_DIGITS = 18;

const TEXT: Declared = { element: { type: "BYTE_ARRAY", converted_type: "UTF8" } };

const UNITS = {
  [TimeUnit.SECOND]: "MILLIS",
  [TimeUnit.MILLISECOND]: "MILLIS",
  [TimeUnit.MICROSECOND]: "MICROS",
  [TimeUnit.NANOSECOND]: "NANOS",
} as const;

/** The annotation of older readers, which have none for nanoseconds. */
const CONVERTED = {
  MILLIS: { converted_type: "TIMESTAMP_MILLIS" },
  MICROS: { converted_type: "TIMESTAMP_MICROS" },
  NANOS: {},
} as const;

const CONVERTED_TIMES = {
  MILLIS: { converted_type: "TIME_MILLIS" },
  MICROS: { converted_type: "TIME_MICROS" },
  NANOS: {},
} as const;

/** Times of day, of which Parquet stores whether they are in UTC. */
function timeOfDay({ unit: arrowUnit }: Time): Declared {
  const unit = UNITS[arrowUnit];
  const logical_type = { type: "TIME", isAdjustedToUTC: false, unit } as const;
  const element = { type: unit === "MILLIS" ? "INT32" : "INT64", ...CONVERTED_TIMES[unit], logical_type } as const;
  return arrowUnit === TimeUnit.SECOND ? { element, factor: 1000n } : { element };
}

/** How columns of each type are declared. */
const DECLARE: Readonly<Record<TypeKind, (type: DataType) => Declared>> = {
  text: () => TEXT,
  date: (type) =>
    (type as unknown as { unit: DateUnit }).unit === DateUnit.DAY
      ? { element: { type: "INT32", converted_type: "DATE" } }
      : TEXT,
  datetime(type) {
    const { unit, timezone } = type as unknown as { unit: TimeUnit; timezone?: string };
    const logical_type = { type: "TIMESTAMP", isAdjustedToUTC: Boolean(timezone), unit: UNITS[unit] } as const;
    const element = { type: "INT64", ...CONVERTED[logical_type.unit], logical_type } as const;
    return unit === TimeUnit.SECOND ? { element, factor: 1000n } : { element };
  },
  decimal(type) {
    const whyText = whyNoDecimal(type as Decimal);
    if (whyText !== undefined) return { ...TEXT, whyText };
    const { precision, scale } = type as Decimal;
    const decimal = { converted_type: "DECIMAL", precision, scale } as const;
    if (precision <= INT64_DIGITS) return { element: { type: "INT64", ...decimal } };
    return { element: { type: "FIXED_LEN_BYTE_ARRAY", type_length: bytesFor(precision), ...decimal } };
  },
  integer(type) {
    const { isSigned, bitWidth } = type as Int;
    return { element: isSigned || bitWidth < 64 ? { type: "INT64" } : { type: "INT64", converted_type: "UINT_64" } };
  },
  double: () => ({ element: { type: "DOUBLE" } }),
  boolean: () => ({ element: { type: "BOOLEAN" } }),
  unknown: (type) => (type.typeId === Type.Time ? timeOfDay(type as Time) : TEXT),
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

/** The fewest bytes that hold every decimal of so many digits. */
function bytesFor(precision: number): number {
  return Math.ceil((precision * Math.log2(10) + 1) / 8);
}
