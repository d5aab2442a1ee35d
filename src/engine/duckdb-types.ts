import type { DuckDBType } from "@duckdb/node-api";
import {
  Bool,
  type DataType,
  DateDay,
  Decimal,
  Dictionary,
  Field,
  Float64,
  Int32,
  Int64,
  TimestampMicrosecond,
  TimestampMillisecond,
  TimestampNanosecond,
  TimestampSecond,
  TimeUnit,
  Type,
  Utf8,
} from "../columns/arrow/arrow.js";
import { TYPE_KEY } from "../columns/arrow/schema.js";
import { InputError } from "../errors/errors.js";

/** The engine's decimals end here; wider ones live in it as text. */
export const ENGINE_PRECISION = 38;

/** The Arrow library keeps half floats as their bits. */
const HALF_FLOAT = 0;

/** The SQL type that holds an Arrow column; throws `UnsupportedType` for one it has no place for (nested types and the like). */
export function sqlType(field: Field): string {
  const type = field.type as DataType;
  switch (type.typeId) {
    case Type.Dictionary:
      return sqlType(new Field(field.name, (type as Dictionary).dictionary));
    case Type.Utf8:
    case Type.LargeUtf8:
    case Type.Null:
      return "VARCHAR";
    case Type.Bool:
      return "BOOLEAN";
    case Type.Float:
      if ((type as DataType & { precision: number }).precision !== HALF_FLOAT) return "DOUBLE";
      break;
    case Type.Int:
      return integerType(type as DataType & { isSigned: boolean; bitWidth: number });
    case Type.Date:
      return "DATE";
    case Type.Timestamp:
      return timestampType(type as DataType & { unit: TimeUnit; timezone?: string | null });
    case Type.Decimal: {
      const { precision, scale } = type as Decimal;
      return precision > ENGINE_PRECISION ? "VARCHAR" : `DECIMAL(${precision},${scale})`;
    }
  }
  throw new InputError(`Column ${JSON.stringify(field.name)} has type ${type}, which the engine cannot hold.`, {
    code: "UnsupportedType",
    column: field.name,
    hint: "Leave the column out with select(), or turn it into text first.",
  });
}

function integerType({ isSigned, bitWidth }: { isSigned: boolean; bitWidth: number }): string {
  const name = { 8: "TINYINT", 16: "SMALLINT", 32: "INTEGER", 64: "BIGINT" }[bitWidth] as string;
  return isSigned ? name : `U${name}`;
}

/** Milliseconds stay milliseconds, so that a column comes back in the unit it went in; the session's zone is UTC. */
function timestampType({ unit, timezone }: { unit: TimeUnit; timezone?: string | null }): string {
  if (unit === TimeUnit.SECOND) return "TIMESTAMP_S";
  if (unit === TimeUnit.MILLISECOND) return "TIMESTAMP_MS";
  if (unit === TimeUnit.NANOSECOND) return "TIMESTAMP_NS";
  return timezone ? "TIMESTAMPTZ" : "TIMESTAMP";
}

/** How a column of an answer comes out: the Arrow field, and the reader in `duckdb-read` that fills it. */
export interface OutColumn {
  readonly field: Field;
  readonly read: "copy" | "narrow" | "wide" | "bool" | "text" | "enum" | "other";
}

const INTEGERS = new Set(["TINYINT", "SMALLINT", "INTEGER", "UTINYINT", "USMALLINT", "UINTEGER"]);

/** The Arrow field of an answer's column. Types without an Arrow column of their own come out as their text. */
export function outColumn(name: string, type: DuckDBType, serviceType?: string): OutColumn {
  const metadata = serviceType === undefined ? undefined : new Map([[TYPE_KEY, serviceType]]);
  const out = (read: OutColumn["read"], arrow: DataType): OutColumn => ({
    field: new Field(name, arrow, true, metadata),
    read,
  });
  const word = type.toString();
  if (INTEGERS.has(word)) return out("narrow", new Int64());
  switch (word) {
    case "BIGINT":
      return out("copy", new Int64());
    case "UBIGINT":
      return out("wide", new Decimal(0, 20, 128));
    case "HUGEINT":
      return out("copy", new Decimal(0, ENGINE_PRECISION, 128));
    case "DOUBLE":
      return out("copy", new Float64());
    case "FLOAT":
      return out("narrow", new Float64());
    case "DATE":
      return out("copy", new DateDay());
    case "BOOLEAN":
      return out("bool", new Bool());
    case "TIMESTAMP_S":
      return out("copy", new TimestampSecond("UTC"));
    case "TIMESTAMP_MS":
      return out("copy", new TimestampMillisecond("UTC"));
    case "TIMESTAMP_NS":
      return out("copy", new TimestampNanosecond("UTC"));
    case "TIMESTAMP":
    case "TIMESTAMP WITH TIME ZONE":
      return out("copy", new TimestampMicrosecond("UTC"));
    case "VARCHAR":
      return out("text", new Utf8());
  }
  if (word.startsWith("DECIMAL")) {
    const { width, scale } = type as unknown as { width: number; scale: number };
    return out(width > 18 ? "copy" : "wide", new Decimal(scale, width, 128));
  }
  if (word.startsWith("ENUM")) return out("enum", new Dictionary(new Utf8(), new Int32()));
  return out("other", new Utf8());
}
