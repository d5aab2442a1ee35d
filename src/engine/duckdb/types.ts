import type { DuckDBType } from "@duckdb/node-api";
import {
  Bool,
  type Data,
  type DataType,
  DateDay,
  Decimal,
  Dictionary,
  Field,
  Float64,
  Int32,
  Int64,
  type RecordBatch,
  type Schema,
  TimestampMicrosecond,
  TimestampMillisecond,
  TimestampNanosecond,
  TimestampSecond,
  TimeUnit,
  Type,
  Utf8,
} from "../../columns/arrow/arrow.js";
import { TYPE_KEY } from "../../columns/arrow/schema.js";
import { kindOfArrow } from "../../columns/arrow/types.js";
import { InputError } from "../../errors/errors.js";
import { type ServiceType, type TypeKind, unitDigits } from "../../spec/columns.js";
import { DECIMAL128_DIGITS } from "../../value/decimal.js";
import {
  boolReader,
  type ColumnReader,
  copyReader,
  enumReader,
  narrowReader,
  type OutColumn,
  otherReader,
  textReader,
  timeReader,
  wideReader,
} from "./read.js";
import {
  boolWriter,
  type CellWriter,
  copyWriter,
  dateWriter,
  decimalWriter,
  dictionaryWriter,
  floatWriter,
  nullWriter,
  textWriter,
  withoutDictionary,
} from "./write.js";

/** The most digits of the engine's decimals; wider ones are stored as text. */
const ENGINE_PRECISION = DECIMAL128_DIGITS;

export interface EngineType {
  /** The SQL type as which an Arrow column is loaded; undefined if the engine has none. */
  readonly loaded: (type: DataType) => string | undefined;
  readonly writer: (data: Data) => CellWriter;
  /**
   * The SQL type of a column that is declared with a service type, and whether it can represent every value of another
   * SQL type exactly.
   */
  readonly declared: (type: ServiceType) => string;
  readonly takes: (found: string, type: ServiceType) => boolean;
}

const WHOLE = /^U?(TINYINT|SMALLINT|INTEGER|BIGINT)$/;
const DECIMAL = /^DECIMAL\((\d+),(\d+)\)$/;
const isText = (found: string): boolean => found === "VARCHAR" || found.startsWith("ENUM");

/** The Arrow library represents half floats by their bits. */
const HALF_FLOAT = 0;

const text: EngineType = {
  loaded: (type) => (type.typeId === Type.Dictionary ? storedType((type as Dictionary).dictionary) : "VARCHAR"),
  writer: (data) => {
    if (data.type.typeId !== Type.Dictionary) return textWriter(data);
    const { dictionary } = data.type as Dictionary;
    if (kindOfArrow(dictionary) === "text") return dictionaryWriter(data as Data<Dictionary>);
    return columnWriter(withoutDictionary(data as Data<Dictionary>));
  },
  declared: () => "VARCHAR",
  takes: isText,
};

const TYPES: Readonly<Record<TypeKind, EngineType>> = {
  text,
  date: {
    loaded: () => "DATE",
    writer: dateWriter,
    declared: () => "DATE",
    takes: (found) => found === "DATE",
  },
  datetime: {
    loaded: timestampType,
    writer: copyWriter,
    declared: ({ scale }) => ({ 3: "TIMESTAMP_MS", 6: "TIMESTAMP", 9: "TIMESTAMP_NS" })[unitDigits(scale)],
    takes: (found) => found.startsWith("TIMESTAMP"),
  },
  decimal: {
    loaded: (type) => {
      const { precision, scale } = type as Decimal;
      if (scale < 0 || scale > precision) return undefined;
      return precision > ENGINE_PRECISION ? "VARCHAR" : `DECIMAL(${precision},${scale})`;
    },
    writer: (data) => decimalWriter(data as Data<Decimal>),
    declared: ({ precision = 0, scale = 0 }) =>
      precision > ENGINE_PRECISION ? "VARCHAR" : `DECIMAL(${precision},${scale})`,
    takes: (found, { precision = 0, scale = 0 }) => {
      if (precision > ENGINE_PRECISION) return isText(found);
      const [, digits, fraction] = DECIMAL.exec(found) ?? [];
      return (
        digits !== undefined && Number(fraction) <= scale && Number(digits) - Number(fraction) <= precision - scale
      );
    },
  },
  integer: {
    loaded: integerType,
    writer: copyWriter,
    declared: () => "BIGINT",
    takes: (found) => WHOLE.test(found) && found !== "UBIGINT",
  },
  double: {
    loaded: (type) => ((type as unknown as { precision: number }).precision === HALF_FLOAT ? undefined : "DOUBLE"),
    writer: floatWriter,
    declared: () => "DOUBLE",
    takes: (found) => found === "DOUBLE" || found === "FLOAT" || WHOLE.test(found) || DECIMAL.test(found),
  },
  boolean: {
    loaded: () => "BOOLEAN",
    writer: boolWriter,
    declared: () => "BOOLEAN",
    takes: (found) => found === "BOOLEAN",
  },
  // Of Arrow types without a column type, the engine can only store nulls.
  unknown: {
    ...text,
    loaded: (type) => (type.typeId === Type.Null ? "VARCHAR" : undefined),
    writer: nullWriter,
  },
};

