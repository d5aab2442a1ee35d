import { type ColumnSpec, parseType, type ServiceType } from "../../spec/columns.js";
import {
  Bool,
  type DataType,
  DateDay,
  Decimal,
  Dictionary,
  Field,
  Float64,
  type Int,
  Int32,
  Int64,
  Schema,
  TimestampMillisecond,
  Type,
  Utf8,
} from "./arrow.js";
import { withKey } from "./key.js";
import type { ReadOptions } from "./read-options.js";

/** Key of the field metadata that carries the service's own type name. */
export const TYPE_KEY = "arrowbook.type";

/** Most digits of a Decimal128. */
export const DECIMAL128_DIGITS = 38;

/**
 * The Arrow type of a service type: the one table (docs/types.md).
 * Text is a dictionary here; a reader may turn a column whose values mostly differ into Utf8 (`ReadOptions.text`).
 */
function arrowType(type: ServiceType, options: Pick<ReadOptions, "decimals" | "text"> = {}): DataType {
  switch (type.kind) {
    case "text":
      return options.text === "utf8" ? new Utf8() : new Dictionary(new Utf8(), new Int32());
    case "date":
      return new DateDay();
    case "datetime":
      return new TimestampMillisecond("UTC");
    case "decimal": {
      if (options.decimals === "float64") return new Float64();
      const { precision = 0, scale = 0 } = type;
      return new Decimal(scale, precision, precision > DECIMAL128_DIGITS ? 256 : 128);
    }
    case "integer":
      return new Int64();
    case "double":
      return new Float64();
    case "boolean":
      return new Bool();
    case "unknown":
      return new Utf8();
  }
}

/** One Arrow field: the column's name, its Arrow type, nullable, the service type in the metadata. */
export function fieldOf(column: ColumnSpec, options?: Pick<ReadOptions, "decimals" | "text">): Field {
  const type = arrowType(parseType(column.type), options);
  return new Field(column.name, type, true, new Map([[TYPE_KEY, column.type]]));
}

/**
 * The Arrow schema of columns as the service declares them (spec 2.6); the service type rides in the metadata of each field
 * under `arrowbook.type`, the key in that of the schema ({@link withKey}). An unknown type is text (one warning from whoever reads cells into it).
 */
export function schemaOf(
  columns: readonly ColumnSpec[],
  options: Pick<ReadOptions, "decimals" | "text" | "key"> = {},
): Schema {
  const schema = new Schema(columns.map((column) => fieldOf(column, options)));
  return options.key === undefined ? schema : withKey(schema, options.key);
}

/** The same schema with other Arrow types where `types` has one (by column number); names and metadata stay. */
export function withTypes(schema: Schema, types: readonly (DataType | undefined)[]): Schema {
  const fields = schema.fields.map((field, i) => {
    const type = types[i];
    return type === undefined ? field : new Field(field.name, type, field.nullable, field.metadata);
  });
  return new Schema(fields, schema.metadata);
}

/** The service's column list of a schema: from the metadata, or for a foreign schema the nearest service type of each Arrow type. */
export function columnsOf(schema: Schema): ColumnSpec[] {
  return schema.fields.map((field) => ({ name: field.name, type: serviceTypeOf(field) }));
}

/** Service type name of one field. */
function serviceTypeOf(field: Field): string {
  const noted = field.metadata.get(TYPE_KEY);
  return noted ?? nearestServiceType(field.type);
}

/** How messages name the type of a column: as the service does, or as Arrow where the service has no such type. */
export function typeName(type: DataType, metadata?: ReadonlyMap<string, string>): string {
  const noted = metadata?.get(TYPE_KEY);
  if (noted !== undefined) return noted;
  if (type.typeId === Type.Dictionary) return typeName((type as Dictionary).dictionary);
  const near = nearestServiceType(type);
  const isText = type.typeId === Type.Utf8 || type.typeId === Type.LargeUtf8;
  return near === "String" && !isText ? String(type) : near;
}

/** {@link typeName} of types that differ; their Arrow names where the service has one name for several. */
export function typeNames(types: readonly DataType[]): string[] {
  const names = types.map((type) => typeName(type));
  return new Set(names).size === new Set(types.map(String)).size ? names : types.map(String);
}

/** The service type that holds what an Arrow type holds; `String` where there is none. */
function nearestServiceType(type: DataType): string {
  switch (type.typeId) {
    case Type.Decimal: {
      const { precision, scale } = type as Decimal;
      return scale >= 0 && scale <= precision ? `BigDecimal(${precision},${scale})` : "String";
    }
    case Type.Date:
      return "Date";
    case Type.Timestamp:
      return "DateTime";
    case Type.Int: {
      const { isSigned, bitWidth } = type as Int;
      return isSigned || bitWidth < 64 ? "Integer" : "BigDecimal(20,0)";
    }
    case Type.Float:
      return "double";
    case Type.Bool:
      return "Boolean";
    case Type.Dictionary:
      return nearestServiceType((type as Dictionary).dictionary);
    default:
      return "String";
  }
}
