import { unsafeBytes } from "../build/buffer-pool.js";
import { columnProgram } from "./column-program.js";

/** Bytes of values among which rows are looked up: they stay within the processor's cache. */
const MOST_BYTES = 524_288;
/** Rows copied by one call of the program. */
const CALL = 8_192;
/** For fewer rows, copying the values into the memory of the program costs more. */
const LEAST_ROWS = 4_096;
/** Bytes of a value that the program copies. */
const WIDTHS: readonly number[] = [1, 2, 4, 8, 16];

/** Whether all values of a column, in chunks, are few. */
export const areFew = (chunks: readonly { readonly length: number }[], width: number): boolean =>
  chunks.length === 1 && chunks[0].length * width <= MOST_BYTES;

/** Many rows out of few values of `width` bytes, 0 for row -1; undefined where the values are not few. */
export function lookedUp(values: Uint8Array, width: number, rows: Int32Array): Uint8Array | undefined {
  if (rows.length < LEAST_ROWS || values.byteLength > MOST_BYTES || !WIDTHS.includes(width)) return undefined;
  const { run, memory, at } = columnProgram();
  const [placesAt, outAt] = [at + MOST_BYTES, at + MOST_BYTES + CALL * 4];
  const places = new Int32Array(memory.buffer, placesAt, CALL);
  const out = unsafeBytes(rows.length * width);
  memory.set(values, at);
  for (let from = 0; from < rows.length; from += CALL) {
    const count = Math.min(CALL, rows.length - from);
    places.set(rows.subarray(from, from + count));
    run.lookUp(at, values.byteLength / width, placesAt, count, width, outAt);
    out.set(memory.subarray(outAt, outAt + count * width), from * width);
  }
  return out;
}
