import { type DataType, Dictionary, Field, Schema } from "../../arrow/arrow.js";
import { badArrow, columnName } from "./bad-arrow.js";
import type { FlatTable } from "./flat-table.js";
import { indexType, type TypeSource, typeOf } from "./type.js";

/** The schema that a stream or file declares. */
export interface DeclaredSchema {
  readonly schema: Schema;
  /** The value type of each dictionary, by its id. */
  readonly dictionaries: ReadonlyMap<number, DataType>;
  /** Whether the bodies are big-endian. */
  readonly bigEndian: boolean;
}

const SCHEMA = { endianness: 0, fields: 1, metadata: 2 };
const FIELD = { name: 0, nullable: 1, typeId: 2, type: 3, dictionary: 4, children: 5, metadata: 6 };
const ENCODING = { id: 0, indexType: 1, isOrdered: 2 };
const PAIR = { key: 0, value: 1 };

/** Nested columns are read recursively: this bounds the depth of the stack. */
const MOST_NESTED = 64;

/** @throws {DataError} BadArrow, UnsupportedArrow */
export function schemaOf(table: FlatTable): DeclaredSchema {
  const endianness = table.int16(SCHEMA.endianness);
  if (endianness !== 0 && endianness !== 1) throw badArrow(`an unknown byte order, ${endianness}`, { at: table.at });
  const dictionaries = new Map<number, DataType>();
  const fields = table.tables(SCHEMA.fields).map((field) => fieldOf(field, dictionaries, []));
  const schema = new Schema(fields, metadataOf(table, SCHEMA.metadata));
  return { schema, dictionaries, bigEndian: endianness === 1 };
}

function fieldOf(table: FlatTable, dictionaries: Map<number, DataType>, parents: readonly string[]): Field {
  const { at } = table;
  const name = table.text(FIELD.name, "refuse") ?? "";
  const path = [...parents, name];
  if (path.length > MOST_NESTED) {
    throw badArrow(`columns are nested more than ${MOST_NESTED} deep`, { at, column: parents[0] });
  }
  const children = table.tables(FIELD.children).map((child) => fieldOf(child, dictionaries, path));
  const source = { id: table.uint8(FIELD.typeId), table: table.table(FIELD.type), children, path, at };
  const type = encoded(typeOf(source), table.table(FIELD.dictionary), dictionaries, source);
  return new Field(name, type, table.bool(FIELD.nullable), metadataOf(table, FIELD.metadata));
}

/** The type of a dictionary-encoded column, if its field declares one. */
function encoded(
  type: DataType,
  encoding: FlatTable | undefined,
  dictionaries: Map<number, DataType>,
  source: TypeSource,
): DataType {
  if (encoding === undefined) return type;
  const id = encoding.int64(ENCODING.id);
  const indices = indexType(encoding.table(ENCODING.indexType), source);
  // Columns that share a dictionary must share the type object: Arrow's Schema compares them by identity.
  const values = dictionaries.get(id) ?? type;
  if (String(values) !== String(type)) {
    const what = `column ${columnName(source.path)} declares dictionary ${id} as ${type}, another column as ${values}`;
    throw badArrow(what, { at: source.at, column: source.path.join(".") });
  }
  dictionaries.set(id, values);
  return new Dictionary(values, indices as never, id, encoding.bool(ENCODING.isOrdered));
}

function metadataOf(table: FlatTable, field: number): Map<string, string> {
  const pairs = table.tables(field).map((pair) => {
    return [pair.text(PAIR.key, "replace") ?? "", pair.text(PAIR.value, "replace") ?? ""] as const;
  });
  return new Map(pairs);
}
