import { type Field, Schema } from "./arrow.js";

/** Key of the schema metadata that carries the names of a table's key columns, as a JSON list. */
export const KEY = "arrowbook.key";

/**
 * The names of the columns whose values together identify a row, in order; none where the metadata names no key, or
 * names columns that the schema does not have exactly once (other programs drop and rename columns and keep the
 * metadata).
 */
export function keyOf(schema: Schema): readonly string[] {
  const noted = schema.metadata.get(KEY);
  const names = noted === undefined ? [] : parsedKey(noted);
  return isKey(names, schema.fields) ? names : [];
}

/** The names in the text of a metadata entry; none where it is not a JSON list of strings. */
export function parsedKey(text: string): readonly string[] {
  try {
    const names: unknown = JSON.parse(text);
    return Array.isArray(names) && names.every((name) => typeof name === "string") ? names : [];
  } catch {
    return [];
  }
}

/** The same schema with this key; without one where `key` is empty or not made of its columns. */
export function withKey(schema: Schema, key: readonly string[]): Schema {
  const kept = isKey(key, schema.fields) ? key : [];
  if (kept.length === 0 && !schema.metadata.has(KEY)) return schema;
  const metadata = new Map(schema.metadata);
  if (kept.length === 0) metadata.delete(KEY);
  else metadata.set(KEY, JSON.stringify(kept));
  return new Schema(schema.fields as Field[], metadata);
}

/**
 * A schema of other fields with the metadata of `from`; with its key unless a key column is gone or its position is in
 * `overwritten`.
 */
export function schemaLike(from: Schema, fields: readonly Field[], overwritten: Iterable<number> = []): Schema {
  const schema = new Schema([...fields], from.metadata);
  if (!from.metadata.has(KEY)) return schema;
  const key = keyOf(from);
  const isOverwritten = [...overwritten].some((at) => key.includes(from.fields[at]?.name));
  return withKey(schema, isOverwritten ? [] : key);
}

const isKey = (names: readonly string[], fields: readonly Field[]): boolean =>
  new Set(names).size === names.length &&
  names.every((name) => fields.filter((field) => field.name === name).length === 1);
