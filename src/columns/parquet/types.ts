import type { SchemaElement } from "hyparquet";
import type { TypeKind } from "../../spec/columns.js";
import { FIRST_DAY, formatDate, LAST_DAY } from "../../value/date.js";
import { DECIMAL128_DIGITS, unscaledText } from "../../value/decimal.js";
import { formatInstant } from "../../value/instant.js";
import { formatNumber } from "../../value/number.js";
import { type DataType, DateUnit, type Decimal, type Int, TimeUnit } from "../arrow/arrow.js";
import type { ColumnBuilder } from "../build/builder.js";
import { bigEndian } from "./big-endian.js";

type Physical = NonNullable<SchemaElement["type"]>;

/** How Parquet declares the values of a column that this package writes: physical type and annotation. */
export type Element = Omit<SchemaElement, "name" | "type"> & { readonly type: Exclude<Physical, "INT96" | "FLOAT"> };

/** How a column is declared; with a reason where Parquet cannot hold its type, so that it is text. */
interface Declared {
  readonly element: Element;
  readonly whyText?: string;
}

/** What a column type is in Parquet. */
export interface ParquetType {
  /** How a column of an Arrow type is written. */
  readonly declare: (type: DataType) => Declared;
  /**
   * The annotations (logical or converted type) and, without one that is listed, the physical types of leaves that hold
   * it.
   */
  readonly annotations: readonly string[];
  readonly physical: readonly Physical[];
  /** The service type of a leaf. */
  readonly serviceType: (leaf: SchemaElement) => string;
  /** How a value of a leaf is spelt so that the column type reads it. */
  readonly text: (leaf: SchemaElement) => (value: unknown) => string;
  /** Whether values of a leaf go into the buffers of a column of the same type as they are. */
  readonly isDirect: (leaf: SchemaElement, column: ColumnBuilder) => boolean;
  /**
   * Least and greatest whole number a column takes as it is; values outside are read from their text, which makes the
   * error.
   */
  readonly range?: (column: ColumnBuilder) => readonly [least: number, most: number];
}

/** Most digits a 64-bit decimal of Parquet holds. */
const INT64_DIGITS = 18;
const MS_PER_DAY = 86_400_000;
/** The converted type of unsigned integers of 64 bits. */
const UNSIGNED = "UINT_64";

const TEXT: Declared = { element: { type: "BYTE_ARRAY", converted_type: "UTF8" } };

const text: ParquetType = {
  declare: () => TEXT,
  annotations: [],
  physical: ["BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"],
  serviceType: () => "String",
  text: () => (value) => (value instanceof Uint8Array ? uuidText(value) : String(value)),
  isDirect: (leaf) => leaf.type === "BYTE_ARRAY",
};

