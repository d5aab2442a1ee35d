/**
 * Longer names have no suggestions: names come from requests and files, and the time of a comparison grows with the
 * product of the lengths.
 */
const MOST_LETTERS = 128;

/**
 * The names closest to `name`, best first, at most `count`: suggestions for a misspelt column or option value. A name
 * is close if at most a third of its letters differ, ignoring case.
 */
export function nearest(name: string, names: Iterable<string>, count = 3): string[] {
  if (name.length > MOST_LETTERS) return [];
  const wanted = name.toLowerCase();
  const scored: [number, string][] = [];
  for (const candidate of names) {
    if (candidate.length > MOST_LETTERS) continue;
    const other = candidate.toLowerCase();
    const allowed = Math.max(1, Math.floor(Math.max(wanted.length, other.length) / 3));
    const distance = editDistance(wanted, other, allowed);
    if (distance <= allowed) scored.push([distance, candidate]);
    else if (wanted.length > 2 && other.includes(wanted)) scored.push([other.length - wanted.length, candidate]);
  }
  return scored
    .sort((a, b) => a[0] - b[0])
    .slice(0, count)
    .map(([, candidate]) => candidate);
}

/** Levenshtein distance with adjacent swaps counted once; more than `most` where it exceeds that. */
function editDistance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let before: number[] = [];
  let above: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    [before, above, row] = [above, row, before];
    row[0] = i;
    // Two rows above `most` make all following ones greater: a swap reaches back two rows.
    let least = Math.min(i, above[0]);
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let cell = Math.min(above[j] + 1, row[j - 1] + 1, above[j - 1] + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cell = Math.min(cell, before[j - 2] + 1);
      row[j] = cell;
      least = Math.min(least, cell, above[j]);
    }
    if (least > most) return most + 1;
  }
  return row[b.length];
}

/**
 * The sentence that ends an unknown-name error: `Did you mean "close"?`, or the list of names if none is close. A name
 * that other libraries use is answered with ours.
 */
export function suggestion(name: string, names: readonly string[], what: string): string {
  const synonyms = synonymsOf(name, names);
  const close = synonyms.length > 0 ? synonyms : nearest(name, names);
  if (close.length > 0) return `Did you mean ${close.map((c) => JSON.stringify(c)).join(" or ")}?`;
  const shown = names.slice(0, 12).map((n) => JSON.stringify(n));
  return `The ${what} are ${shown.join(", ")}${names.length > 12 ? `, … (${names.length} in all)` : ""}.`;
}

/** The name here of a method that other libraries call `name`, if it is known. */
function synonymsOf(name: string, known: readonly string[]): readonly string[] {
  const word = name.toLowerCase();
  const own = Object.keys(SYNONYMS).find((each) => SYNONYMS[each].includes(word) && known.includes(each));
  return own === undefined ? [] : [own];
}

/** Names of other libraries (pandas, polars, Danfo, SQL), in lower case, by ours. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  mean: ["avg", "average"],
  std: ["stddev"],
  var: ["variance"],
  nunique: ["n_unique", "unique"],
  count: ["size"],
  outer: ["full"],
  point: ["scatter"],
  histogram: ["hist"],
  candlestick: ["candle", "ohlc"],
  boxplot: ["box"],
  regression: ["lm", "reg", "regplot", "trend"],
  correlation: ["corr"],
  mark: ["kind", "type"],
  facet: ["col", "row", "small_multiples"],
  axis: ["secondary_y"],
  color: ["hue", "colour"],
  forward: ["ffill"],
  backward: ["bfill"],
  daily: ["d", "day"],
  weekly: ["w"],
  monthly: ["m", "me"],
  quarterly: ["q"],
  annual: ["y", "yearly"],
  rdiff: ["pct_change"],
  delimiter: ["sep", "separator"],
  types: ["dtype", "dtypes", "schema_overrides"],
  columns: ["usecols", "dtype", "dtypes", "var_name"],
  nullValues: ["na_values", "null_values"],
  skipRows: ["skiprows", "skip_rows"],
  decimal: ["decimal_separator", "decimal_comma"],
  dateFormat: ["parse_dates", "dayfirst"],
  retry: ["retries"],
  leftOn: ["left_on"],
  rightOn: ["right_on"],
  agg: ["aggfunc", "aggregate_function", "value"],
  index: ["id_vars"],
  of: ["value_vars"],
  values: ["value_name"],
  from: ["start_date"],
  to: ["end_date"],
};
