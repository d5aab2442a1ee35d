import { type ColumnSpec, parseType, SPEC_TYPES } from "../../spec/columns.js";
import { type DataType, type Dictionary, Field, Schema, Type } from "./arrow.js";
import { withKey } from "./key.js";
import type { ReadOptions } from "./read-options.js";
import { columnTypeOf, kindOfArrow, serviceTypeOfArrow } from "./types.js";

/** Key of the field metadata that carries the service's own type name. */
export const TYPE_KEY = "arrowbook.type";

/** One Arrow field: the column's name, its Arrow type, nullable, the service type in the metadata. */
export function fieldOf(column: ColumnSpec, options: Pick<ReadOptions, "decimals" | "text"> = {}): Field {
  const type = parseType(column.type);
  return new Field(column.name, columnTypeOf(type).arrow(type, options), true, new Map([[TYPE_KEY, column.type]]));
}

/**
 * The Arrow schema of columns as the service declares them (spec 2.6); the service type rides in the metadata of each
 * field under `arrowbook.type`, the key in that of the schema ({@link withKey}). An unknown type is text (its reader
 * warns once).
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

/**
 * The service's column list of a schema: from the metadata, or for a foreign schema the nearest service type of each
 * Arrow type.
 */
export function columnsOf(schema: Schema): ColumnSpec[] {
  return schema.fields.map((field) => ({ name: field.name, type: serviceTypeOf(field) }));
}

/** Service type name of one field. */
function serviceTypeOf(field: Field): string {
  const noted = field.metadata.get(TYPE_KEY);
  return noted ?? serviceTypeOfArrow(field.type);
}

/** How messages name the type of a column: as the service does, or as Arrow where the service has no such type. */
export function typeName(type: DataType, metadata?: ReadonlyMap<string, string>): string {
  const noted = metadata?.get(TYPE_KEY);
  if (noted !== undefined) return noted;
  if (type.typeId === Type.Dictionary) return typeName((type as Dictionary).dictionary);
  const near = serviceTypeOfArrow(type);
  return near === SPEC_TYPES.unknown.title && kindOfArrow(type) !== "text" ? String(type) : near;
}

/** {@link typeName} of types that differ; their Arrow names where the service has one name for several. */
export function typeNames(types: readonly DataType[]): string[] {
  const names = types.map((type) => typeName(type));
  return new Set(names).size === new Set(types.map(String)).size ? names : types.map(String);
}
