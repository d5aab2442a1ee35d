import { utf8Bytes, writeUtf8 } from "../../platform/node/bytes.js";
import type { CellBatch, CellColumn, CellEntries, CellPrinter, CellTexts } from "./cell-batch.js";
import { compiledRows } from "./compiled-rows.js";
import { Output } from "./output.js";
import { type CellStyle, placedCells, plainBytes, type RowStyle } from "./row-style.js";

/** The writer of rows pauses after about this many bytes. */
const STRETCH = 64 * 1024;

/** A shorter batch is written in JavaScript: to compile its columns costs as much as a hundred rows. */
const LEAST_COMPILED = 100;

/** How many more calls of the compiled writer may fail than succeed before a batch is left to JavaScript. */
const MOST_FAILURES = 4;

/**
 * Appends rows; returns to its caller after each 64 kB or so, always between two rows.
 *
 * @param least rows of a batch that repay compiling its columns
 */
export function* writeRows(
  style: RowStyle,
  batches: Iterable<CellBatch>,
  out: Output,
  least = LEAST_COMPILED,
): Generator<undefined, void, undefined> {
  let begins = true;
  let pause = out.length + STRETCH;
  for (const batch of batches) {
    const { rows } = batch;
    let compiled = rows < least ? undefined : compiledRows(style, batch);
    let spelt: ReturnType<typeof speltRow> | undefined;
    let failures = 0;
    for (let row = 0; row < rows; ) {
      const to = Math.min(rows, row + (compiled?.most ?? rows));
      if (compiled?.write(row, to, begins, out)) {
        failures--;
        begins = false;
        row = to;
        if (out.length >= pause) {
          yield;
          pause = out.length + STRETCH;
        }
        continue;
      }
      spelt ??= speltRow(style, batch, out);
      if (++failures > MOST_FAILURES) compiled = undefined;
      for (; row < to; row++) {
        spelt(row, begins);
        begins = false;
        if (out.length < pause) continue;
        yield;
        pause = out.length + STRETCH;
      }
    }
  }
}

/** Rows as bytes, in blocks of about 64 kB; a block is valid until the next one is requested. */
export function* rowBlocks(style: RowStyle, batches: Iterable<CellBatch>): Generator<Uint8Array> {
  const out = new Output(STRETCH * 2);
  for (const _ of writeRows(style, batches, out)) {
    yield out.written();
    out.clear();
  }
  yield out.written();
}

function speltRow(style: RowStyle, { columns }: CellBatch, out: Output): (row: number, begins: boolean) => void {
  const first = utf8Bytes(style.open);
  const next = utf8Bytes(style.betweenRows + style.open);
  const close = utf8Bytes(style.close);
  const cells = columns.map((column, i) => cellWriter(out, column, placedCells(style, i)));
  return (row, begins) => {
    const open = begins ? first : next;
    out.need(out.length, open.length);
    let at = copy(open, out.bytes, out.length);
    for (let i = 0; i < cells.length; i++) at = cells[i](row, at);
    out.need(at, close.length);
    out.length = copy(close, out.bytes, at);
  };
}

/** Below this many bytes a loop copies faster than a call. */
const SHORT = 32;

function copy(some: Uint8Array, out: Uint8Array, at: number): number {
  const { length } = some;
  if (length > SHORT) out.set(some, at);
  else for (let i = 0; i < length; i++) out[at + i] = some[i];
  return at + length;
}

/** Writes a cell of a row, with what separates it from the cell before, at `at`; returns the position after it. */
type CellWriter = (row: number, at: number) => number;

/** Where the cells of one column go, and their style. */
interface Target {
  readonly out: Output;
  readonly style: CellStyle;
  readonly open: Uint8Array;
  readonly close: Uint8Array;
  readonly nothing: Uint8Array;
}

function cellWriter(out: Output, column: CellColumn, style: CellStyle): CellWriter {
  const [open, close, nothing] = [style.open, style.close, style.nothing].map((text) => utf8Bytes(text));
  const { valid } = column;
  const write = valueWriter(column, { out, style, open, close, nothing });
  if (valid === undefined) return write;
  return (row, at) => {
    if (valid(row)) return write(row, at);
    out.need(at, nothing.length);
    return copy(nothing, out.bytes, at);
  };
}

function valueWriter(column: CellColumn, target: Target): CellWriter {
  const { fast } = column;
  const { takes } = target.style;
  const otherwise = spelt(column, target);
  switch (fast?.kind) {
    case undefined:
      return otherwise;
    case "entries":
      return entries(fast, column, target);
    case "texts":
      return takes("other") ? texts(fast, target, otherwise) : otherwise;
    case "point":
    case "whole":
    case "truth":
    case "other":
      return takes(fast.kind) ? printed(fast, target, otherwise) : otherwise;
  }
}

function spelt({ text }: CellColumn, { out, style, open, close, nothing }: Target): CellWriter {
  return (row, at) => {
    const cell = style.spell(text(row));
    out.need(at, cell === null ? nothing.length : open.length + cell.length * 3 + close.length);
    const { bytes } = out;
    if (cell === null) return copy(nothing, bytes, at);
    return copy(close, bytes, utf8(cell, bytes, copy(open, bytes, at)));
  };
}

/** Writes a string as UTF-8 at `at`; returns the position after it. */
function utf8(text: string, out: Uint8Array, at: number): number {
  const { length } = text;
  if (length > SHORT) return at + writeUtf8(text, out, at);
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i);
    if (code > 0x7f) return at + writeUtf8(text, out, at);
    out[at + i] = code;
  }
  return at + length;
}

function printed(
  { kind, width, print }: CellPrinter,
  { out, style, open, close }: Target,
  otherwise: CellWriter,
): CellWriter {
  const end = kind === "whole" ? utf8Bytes(style.wholeEnd + style.close) : close;
  const most = open.length + width + end.length;
  return (row, at) => {
    out.need(at, most);
    const { bytes } = out;
    const p = print(row, bytes, copy(open, bytes, at));
    return p < 0 ? otherwise(row, at) : copy(end, bytes, p);
  };
}

/** Cells from a dictionary; each entry is spelt once, when it is first met. */
function entries({ entry }: CellEntries, { text }: CellColumn, { out, style, nothing }: Target): CellWriter {
  const known: Uint8Array[] = [];
  const spell = (row: number): Uint8Array => {
    const cell = style.spell(text(row));
    return cell === null ? nothing : utf8Bytes(style.open + cell + style.close);
  };
  return (row, at) => {
    const number = entry(row);
    known[number] ??= spell(row);
    const bytes = known[number];
    out.need(at, bytes.length);
    return copy(bytes, out.bytes, at);
  };
}

/** Cells that are copied where they hold printable ASCII only, and nothing that is escaped. */
function texts({ bytes, offsets }: CellTexts, { out, style, open, close }: Target, otherwise: CellWriter): CellWriter {
  const isPlain = plainBytes(style.spell);
  return (row, at) => {
    const [from, to] = [offsets[row], offsets[row + 1]];
    // Empty text is quoted in some formats.
    if (from === to) return otherwise(row, at);
    out.need(at, open.length + to - from + close.length);
    const into = out.bytes;
    let p = copy(open, into, at);
    for (let i = from; i < to; i++) {
      const byte = bytes[i];
      if (isPlain[byte] === 0) return otherwise(row, at);
      into[p++] = byte;
    }
    return copy(close, into, p);
  };
}