/** The SQL type as which a value is compared with a declared column: integers also with those of 19 digits. */
export function comparedType(type: ServiceType): string {
  return type.kind === "integer" ? "DECIMAL(19,0)" : engineType(type).declared(type);
}

export function engineType({ kind }: ServiceType): EngineType {
  return TYPES[kind];
}

/** The SQL type that holds an Arrow type; undefined if there is none. */
export function storedType(type: DataType): string | undefined {
  return TYPES[kindOfArrow(type)].loaded(type);
}

/**
 * The SQL type that holds an Arrow column.
 *
 * @throws {InputError} UnsupportedType if there is none, such as for nested types
 */
export function sqlType(field: Field): string {
  const sql = storedType(field.type);
  if (sql !== undefined) return sql;
  throw new InputError(`Column ${JSON.stringify(field.name)} has type ${field.type}, which the engine cannot store.`, {
    code: "UnsupportedType",
    column: field.name,
    hint: "Drop the column with select(), or convert it to text first.",
  });
}

/** The service types of columns that the engine stores as text. */
export function wideColumns(schema: Schema): Map<string, string> {
  const wide = new Map<string, string>();
  for (const field of schema.fields) {
    const { precision, scale } = field.type as { precision?: unknown; scale?: number };
    if (typeof precision === "number" && scale !== undefined && precision > ENGINE_PRECISION) {
      wide.set(field.name, field.metadata.get(TYPE_KEY) ?? `BigDecimal(${precision},${scale})`);
    }
  }
  return wide;
}

export function cellWriters(batch: RecordBatch): CellWriter[] {
  return batch.data.children.map(columnWriter);
}

export function columnWriter(data: Data): CellWriter {
  return TYPES[kindOfArrow(data.type)].writer(data);
}

function integerType(type: DataType): string {
  const { isSigned, bitWidth } = type as unknown as { isSigned: boolean; bitWidth: number };
  const name = { 8: "TINYINT", 16: "SMALLINT", 32: "INTEGER", 64: "BIGINT" }[bitWidth] as string;
  return isSigned ? name : `U${name}`;
}

/** Keeps the unit of the column, so that it reads back in the same unit; the session's time zone is UTC. */
function timestampType(type: DataType): string {
  const { unit, timezone } = type as unknown as { unit: TimeUnit; timezone?: string | null };
  if (unit === TimeUnit.SECOND) return "TIMESTAMP_S";
  if (unit === TimeUnit.MILLISECOND) return "TIMESTAMP_MS";
  if (unit === TimeUnit.NANOSECOND) return "TIMESTAMP_NS";
  return timezone ? "TIMESTAMPTZ" : "TIMESTAMP";
}

const INT64 = new Int64();
const UTC_MICROSECONDS = new TimestampMicrosecond("UTC");

/** By the type of a result column: its Arrow type, and its reader. */
const RESULTS: Readonly<Record<string, readonly [DataType, ColumnReader]>> = {
  TINYINT: [INT64, narrowReader],
  SMALLINT: [INT64, narrowReader],
  INTEGER: [INT64, narrowReader],
  UTINYINT: [INT64, narrowReader],
  USMALLINT: [INT64, narrowReader],
  UINTEGER: [INT64, narrowReader],
  BIGINT: [INT64, copyReader],
  UBIGINT: [new Decimal(0, 20, 128), wideReader],
  HUGEINT: [new Decimal(0, ENGINE_PRECISION, 128), copyReader],
  DOUBLE: [new Float64(), copyReader],
  FLOAT: [new Float64(), narrowReader],
  DATE: [new DateDay(), timeReader],
  BOOLEAN: [new Bool(), boolReader],
  TIMESTAMP_S: [new TimestampSecond("UTC"), timeReader],
  TIMESTAMP_MS: [new TimestampMillisecond("UTC"), timeReader],
  TIMESTAMP_NS: [new TimestampNanosecond("UTC"), timeReader],
  TIMESTAMP: [UTC_MICROSECONDS, timeReader],
  "TIMESTAMP WITH TIME ZONE": [UTC_MICROSECONDS, timeReader],
  VARCHAR: [new Utf8(), textReader],
};

/** The Arrow column of a result column. Types without an Arrow column type are converted to text. */
export function outColumn(name: string, type: DuckDBType, serviceType?: string): OutColumn {
  const [arrow, read] = resultType(type);
  const metadata = serviceType === undefined ? undefined : new Map([[TYPE_KEY, serviceType]]);
  return { field: new Field(name, arrow, true, metadata), type, read };
}

/** Whether results have an Arrow type of plain values for this type of the engine. */
export const isPlainResult = (name: string): boolean => DECIMAL.test(name) || Object.hasOwn(RESULTS, name);

function resultType(type: DuckDBType): readonly [DataType, ColumnReader] {
  const name = type.toString();
  if (DECIMAL.test(name)) {
    const { width, scale } = type as unknown as { width: number; scale: number };
    return [new Decimal(scale, width, 128), width > 18 ? copyReader : wideReader];
  }
  // One type a column: the number of a dictionary is that of its type.
  if (/^ENUM\(.*\)$/s.test(name)) return [new Dictionary(new Utf8(), new Int32()), enumReader];
  return Object.hasOwn(RESULTS, name) ? RESULTS[name] : [new Utf8(), otherReader];
}
