import { joinedBytes, utf8Bytes } from "../../platform/node/bytes.js";
import type { CellBatch } from "./cell-batch.js";
import { COLUMN_FIELDS, type CompiledColumn, compiledColumn, type Put } from "./compiled-column.js";
import type { Output } from "./output.js";
import { rowProgram, WORK_BYTES } from "./row-program.js";
import { placedCells, type RowStyle } from "./row-style.js";

/** The most rows at a time: their columns and their text stay in the processor's cache. */
const MOST_ROWS = 512;

/** With fewer rows at a time, a call would cost more than its rows. */
const LEAST_ROWS = 16;

/** 32-bit fields of the program's `Frame`. */
const FRAME_FIELDS = 6;

/** Padding between two buffers: the program may read, and write behind its output, this many bytes too far. */
const MARGIN = 16;

/**
 * Writes the rows of one batch in WebAssembly, at most `most` of them at a time; undefined if a column needs
 * JavaScript, or WebAssembly gets no memory.
 */
export function compiledRows(style: RowStyle, { columns, rows }: CellBatch) {
  const program = rowProgram();
  if (program === null) return undefined;
  const { memory, words, run, at: frame } = program;
  const end = frame + WORK_BYTES;
  const constants: Uint8Array[] = [];
  let free = frame + 4 * (FRAME_FIELDS + COLUMN_FIELDS * columns.length);
  const put: Put = (bytes) => {
    const address = free;
    constants.push(bytes);
    free += bytes.length;
    return [address, bytes.length];
  };
  const around = [style.open, style.betweenRows + style.open, style.close].map((text) => utf8Bytes(text));
  const fixed = around.flatMap(put);
  const compiled: CompiledColumn[] = [];
  for (const [i, column] of columns.entries()) {
    const one = compiledColumn(column, placedCells(style, i), rows, put);
    if (one === undefined || free > frame + WORK_BYTES / 4) return undefined;
    compiled.push(one);
    fixed.push(...one.words);
  }
  const image = joinedBytes([new Uint8Array(Uint32Array.from(fixed).buffer), ...constants]);
  const sources = compiled.flatMap((column, i) => column.sources.map((source) => ({ source, column: i })));
  const inBytes = sources.reduce((sum, { source }) => sum + source.rowBytes, 0);
  const outBytes = compiled.reduce((sum, column) => sum + column.outBytes, around[1].length + around[2].length);
  const begin = free + MARGIN;
  // Offsets, bitmaps and margins have a few bytes more than their rows.
  const others = MARGIN * 2 * (sources.length + 1);
  const most = Math.min(MOST_ROWS, Math.floor((WORK_BYTES / 2 - others) / (inBytes + outBytes)));
  if (most < LEAST_ROWS) return undefined;
  return {
    most,
    /** Appends rows; returns false, with nothing appended, if a cell is not as simple as the program expects. */
    write(from: number, to: number, begins: boolean, out: Output): boolean {
      const texts = sources.reduce((sum, { source }) => sum + (source.texts?.(from, to) ?? 0), 0);
      if (begin + others + (to - from) * (inBytes + outBytes) + 2 * texts > end) return false;
      if (program.owner !== image) memory.set(image, frame);
      program.owner = image;
      let at = begin;
      for (const { source, column } of sources) {
        at = source.copy(from, to, { memory, words, column: (frame >> 2) + FRAME_FIELDS + column * COLUMN_FIELDS, at });
        at += MARGIN;
      }
      const written = run.write(to - from, columns.length, begins, frame, at);
      if (written === 0) return false;
      const text = memory.subarray(at, written);
      out.need(out.length, text.length);
      out.bytes.set(text, out.length);
      out.length += text.length;
      return true;
    },
  };
}
