/** Values that are sorted whole: below this many, counting them by size first costs more. */
const FEW = 4096;
export const BINS = 16_384;

/**
 * The values at some places (ascending, below `count`) of the sorted values, NaN left out, of which there are `count`.
 * Only the parts that hold these places are sorted: values are counted by size first.
 */
export function valuesAt(values: Float64Array, count: number, places: readonly number[]): Map<number, number> {
  if (count <= FEW) return fromSorted(values.slice().sort(), places);
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (value < least) least = value;
    if (value > most) most = value;
  }
  const scale = BINS / (most - least);
  // Of infinities, or of a range that a double does not hold, no bins can be made.
  if (!Number.isFinite(scale) || !(scale > 0)) {
    // Values that compare as equal can still be 0 and -0.
    const isOneValue = least === most && least !== 0;
    return isOneValue ? new Map(places.map((at) => [at, least])) : fromSorted(values.slice().sort(), places);
  }
  const counts = new Int32Array(BINS + 1);
  for (let i = 0; i < values.length; i++) {
    const bin = (values[i] - least) * scale;
    if (bin >= 0) counts[bin | 0]++;
  }
  const binning: Binning = { least, most, scale, counts };
  return valuesInBins(count, places, binning, (bins) => valuesOfBins(values, binning, bins));
}

/** Values counted by size, in bins of equal width. */
export interface Binning {
  readonly least: number;
  readonly most: number;
  /** Bins for one unit of difference. */
  readonly scale: number;
  readonly counts: Int32Array;
}

/** As {@link valuesAt}, once values are counted; `partsOf` gives the values of some bins, by bin. */
export function valuesInBins(
  count: number,
  places: readonly number[],
  { least, most, counts }: Binning,
  partsOf: (bins: readonly number[]) => readonly Float64Array[],
): Map<number, number> {
  const starts = new Int32Array(BINS + 2);
  for (let bin = 0; bin <= BINS; bin++) starts[bin + 1] = starts[bin] + counts[bin];
  const found = new Map([
    [0, least],
    [count - 1, most],
  ]);
  // Of 0 and -0, which compare as equal, sorting puts -0 first.
  const inner = places.filter((at) => (at > 0 || least === 0) && (at < count - 1 || most === 0));
  const bins = [...placesByBin(starts, inner)];
  for (const [k, part] of partsOf(bins.map(([bin]) => bin)).entries()) {
    const [bin, inBin] = bins[k];
    const inPart = inBin.map((place) => place - starts[bin]);
    // Where nearly all values are of one size, the part is as long as the whole.
    const sorted = part.length * 2 < count ? valuesAt(part, part.length, inPart) : fromSorted(part.sort(), inPart);
    for (const [i, place] of inBin.entries()) found.set(place, sorted.get(inPart[i]) as number);
  }
  return found;
}

/** The values of some bins, in one pass. */
function valuesOfBins(
  values: Float64Array,
  { least, scale, counts }: Binning,
  bins: readonly number[],
): readonly Float64Array[] {
  const partOf = new Int32Array(BINS + 1).fill(-1);
  const parts = bins.map((bin, k) => {
    partOf[bin] = k;
    return new Float64Array(counts[bin]);
  });
  const at = new Int32Array(bins.length);
  for (let i = 0; i < values.length; i++) {
    const bin = (values[i] - least) * scale;
    if (!(bin >= 0)) continue;
    const part = partOf[bin | 0];
    if (part !== -1) parts[part][at[part]++] = values[i];
  }
  return parts;
}

const fromSorted = (sorted: Float64Array, places: readonly number[]): Map<number, number> =>
  new Map(places.map((at) => [at, sorted[at]]));

function placesByBin(starts: Int32Array, places: readonly number[]): Map<number, number[]> {
  const byBin = new Map<number, number[]>();
  let bin = 0;
  for (const place of places) {
    while (starts[bin + 1] <= place) bin++;
    byBin.set(bin, [...(byBin.get(bin) ?? []), place]);
  }
  return byBin;
}
