import { columnProgram } from "../../columns/table/column-program.js";
import { quantilesBy } from "./quantile.js";
import { BINS, type Binning, valuesInBins } from "./select.js";

/** Values read by one call of the program. */
const CALL = 8_192;
/** For fewer values, compiling the program costs more. */
const LEAST_VALUES = 16_384;
/** Bytes of the state; wasm/columns/statistics.ts lays it out. */
const STATE = 80;
/** Parts are numbered by bytes, 0 for none. */
const MOST_PARTS = 255;

/**
 * Sums as of `squaresOf` and quantiles as of `quantilesOf`, in three passes in WebAssembly; undefined for few values,
 * for those that no bins can be made of or whose sum needs more than two doubles, or without memory for WebAssembly.
 */
export function inPasses(values: Float64Array, quantiles: readonly number[]) {
  if (values.length < LEAST_VALUES || quantiles.length * 2 > MOST_PARTS) return undefined;
  const program = columnProgram();
  if (program === null) return undefined;
  const { run, memory, at } = program;
  const outAt = at + CALL * 8;
  const stateAt = outAt + CALL * 8;
  const binsAt = stateAt + STATE;
  const partsAt = binsAt + (BINS + 2) * 4;
  const outPartsAt = partsAt + BINS + 1;
  const block = new Float64Array(memory.buffer, at, CALL);
  const state = new Float64Array(memory.buffer, stateAt, STATE / 8);
  const inCalls = (call: (count: number) => void): void => {
    for (let from = 0; from < values.length; from += CALL) {
      const part = values.subarray(from, from + CALL);
      block.set(part);
      call(part.length);
    }
  };
  state.fill(0).set([Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY], 3);
  inCalls((count) => run.tally(at, count, stateAt));
  const [high, low, infinite, least, most, count] = state;
  const total = high + low;
  // Also where the sum overflows on the way, and both are NaN.
  if (!(state[9] <= Math.abs(total))) return undefined;
  const scale = BINS / (most - least);
  if (infinite !== 0 || !Number.isFinite(scale) || !(scale > 0)) return undefined;
  const bins = new Int32Array(memory.buffer, binsAt, BINS + 1);
  bins.fill(0);
  inCalls((length) => run.spread(at, length, total / count, least, scale, binsAt, stateAt));
  const [squares, squaresLow, drift] = state.subarray(6);
  const binning: Binning = { least, most, scale, counts: bins.slice() };
  const partsOf = (chosen: readonly number[]): Float64Array[] => {
    const numbers = memory.fill(0, partsAt, partsAt + BINS + 1).subarray(partsAt, partsAt + BINS + 1);
    const parts = chosen.map((bin, k) => {
      numbers[bin] = k + 1;
      return new Float64Array(binning.counts[bin]);
    });
    const filled = new Int32Array(chosen.length);
    const found = new Float64Array(memory.buffer, outAt, CALL);
    inCalls((length) => {
      const kept = run.ofBins(at, length, least, scale, partsAt, outAt, outPartsAt);
      for (let i = 0; i < kept; i++) {
        const part = memory[outPartsAt + i] - 1;
        parts[part][filled[part]++] = found[i];
      }
    });
    return parts;
  };
  return {
    count,
    mean: total / count,
    squares: Math.max(0, squares + squaresLow - (drift * drift) / count),
    quartiles: quantilesBy(count, quantiles, (places) => valuesInBins(count, places, binning, partsOf)),
  };
}
