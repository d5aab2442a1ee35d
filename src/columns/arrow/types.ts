import { type ServiceType, SPEC_TYPES, type TypeKind, unitDigits } from "../../spec/columns.js";
import { DECIMAL128_DIGITS } from "../../value/decimal.js";
import {
  Bool,
  type Data,
  type DataType,
  DateDay,
  Decimal,
  Dictionary,
  Float64,
  type Int,
  Int32,
  Int64,
  TimestampMicrosecond,
  TimestampMillisecond,
  TimestampNanosecond,
  Type,
  Utf8,
} from "./arrow.js";
import type { ReaderOf } from "./nested-cells.js";
import type { ReadOptions } from "./read-options.js";
import {
  booleans,
  dates,
  decimals,
  floats,
  integers,
  otherCells,
  strings,
  type TypedReader,
  timestamps,
} from "./typed-readers.js";

const TIMESTAMPS = { 3: TimestampMillisecond, 6: TimestampMicrosecond, 9: TimestampNanosecond };

/** How the values of a column are used: as numbers, as positions in time, or as names. */
export type Scale = "number" | "time" | "text";

/** What a column type is in Arrow, in JavaScript and in a chart. */
export interface ColumnType {
  /** The Arrow types that are read as this type, including those of foreign tables. */
  readonly ids: readonly Type[];
  /** The Arrow type of a column that this package creates. */
  readonly arrow: (type: ServiceType, options: Pick<ReadOptions, "decimals" | "text">) => DataType;
  /** The service type for a given Arrow type. */
  readonly serviceType: (type: DataType) => string;
  /** Creates the reader of a chunk; `readerOf` creates those of nested chunks. */
  readonly read: (data: Data, readerOf: ReaderOf) => TypedReader;
  readonly scale: Scale;
  /** The TypeScript type of a cell in `rows()` by default; any cell may be null. */
  readonly cell: string;
}

/**
 * Every column type in terms of Arrow (docs/types.md). Names and spelling at the service: spec/columns; reading cells
 * from bytes: columns/build/types; Parquet: columns/parquet/write/types; SQL: engine/duckdb/types.
 */
const TYPES: Readonly<Record<TypeKind, ColumnType>> = {
  // Initially a dictionary; a reader may switch a column whose values mostly differ to Utf8 (`ReadOptions.text`).
  text: {
    ids: [Type.Utf8, Type.LargeUtf8, Type.Dictionary],
    arrow: (_, { text }) => (text === "utf8" ? new Utf8() : new Dictionary(new Utf8(), new Int32())),
    serviceType: (type) =>
      type.typeId === Type.Dictionary ? serviceTypeOfArrow((type as Dictionary).dictionary) : SPEC_TYPES.text.title,
    read: strings,
    scale: "text",
    cell: "string",
  },
  date: {
    ids: [Type.Date],
    arrow: () => new DateDay(),
    serviceType: () => SPEC_TYPES.date.title,
    read: dates,
    scale: "time",
    cell: "string",
  },
  datetime: {
    ids: [Type.Timestamp],
    arrow: ({ scale }) => new TIMESTAMPS[unitDigits(scale)]("UTC"),
    serviceType: () => SPEC_TYPES.datetime.title,
    read: timestamps,
    scale: "time",
    cell: "string",
  },
  decimal: {
    ids: [Type.Decimal],
    arrow: ({ precision = 0, scale = 0 }, options) =>
      options.decimals === "float64"
        ? new Float64()
        : new Decimal(scale, precision, precision > DECIMAL128_DIGITS ? 256 : 128),
    serviceType: (type) => {
      const { precision, scale } = type as Decimal;
      return scale >= 0 && scale <= precision ? `BigDecimal(${precision},${scale})` : SPEC_TYPES.unknown.title;
    },
    read: decimals,
    scale: "number",
    cell: "number",
  },
  integer: {
    ids: [Type.Int],
    arrow: () => new Int64(),
    serviceType: (type) => {
      const { isSigned, bitWidth } = type as Int;
      return isSigned || bitWidth < 64 ? SPEC_TYPES.integer.title : "BigDecimal(20,0)";
    },
    read: integers,
    scale: "number",
    cell: "number | bigint",
  },
  double: {
    ids: [Type.Float],
    arrow: () => new Float64(),
    serviceType: () => SPEC_TYPES.double.title,
    read: floats,
    scale: "number",
    cell: "number",
  },
  boolean: {
    ids: [Type.Bool],
    arrow: () => new Bool(),
    serviceType: () => SPEC_TYPES.boolean.title,
    read: booleans,
    scale: "text",
    cell: "boolean",
  },
  // Service types that are not listed, and Arrow types without a column type.
  unknown: {
    ids: [],
    arrow: () => new Utf8(),
    serviceType: () => SPEC_TYPES.unknown.title,
    read: otherCells,
    scale: "text",
    cell: "string",
  },
};

const KINDS: ReadonlyMap<Type, TypeKind> = new Map(
  Object.entries(TYPES).flatMap(([kind, { ids }]) => ids.map((id) => [id, kind as TypeKind] as const)),
);

/** The column type of an Arrow type, also in foreign tables. A dictionary is text, whatever its values are. */
export function kindOfArrow(type: DataType): TypeKind {
  return KINDS.get(type.typeId) ?? "unknown";
}

/** The descriptor of an Arrow type. */
export function columnType(type: DataType): ColumnType {
  return TYPES[kindOfArrow(type)];
}

export function columnTypeOf({ kind }: Pick<ServiceType, "kind">): ColumnType {
  return TYPES[kind];
}

/** The service type of an Arrow type; `String` if it has none. */
export function serviceTypeOfArrow(type: DataType): string {
  return columnType(type).serviceType(type);
}
