import type { Data, Vector } from "../../columns/arrow/arrow.js";
import { isValid, presentOf } from "../../columns/compute/chunks.js";
import { InputError } from "../../errors/errors.js";
import { refuseUnknown } from "../../errors/options.js";
import { shown } from "../../errors/shown.js";
import { needCount } from "../cells/given.js";

/** The places of the rows that hold values other than NaN in every one of some columns. */
export function placesWithoutNulls(columns: readonly Vector[], numRows: number): Int32Array {
  const held = new Uint8Array(numRows).fill(1);
  for (const vector of columns) {
    let row = 0;
    for (const data of vector.data as readonly Data[]) {
      const valid = presentOf(data);
      if (valid !== undefined) for (let i = 0; i < data.length; i++) if (!isValid(valid, i)) held[row + i] = 0;
      row += data.length;
    }
  }
  const places = new Int32Array(numRows);
  let count = 0;
  for (let row = 0; row < numRows; row++) if (held[row] === 1) places[count++] = row;
  return places.slice(0, count);
}

/** How rows are drawn. */
export interface DrawOptions {
  /** A whole number: the same one draws the same rows. */
  readonly seed?: number;
}

/**
 * So many places among the rows, each at most once, ascending; all where there are fewer.
 *
 * @throws {InputError} BadArgument
 */
export function sampledPlaces(numRows: number, count: unknown, options: DrawOptions = {}): Int32Array {
  needCount(count, "sample()");
  refuseUnknown(options, ["seed"], "sample()");
  const next = options.seed === undefined ? Math.random : seeded(options.seed);
  const places = Int32Array.from({ length: numRows }, (_, i) => i);
  const drawn = Math.min(numRows, Math.floor(count));
  for (let i = 0; i < drawn; i++) {
    const other = i + Math.floor(next() * (numRows - i));
    [places[i], places[other]] = [places[other], places[i]];
  }
  return places.slice(0, drawn).sort();
}

/** Numbers from 0 (inclusive) to 1, the same for the same seed (mulberry32). */
function seeded(seed: number): () => number {
  if (!Number.isInteger(seed)) {
    throw new InputError(`The seed of sample() must be a whole number; got ${shown(seed)}.`, {
      code: "BadArgument",
      hint: "Pass a number such as 1.",
    });
  }
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
