import { type Field, Schema } from "./arrow.js";

/** The schema metadata key under which the names of a table's key columns are stored, as a JSON list. */
export const KEY = "arrowbook.key";

/**
 * The names of the columns whose values together identify a row, in order. Empty if the metadata names no key, or if
 * the schema does not have each named column exactly once: other programs drop and rename columns but keep the
 * metadata.
 */
export function keyOf(schema: Schema): readonly string[] {
  const noted = schema.metadata.get(KEY);
  const names = noted === undefined ? [] : parsedKey(noted);
  return isKey(names, schema.fields) ? names : [];
}

/** Parses the value of the metadata entry; empty unless it is a JSON list of strings. */
export function parsedKey(text: string): readonly string[] {
  try {
    const names: unknown = JSON.parse(text);
    return Array.isArray(names) && names.every((name) => typeof name === "string") ? names : [];
  } catch {
    return [];
  }
}

/** The same schema with this key; without a key if `key` is empty or names a column the schema does not have. */
export function withKey(schema: Schema, key: readonly string[]): Schema {
  const kept = isKey(key, schema.fields) ? key : [];
  if (kept.length === 0 && !schema.metadata.has(KEY)) return schema;
  const metadata = new Map(schema.metadata);
  if (kept.length === 0) metadata.delete(KEY);
  else metadata.set(KEY, JSON.stringify(kept));
  return new Schema(schema.fields as Field[], metadata);
}

/**
 * A schema of other fields with the metadata of `from`. The key is dropped if a key column is missing or its position
 * is in `overwritten`.
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