/** Every column type in Parquet: what is written, and what is read. */
const TYPES: Readonly<Record<TypeKind, ParquetType>> = {
  text,
  date: {
    declare: (type) =>
      (type as unknown as { unit: DateUnit }).unit === DateUnit.DAY
        ? { element: { type: "INT32", converted_type: "DATE" } }
        : TEXT,
    annotations: ["DATE"],
    physical: [],
    serviceType: () => "Date",
    text: () => (value) => formatDate(Number(value)),
    isDirect: () => true,
    range: () => [FIRST_DAY, LAST_DAY],
  },
  datetime: {
    declare: (type) => {
      const { unit, timezone } = type as unknown as { unit: TimeUnit; timezone?: string };
      if (unit !== TimeUnit.MILLISECOND) return TEXT;
      const logical_type = { type: "TIMESTAMP", isAdjustedToUTC: Boolean(timezone), unit: "MILLIS" } as const;
      return { element: { type: "INT64", converted_type: "TIMESTAMP_MILLIS", logical_type } };
    },
    annotations: ["TIMESTAMP", "TIMESTAMP_MILLIS", "TIMESTAMP_MICROS"],
    physical: ["INT96"],
    serviceType: () => "DateTime",
    text: (leaf) => {
      const perMs = unitsPerMs(leaf);
      return (value) => instantText(BigInt(value as bigint), perMs);
    },
    isDirect: (leaf) => leaf.type === "INT64" && unitsPerMs(leaf) === 1n,
    range: () => [FIRST_DAY * MS_PER_DAY, (LAST_DAY + 1) * MS_PER_DAY - 1],
  },
  decimal: {
    declare: (type) => {
      const whyText = whyNoDecimal(type as Decimal);
      if (whyText !== undefined) return { ...TEXT, whyText };
      const { precision, scale } = type as Decimal;
      const decimal = { converted_type: "DECIMAL", precision, scale } as const;
      if (precision <= INT64_DIGITS) return { element: { type: "INT64", ...decimal } };
      return { element: { type: "FIXED_LEN_BYTE_ARRAY", type_length: bytesFor(precision), ...decimal } };
    },
    annotations: ["DECIMAL", UNSIGNED],
    physical: [],
    serviceType: (leaf) =>
      isDecimal(leaf) ? `BigDecimal(${decimalOf(leaf).precision},${decimalOf(leaf).scale})` : "BigDecimal(20,0)",
    text: (leaf) => {
      if (!isDecimal(leaf)) return String;
      const { scale } = decimalOf(leaf);
      return (value) => unscaledText(value instanceof Uint8Array ? bigEndian(value).toString() : String(value), scale);
    },
    isDirect: (leaf, { buffer, scale }) => buffer === "words" && isDecimal(leaf) && decimalOf(leaf).scale === scale,
    range: ({ precision }) => nearly(10 ** precision),
  },
  integer: {
    declare: (type) => {
      const { isSigned, bitWidth } = type as Int;
      return { element: isSigned || bitWidth < 64 ? { type: "INT64" } : { type: "INT64", converted_type: UNSIGNED } };
    },
    annotations: [],
    physical: ["INT32", "INT64"],
    serviceType: () => "Integer",
    text: () => String,
    isDirect: () => true,
    range: () => nearly(2 ** 63),
  },
  double: {
    declare: () => ({ element: { type: "DOUBLE" } }),
    annotations: ["FLOAT16"],
    physical: ["DOUBLE", "FLOAT"],
    serviceType: () => "double",
    text: () => (value) => formatNumber(Number(value)),
    isDirect: () => true,
  },
  boolean: {
    declare: () => ({ element: { type: "BOOLEAN" } }),
    annotations: [],
    physical: ["BOOLEAN"],
    serviceType: () => "Boolean",
    text: () => String,
    isDirect: () => true,
  },
  unknown: { ...text, physical: [] },
};

/** How a column of an Arrow type of this kind is in Parquet. */
export function parquetType(kind: TypeKind): ParquetType {
  return TYPES[kind];
}

const KINDS = Object.keys(TYPES) as readonly TypeKind[];

/** The column type of a leaf of a file. */
export function kindOfLeaf(leaf: SchemaElement): TypeKind {
  const { type, converted_type: converted, logical_type: logical } = leaf;
  const isUnsigned = logical?.type === "INTEGER" && logical.bitWidth === 64 && !logical.isSigned;
  for (const annotation of [logical?.type, converted, isUnsigned ? UNSIGNED : undefined]) {
    const kind = annotation && KINDS.find((one) => TYPES[one].annotations.includes(annotation));
    if (kind) return kind;
  }
  return KINDS.find((kind) => type !== undefined && TYPES[kind].physical.includes(type)) ?? "text";
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

/** Numbers whose double is certainly nearer to zero than `limit`. */
function nearly(limit: number): readonly [number, number] {
  const most = limit * (1 - 2 ** -49);
  return [-most, most];
}

export function isDecimal(leaf: SchemaElement): boolean {
  return leaf.converted_type === "DECIMAL" || leaf.logical_type?.type === "DECIMAL";
}

function decimalOf(leaf: SchemaElement): { precision: number; scale: number } {
  const logical = leaf.logical_type as { precision?: number; scale?: number } | undefined;
  return { precision: leaf.precision ?? logical?.precision ?? 38, scale: leaf.scale ?? logical?.scale ?? 0 };
}

function unitsPerMs(leaf: SchemaElement): bigint {
  const unit = (leaf.logical_type as { unit?: string } | undefined)?.unit;
  if (leaf.type === "INT96" || unit === "NANOS") return 1_000_000n;
  return unit === "MICROS" || leaf.converted_type === "TIMESTAMP_MICROS" ? 1_000n : 1n;
}

/** A timestamp with every digit of its unit. */
function instantText(value: bigint, perMs: bigint): string {
  const rest = ((value % perMs) + perMs) % perMs;
  const whole = formatInstant(Number((value - rest) / perMs));
  if (rest === 0n) return whole;
  const withPoint = whole.includes(".") ? whole.slice(0, -1) : `${whole.slice(0, -1)}.000`;
  return `${withPoint}${rest.toString().padStart(perMs.toString().length - 1, "0")}Z`;
}

function uuidText(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
