import { type Data, DataType, type Field, type Struct, Type, type Union, UnionMode } from "./arrow.js";

/** The part of a chunk's reader that is needed to read values inside lists, structs, maps and unions. */
interface Cells {
  readonly valid: (i: number) => boolean;
  readonly value: (i: number) => string | number | bigint | boolean | null;
  readonly text: (i: number) => string;
}

type Text = (i: number) => string;

/** Returns the reader of a chunk. A parameter, because `cell-reader` imports this file. */
export type ReaderOf = (data: Data) => Cells;

/**
 * Formats the lists, structs and maps of a chunk as JSON; undefined for other types. All struct members and map entries
 * are kept, also those that share a name. 64-bit integers and decimals are written as strings of all their digits,
 * because JSON numbers would lose some; dates are in ISO 8601, bytes in hexadecimal, and NaN and infinities are
 * strings.
 */
export function nestedText(data: Data, readerOf: ReaderOf): Text | undefined {
  if (!NESTED.has((data.type as DataType).typeId)) return undefined;
  // Created when the first value is read: columns without rows may have no children.
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

/** The reader of a union: in each row, that of the child that the type id selects. */
export function unionCells(data: Data, readerOf: ReaderOf): Cells {
  const { child, row } = unionRows(data);
  const readers = data.children.map(readerOf);
  return {
    valid: (i) => readers[child(i)].valid(row(i)),
    value: (i) => readers[child(i)].value(row(i)),
    text: (i) => readers[child(i)].text(row(i)),
  };
}

/** For each row of a union, the child that holds its value and the row within that child. */
function unionRows({ type, typeIds, valueOffsets }: Data): { readonly child: Rows; readonly row: Rows } {
  const { mode, typeIdToChildIndex } = type as Union;
  return {
    child: (i) => typeIdToChildIndex[typeIds[i]],
    row: mode === UnionMode.Dense ? (i) => valueOffsets[i] : (i) => i,
  };
}

type Rows = (i: number) => number;

/** Formats a value as JSON, including null. */
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
  // The Arrow library reads a missing name as null.
  const names = (data.type as Struct).children.map((child: Field) => JSON.stringify(child.name ?? ""));
  const members = data.children.map((child) => itemText(child, readerOf));
  return (i) => `{${members.map((member, k) => `${names[k]}:${member(i)}`).join(",")}}`;
}

/** Formats a map as an object, with its keys as strings. */
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
