import { type Data, DataType, type Field, type Struct, Type, type Union, UnionMode } from "./arrow.js";

/** What of the reader of a chunk is needed to read the values inside its lists, structs, maps and unions. */
interface Cells {
  readonly valid: (i: number) => boolean;
  readonly value: (i: number) => string | number | bigint | boolean | null;
  readonly text: (i: number) => string;
}

type Text = (i: number) => string;

/** Finds the reader of a chunk: that of `cell-reader`, which imports this file. */
export type ReaderOf = (data: Data) => Cells;

/**
 * The JSON text of the lists, structs and maps of a chunk; undefined for other types. Every member of a struct and
 * every entry of a map is in it, also where two share a name. Integers of 64 bits and decimals are strings of all their
 * digits, as JSON numbers lose some; dates are ISO 8601, bytes hexadecimal, doubles that JSON lacks their names.
 */
export function nestedText(data: Data, readerOf: ReaderOf): Text | undefined {
  if (!NESTED.has((data.type as DataType).typeId)) return undefined;
  // Made when the first value is read: columns without rows may come without children.
  let text: Text | undefined;
  return (i) => {
    text ??= madeText(data, readerOf);
    return text(i);
  };
}

function madeText(data: Data, readerOf: ReaderOf): Text {
  const type = data.type as DataType;
  if (DataType.isStruct(type)) return structText(data, readerOf);
  if (DataType.isMap(type)) return mapText(data, readerOf);
  const item = itemText(data.children[0], readerOf);
  return DataType.isFixedSizeList(type) ? fixedListText(data, item) : listText(data, item);
}

/** The reader of a union: that of the child which its type id names, row by row. */
export function unionCells(data: Data, readerOf: ReaderOf): Cells {
  const { child, row } = unionRows(data);
  const readers = data.children.map(readerOf);
  return {
    valid: (i) => readers[child(i)].valid(row(i)),
    value: (i) => readers[child(i)].value(row(i)),
    text: (i) => readers[child(i)].text(row(i)),
  };
}

/** For each row of a union which child has its value, and in which row. */
function unionRows({ type, typeIds, valueOffsets }: Data): { readonly child: Rows; readonly row: Rows } {
  const { mode, typeIdToChildIndex } = type as Union;
  return {
    child: (i) => typeIdToChildIndex[typeIds[i]],
    row: mode === UnionMode.Dense ? (i) => valueOffsets[i] : (i) => i,
  };
}

type Rows = (i: number) => number;

/** The JSON text of a value, null included. */
function itemText(data: Data, readerOf: ReaderOf): Text {
  const { valid, ...reader } = readerOf(data);
  const text = valueText(data, reader, readerOf);
  return (i) => (valid(i) ? text(i) : "null");
}

function valueText(data: Data, { value, text }: Pick<Cells, "value" | "text">, readerOf: ReaderOf): Text {
  const type = (DataType.isDictionary(data.type) ? data.type.dictionary : data.type) as DataType;
  if (DataType.isUnion(type)) return unionText(data, readerOf);
  if (NESTED.has(type.typeId)) return text;
  if (DataType.isDecimal(type) || (DataType.isInt(type) && type.bitWidth === 64)) return (i) => JSON.stringify(text(i));
  return (i) => {
    const found = value(i);
    const isPlain = typeof found === "boolean" || (typeof found === "number" && Number.isFinite(found));
    return isPlain ? String(found) : found === null ? "null" : JSON.stringify(String(found));
  };
}

const NESTED = new Set<Type>([Type.List, Type.LargeList, Type.FixedSizeList, Type.Map, Type.Struct]);

function unionText(data: Data, readerOf: ReaderOf): Text {
  const { child, row } = unionRows(data);
  const items = data.children.map((column) => itemText(column, readerOf));
  return (i) => items[child(i)](row(i));
}

function listText({ valueOffsets }: Data, item: Text): Text {
  return (i) => {
    const end = Number(valueOffsets[i + 1]);
    const items: string[] = [];
    for (let at = Number(valueOffsets[i]); at < end; at++) items.push(item(at));
    return `[${items.join(",")}]`;
  };
}

function fixedListText({ stride }: Data, item: Text): Text {
  return (i) => `[${Array.from({ length: stride }, (_, k) => item(i * stride + k)).join(",")}]`;
}

function structText(data: Data, readerOf: ReaderOf): Text {
  // The Arrow library reads a name that was left out as null.
  const names = (data.type as Struct).children.map((child: Field) => JSON.stringify(child.name ?? ""));
  const members = data.children.map((child) => itemText(child, readerOf));
  return (i) => `{${members.map((member, k) => `${names[k]}:${member(i)}`).join(",")}}`;
}

/** A map as an object: its keys as text, since JSON has no others. */
function mapText({ valueOffsets, children: [entries] }: Data, readerOf: ReaderOf): Text {
  const key = readerOf(entries.children[0]);
  const value = itemText(entries.children[1], readerOf);
  const entry: Text = (i) => `${JSON.stringify(key.valid(i) ? key.text(i) : "null")}:${value(i)}`;
  return (i) => {
    const found: string[] = [];
    for (let at = valueOffsets[i]; at < valueOffsets[i + 1]; at++) found.push(entry(at));
    return `{${found.join(",")}}`;
  };
}
