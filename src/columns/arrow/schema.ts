import { type ColumnSpec, parseType, SPEC_TYPES, unitDigits } from "../../spec/columns.js";
import { DECIMAL128_DIGITS } from "../../value/decimal.js";
import { type DataType, type Dictionary, Field, Schema, Type } from "./arrow.js";
import { secondDigits } from "./instants.js";
import { withKey } from "./key.js";
import type { ReadOptions } from "./read-options.js";
import { columnTypeOf, kindOfArrow, serviceTypeOfArrow } from "./types.js";

/** The field metadata key under which the service's type name is stored. */
export const TYPE_KEY = "arrowbook.type";

/** A nullable Arrow field whose metadata holds the service type. */
export function fieldOf(column: ColumnSpec, options: Pick<ReadOptions, "decimals" | "text"> = {}): Field {
  const type = parseType(column.type);
  return new Field(column.name, columnTypeOf(type).arrow(type, options), true, new Map([[TYPE_KEY, column.type]]));
}

/**
 * The Arrow schema of columns that the service declares (spec 2.6). The metadata of each field holds the service type
 * under `arrowbook.type`; that of the schema holds the key ({@link withKey}). Unknown types are read as text (the
 * reader warns once).
 */
export function schemaOf(
  columns: readonly ColumnSpec[],
  options: Pick<ReadOptions, "decimals" | "text" | "key"> = {},
): Schema {
  const schema = new Schema(columns.map((column) => fieldOf(column, options)));
  return options.key === undefined ? schema : withKey(schema, options.key);
}

/** The same schema with other Arrow types where `types` (indexed by column) has one; names and metadata are kept. */
export function withTypes(schema: Schema, types: readonly (DataType | undefined)[]): Schema {
  const fields = schema.fields.map((field, i) => {
    const type = types[i];
    return type === undefined ? field : new Field(field.name, type, field.nullable, field.metadata);
  });
  return new Schema(fields, schema.metadata);
}

/**
 * The service columns of a schema: from the metadata, or for foreign schemas the nearest service type of each Arrow
 * type.
 */
export function columnsOf(schema: Schema): ColumnSpec[] {
  return schema.fields.map((field) => ({ name: field.name, type: serviceTypeOf(field) }));
}

function serviceTypeOf({ type, metadata }: Field): string {
  return notedType(type, metadata) ?? serviceTypeOfArrow(type);
}

/**
 * The service type that the metadata of a field notes; undefined where its values are of another one: other programs
 * replace columns and keep the metadata.
 */
function notedType(type: DataType, metadata: ReadonlyMap<string, string> | undefined): string | undefined {
  const noted = metadata?.get(TYPE_KEY);
  if (noted === undefined) return undefined;
  const own = serviceTypeOfArrow(type);
  if (noted === own) return noted;
  const [declared, actual] = [parseType(noted), parseType(own)];
  switch (declared.kind) {
    case "unknown":
    case "text":
      return actual.kind === "text" ? noted : undefined;
    case "decimal":
      // Text where no other program takes that many digits.
      if (actual.kind === "text") return (declared.precision ?? 0) > DECIMAL128_DIGITS ? noted : undefined;
      if (actual.kind !== "decimal") return undefined;
      return declared.precision === actual.precision && declared.scale === actual.scale ? noted : undefined;
    case "datetime": {
      const isSame = declared.scale === undefined || unitDigits(declared.scale) === secondDigits(type);
      return actual.kind === "datetime" && isSame ? noted : undefined;
    }
    default:
      return declared.kind === actual.kind ? noted : undefined;
  }
}

/** The type of a column as messages name it: the service type, or the Arrow type if the service has none. */
export function typeName(type: DataType, metadata?: ReadonlyMap<string, string>): string {
  const noted = notedType(type, metadata);
  if (noted !== undefined) return noted;
  if (type.typeId === Type.Dictionary) return typeName((type as Dictionary).dictionary);
  const near = serviceTypeOfArrow(type);
  return near === SPEC_TYPES.unknown.title && kindOfArrow(type) !== "text" ? String(type) : near;
}

/** {@link typeName} of types that differ; their Arrow names if several have the same service name. */
export function typeNames(types: readonly DataType[]): string[] {
  const names = types.map((type) => typeName(type));
  return new Set(names).size === new Set(types.map(String)).size ? names : types.map(String);
}
