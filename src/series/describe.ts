import { Field, type Table, Utf8, vectorFromArray } from "../columns/arrow/arrow.js";
import { TYPE_KEY } from "../columns/arrow/schema.js";
import { choose, vectorAt } from "./core/choose.js";
import { type Column, doubleColumn, numbersOf } from "./core/numbers.js";
import { quantilesOf } from "./core/quantile.js";
import { distributionOf } from "./core/select.js";
import { rootOf } from "./core/sums.js";
import { tableOf } from "./core/tables.js";

const STATISTICS = ["count", "nulls", "mean", "std", "min", "25%", "50%", "75%", "max"] as const;

/**
 * Summarizes the number columns, one row per statistic: count, nulls (including NaN), mean, standard deviation (divisor
 * n − 1), minimum, quartiles (linear interpolation) and maximum, all `Float64`. Dates and text are skipped.
 *
 * @throws {InputError} UnknownColumn, WrongType
 */
export function describe(table: Table, columns?: string | readonly string[]): Table {
  const { values } = choose(table, { columns, by: [] });
  const words: Column = textColumn("statistic", STATISTICS);
  const made = values.map((at) => doubleColumn(table.schema.fields[at], statisticsOf(numbersOf(vectorAt(table, at)))));
  return tableOf([words, ...made], STATISTICS.length);
}

export function textColumn(name: string, texts: readonly (string | null)[]): Column {
  const field = new Field(name, new Utf8(), true, new Map([[TYPE_KEY, "String"]]));
  return { field, data: vectorFromArray(texts as (string | null)[], new Utf8()).data[0] };
}

const QUARTILES = [0, 0.25, 0.5, 0.75, 1];

function statisticsOf(values: Float64Array): Float64Array {
  const distribution = distributionOf(values);
  const { count, mean, squares } = distribution;
  const std = rootOf(count < 2 ? Number.NaN : squares / (count - 1), values, 0, values.length);
  return Float64Array.of(count, values.length - count, mean, std, ...quantilesOf(distribution, QUARTILES));
}
