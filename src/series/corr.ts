import type { Table } from "../columns/arrow/arrow.js";
import { oneOf } from "../errors/options.js";
import { choose, vectorAt } from "./core/choose.js";
import { doubleColumn, numbersOf } from "./core/numbers.js";
import { pairStatistic } from "./core/pair-statistics.js";
import { tableOf } from "./core/tables.js";
import { textColumn } from "./describe.js";

/** `pearson` (default): of the values; `spearman`: of their ranks, with ties at their mean rank. */
export type CorrelationMethod = "pearson" | "spearman";

/**
 * The correlation of two number columns over the rows where both have a value, from -1 to 1; null if there are fewer
 * than two such rows or a column is constant.
 *
 * @throws {InputError} UnknownColumn, WrongType, UnknownValue
 */
export function corr(table: Table, a: string, b: string, method: CorrelationMethod = "pearson"): number | null {
  const byRank = oneOf(method, ["pearson", "spearman"], "method") === "spearman";
  const [x, y] = choose(table, { columns: [a, b] }).values.map((at) => numbersOf(vectorAt(table, at)));
  const value = pairCorrelation(x, y, byRank);
  return Number.isNaN(value) ? null : value;
}

/**
 * Pairwise correlations of number columns, each over the rows where both have a value: a column of names and one
 * `Float64` column per input column.
 *
 * @throws {InputError} UnknownColumn, WrongType, UnknownValue
 */
export function corrMatrix(table: Table, columns?: readonly string[], method: CorrelationMethod = "pearson"): Table {
  const byRank = oneOf(method, ["pearson", "spearman"], "method") === "spearman";
  const { values } = choose(table, { columns, by: [] });
  const all = values.map((at) => numbersOf(vectorAt(table, at)));
  const results = all.map(() => new Float64Array(all.length));
  for (const [i, x] of all.entries()) {
    for (let j = i; j < all.length; j++) {
      const value = pairCorrelation(x, all[j], byRank);
      // A column correlates perfectly with itself, whatever rounding says.
      results[i][j] = results[j][i] = i === j && !Number.isNaN(value) ? 1 : value;
    }
  }
  const names = values.map((at) => table.schema.fields[at].name);
  const made = values.map((at, i) => doubleColumn(table.schema.fields[at], results[i]));
  return tableOf([textColumn("column", names), ...made], names.length);
}

function pairCorrelation(x: Float64Array, y: Float64Array, byRank: boolean): number {
  const rows: number[] = [];
  for (let i = 0; i < x.length; i++) if (!Number.isNaN(x[i]) && !Number.isNaN(y[i])) rows.push(i);
  if (rows.length < 2) return Number.NaN;
  const [a, b] = [x, y].map((values) => {
    const picked = Float64Array.from(rows, (row) => values[row]);
    return byRank ? ranksOf(picked) : picked;
  });
  return pairStatistic([a, b], "corr");
}

/** Ranks from 1; equal values share the mean of their ranks. */
function ranksOf(values: Float64Array): Float64Array {
  const order = Int32Array.from(values.keys()).sort((a, b) => values[a] - values[b]);
  const ranks = new Float64Array(values.length);
  for (let i = 0; i < order.length; ) {
    let end = i;
    while (end < order.length && values[order[end]] === values[order[i]]) end++;
    for (let k = i; k < end; k++) ranks[order[k]] = (i + 1 + end) / 2;
    i = end;
  }
  return ranks;
}
