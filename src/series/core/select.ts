import { columnProgram } from "../../columns/table/column-program.js";
import { squaresOf } from "./sums.js";

/** Values that are sorted whole: below this many, counting them by size first costs more. */
const FEW = 4_096;
const BINS = 16_384;
/** Values read by one call of the program. */
const CALL = 8_192;
/** Bytes of the state; wasm/columns/statistics.ts lays it out. */
const STATE = 80;

/** The values at some places (ascending, below the number of values) of the sorted values, by place. */
type ValuesAt = (places: readonly number[]) => ReadonlyMap<number, number>;

/** What is known of values, NaN left out: {@link squaresOf} them, and those at places among the sorted. */
export interface Distribution extends ReturnType<typeof squaresOf> {
  readonly valuesAt: ValuesAt;
}

/** Sums and order of values, of many in passes of WebAssembly. */
export function distributionOf(values: Float64Array): Distribution {
  const binned = values.length <= FEW ? undefined : inBins(values);
  const sums = binned?.sums ?? squaresOf(values, 0, values.length);
  return { ...sums, valuesAt: binned?.valuesAt ?? ((places) => fromSorted(values.slice().sort(), places)) };
}

const fromSorted = (sorted: Float64Array, places: readonly number[]): Map<number, number> =>
  new Map(places.map((at) => [at, sorted[at]]));

/** The passes of the program over values, each from the first value to the last. */
function passesOver(values: Float64Array) {
  const { run, memory, at } = columnProgram();
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
  return {
    /** The state after the first pass: sums, extremes and the number of values. */
    tally(): Float64Array {
      state.fill(0).set([Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY], 3);
      inCalls((count) => run.tally(at, count, stateAt));
      return state.slice();
    },
    /** Counts values in bins and adds squared distances from a mean: these, and how many values are in each bin. */
    spread(mean: number, least: number, scale: number) {
      const bins = new Int32Array(memory.buffer, binsAt, BINS + 1);
      bins.fill(0);
      inCalls((count) => run.spread(at, count, mean, least, scale, binsAt, stateAt));
      return { squares: state.slice(6), counts: bins.slice() };
    },
    /** The values of some bins. */
    partsOf(chosen: readonly number[], counts: Int32Array, least: number, scale: number): Float64Array[] {
      const numbers = memory.fill(0, partsAt, partsAt + BINS + 1).subarray(partsAt, partsAt + BINS + 1);
      const parts = chosen.map((bin, k) => {
        numbers[bin] = k + 1;
        return new Float64Array(counts[bin]);
      });
      const filled = new Int32Array(chosen.length);
      const found = new Float64Array(memory.buffer, outAt, CALL);
      inCalls((count) => {
        const kept = run.ofBins(at, count, least, scale, partsAt, outAt, outPartsAt);
        for (let i = 0; i < kept; i++) {
          const part = memory[outPartsAt + i] - 1;
          parts[part][filled[part]++] = found[i];
        }
      });
      return parts;
    },
  };
}

/**
 * Counts values by size in bins of equal width, so that only those in the bins of the places are sorted. The sums are
 * undefined where they need more than two doubles, all of it where no bins can be made: of infinities, or of a range
 * that a double does not hold.
 */
function inBins(
  values: Float64Array,
): { readonly sums: ReturnType<typeof squaresOf> | undefined; readonly valuesAt: ValuesAt } | undefined {
  const { tally, spread, partsOf } = passesOver(values);
  const [high, low, infinite, least, most, count, , , , doubt] = tally();
  // Values that compare as equal can still be 0 and -0.
  if (infinite === 0 && least === most && least !== 0) {
    return { sums: undefined, valuesAt: (places) => new Map(places.map((place) => [place, least])) };
  }
  const scale = BINS / (most - least);
  if (infinite !== 0 || !Number.isFinite(scale) || !(scale > 0)) return undefined;
  const mean = (high + low) / count;
  const { squares, counts } = spread(mean, least, scale);
  const [sum, rest, drift] = squares;
  const starts = new Int32Array(BINS + 2);
  for (let bin = 0; bin <= BINS; bin++) starts[bin + 1] = starts[bin] + counts[bin];
  const valuesAt: ValuesAt = (places) => {
    const found = new Map([
      [0, least],
      [count - 1, most],
    ]);
    // Of 0 and -0, which compare as equal, sorting puts -0 first.
    const inner = places.filter((place) => (place > 0 || least === 0) && (place < count - 1 || most === 0));
    const byBin = [...placesByBin(starts, inner)];
    const bins = byBin.map(([bin]) => bin);
    for (const [k, part] of partsOf(bins, counts, least, scale).entries()) {
      const [bin, inBin] = byBin[k];
      const inPart = inBin.map((place) => place - starts[bin]);
      // Where nearly all values are of one size, the part is as long as the whole.
      const isShort = part.length * 2 < count;
      const sorted = isShort ? distributionOf(part).valuesAt(inPart) : fromSorted(part.sort(), inPart);
      for (const [i, place] of inBin.entries()) found.set(place, sorted.get(inPart[i]) as number);
    }
    return found;
  };
  // Not where the sum overflows on the way, and both are NaN.
  const isExact = doubt <= Math.abs(high + low);
  const sums = { count, mean, squares: Math.max(0, sum + rest - (drift * drift) / count) };
  return { sums: isExact ? sums : undefined, valuesAt };
}

function placesByBin(starts: Int32Array, places: readonly number[]): Map<number, number[]> {
  const byBin = new Map<number, number[]>();
  let bin = 0;
  for (const place of places) {
    while (starts[bin + 1] <= place) bin++;
    byBin.set(bin, [...(byBin.get(bin) ?? []), place]);
  }
  return byBin;
}
