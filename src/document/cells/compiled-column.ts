import { utf8Bytes } from "../../platform/node/bytes.js";
import type { CellBits, CellColumn, CellEntries, CellPrinter, CellTexts, CellValues } from "./cell-batch.js";
import { COLUMN_KINDS } from "./row-program.js";
import { type CellStyle, plainBytes } from "./row-style.js";

/** 32-bit fields of the program's `Column`; those of them that change with the rows. */
export const COLUMN_FIELDS = 14;
const VALUES = 1;
const VALID = 2;
const VALID_FROM = 3;
const A = 10;

/** The most entries of a dictionary, all of which are spelt before the first row. */
const MOST_ENTRIES = 4_096;

/** Puts constant bytes into the program's memory; returns their address and length. */
export type Put = (bytes: Uint8Array) => readonly [address: number, length: number];

/** Where cells are copied: `column` is the index of the first field of the column. */
interface Target {
  readonly memory: Uint8Array;
  readonly words: Uint32Array;
  readonly column: number;
  readonly at: number;
}

/** Buffers of a column, of which some rows at a time are copied into the program's memory. */
interface Source {
  /** Bytes of a row, without those of `texts`. */
  readonly rowBytes: number;
  /** Bytes of the texts of rows `from` to before `to`. */
  readonly texts?: (from: number, to: number) => number;
  /** Copies these rows and notes their address; returns the address behind them. */
  copy(from: number, to: number, target: Target): number;
}

export interface CompiledColumn {
  readonly words: readonly number[];
  readonly sources: readonly Source[];
  /** The most bytes of a cell, without those of its text. */
  readonly outBytes: number;
}

/** Describes a column for the program; undefined if its cells need JavaScript. */
export function compiledColumn(
  column: CellColumn,
  style: CellStyle,
  rows: number,
  put: Put,
): CompiledColumn | undefined {
  const { valid, validBits } = column;
  if (valid !== undefined && validBits === undefined) return undefined;
  const cells = cellsOf(column, style, rows, put);
  if (cells === undefined) return undefined;
  const around = [style.open, cells.close ?? style.close, style.nothing].map((text) => utf8Bytes(text));
  const [open, close, nothing] = around.map(({ length }) => length);
  const { kind, a = 0, b = 0, width = 0, empty = [0, 0] } = cells;
  return {
    words: [COLUMN_KINDS[kind], 0, 0, 0, ...around.flatMap(put), a, b, ...empty],
    sources: [...cells.sources, ...(validBits === undefined ? [] : [bitSource(validBits, VALID, VALID_FROM)])],
    outBytes: Math.max(open + width + close, nothing, empty[1]),
  };
}

/** The cells of a column that are not null, in the terms of the program's `Column`. */
interface Cells {
  readonly kind: keyof typeof COLUMN_KINDS;
  readonly sources: readonly Source[];
  readonly a?: number;
  readonly b?: number;
  /** The most bytes of a cell, without those of its text and what is around it. */
  readonly width?: number;
  readonly close?: string;
  readonly empty?: readonly [address: number, length: number];
}

function cellsOf(column: CellColumn, style: CellStyle, rows: number, put: Put): Cells | undefined {
  const { fast } = column;
  switch (fast?.kind) {
    case undefined:
      return undefined;
    case "entries":
      return entryCells(column, fast, style, rows, put);
    case "texts":
      return style.takes("other") ? textCells(fast, style, put) : undefined;
    case "point":
    case "whole":
    case "truth":
    case "other":
      return style.takes(fast.kind) ? printedCells(fast, style) : undefined;
  }
}

function printedCells({ kind, values, width }: CellPrinter, style: CellStyle): Cells {
  const close = kind === "whole" ? style.wholeEnd + style.close : style.close;
  return { ...valueCells(values), close, width };
}

function valueCells(values: CellValues): Pick<Cells, "kind" | "sources" | "a" | "b"> {
  switch (values.kind) {
    case "words":
      return { kind: "words", sources: [valueSource(values.values, values.count)], a: values.count, b: values.scale };
    case "days":
      return { kind: "days", sources: [valueSource(values.values, 1)] };
    case "times":
      return { kind: "times", sources: [valueSource(values.values, 1)], a: values.digits, b: 10 ** values.digits };
    case "doubles":
      return { kind: "doubles", sources: [valueSource(values.values, 1)] };
    case "truths":
      return { kind: "truths", sources: [bitSource(values.bits, VALUES, A)] };
  }
}

/** The texts of all entries that occur; undefined where there are too many, or one is outside the dictionary. */
function entryCells(
  { valid, text }: CellColumn,
  { numbers }: CellEntries,
  style: CellStyle,
  rows: number,
  put: Put,
): Cells | undefined {
  if (numbers === undefined) return undefined;
  const first: number[] = [];
  for (let row = 0; row < rows; row++) {
    if (valid !== undefined && !valid(row)) continue;
    const entry = numbers[row];
    if (entry < 0 || entry >= MOST_ENTRIES) return undefined;
    first[entry] ??= row;
  }
  let width = 0;
  const table = new Uint32Array(first.length * 2);
  first.forEach((row, entry) => {
    const cell = style.spell(text(row));
    const bytes = utf8Bytes(cell === null ? style.nothing : style.open + cell + style.close);
    width = Math.max(width, bytes.length);
    table.set(put(bytes), entry * 2);
  });
  const [a] = put(new Uint8Array(table.buffer));
  return { kind: "entries", sources: [valueSource(numbers, 1)], a, b: first.length, width };
}

function textCells({ bytes, offsets }: CellTexts, style: CellStyle, put: Put): Cells {
  const [b] = put(plainBytes(style.spell));
  const cell = style.spell("");
  const empty = put(utf8Bytes(cell === null ? style.nothing : style.open + cell + style.close));
  const source: Source = {
    rowBytes: 4,
    texts: (from, to) => offsets[to] - offsets[from],
    copy(from, to, { memory, words, column, at }) {
      const some = bytesOf(offsets, from, to + 1);
      memory.set(some, at);
      words[column + A] = at;
      const start = at + some.length;
      memory.set(bytes.subarray(offsets[from], offsets[to]), start);
      // The program adds the offset of a text.
      words[column + VALUES] = start - offsets[from];
      return start + offsets[to] - offsets[from];
    },
  };
  return { kind: "texts", sources: [source], b, empty };
}

type Values = Int32Array | Uint32Array | Float64Array | BigInt64Array;

/** Elements `from` to before `to` as bytes. */
const bytesOf = ({ buffer, byteOffset, BYTES_PER_ELEMENT: size }: Values, from: number, to: number): Uint8Array =>
  new Uint8Array(buffer, byteOffset + from * size, (to - from) * size);

function valueSource(values: Values, count: number): Source {
  return {
    rowBytes: count * values.BYTES_PER_ELEMENT,
    copy(from, to, { memory, words, column, at }) {
      const bytes = bytesOf(values, from * count, to * count);
      memory.set(bytes, at);
      words[column + VALUES] = at;
      return at + bytes.length;
    },
  };
}

/** Bits, whose address and whose first bit go into these fields. */
function bitSource({ bytes, from: before }: CellBits, address: number, first: number): Source {
  return {
    rowBytes: 1,
    copy(from, to, { memory, words, column, at }) {
      const some = bytes.subarray((before + from) >> 3, (before + to + 7) >> 3);
      memory.set(some, at);
      words[column + address] = at;
      words[column + first] = (before + from) & 7;
      return at + some.length;
    },
  };
}
