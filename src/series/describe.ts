import { Field, type Table, Utf8, vectorFromArray } from "../columns/arrow/arrow.js";
import { TYPE_KEY } from "../columns/arrow/schema.js";
import { choose, vectorAt } from "./core/choose.js";
import { type Column, doubleColumn, numbersOf } from "./core/numbers.js";
import { quantileOfSorted } from "./core/quantile.js";
import { squaresOf, sumOf } from "./core/sums.js";
import { tableOf } from "./core/tables.js";

const STATISTICS = ["count", "nulls", "mean", "std", "min", "25%", "50%", "75%", "max"] as const;

/**
 * What the number columns hold, one row for each statistic: how many values and nulls (NaN counts as null), mean,
 * standard deviation (n − 1 below), smallest, quartiles (linear between neighbours) and largest. All `Float64`; dates
 * and text are left out.
 *
 * @throws {InputError} UnknownColumn, WrongType
 */
export function describe(table: Table, columns?: string | readonly string[]): Table {
  const { values } = choose(table, { columns, by: [] });
  const words: Column = textColumn("statistic", STATISTICS);
  const made = values.map((at) => doubleColumn(table.schema.fields[at], statisticsOf(numbersOf(vectorAt(table, at)))));
  return tableOf([words, ...made], STATISTICS.length);
}

/** A text column. */
export function textColumn(name: string, texts: readonly (string | null)[]): Column {
  const field = new Field(name, new Utf8(), true, new Map([[TYPE_KEY, "String"]]));
  return { field, data: vectorFromArray(texts as (string | null)[], new Utf8()).data[0] };
}

function statisticsOf(values: Float64Array): Float64Array {
  const { total, count } = sumOf(values, 0, values.length);
  const { squares } = squaresOf(values, 0, values.length);
  const sorted = values.slice().sort();
  const at = (q: number): number => quantileOfSorted(sorted, count, q);
  const std = count < 2 ? Number.NaN : Math.sqrt(squares / (count - 1));
  return Float64Array.of(count, values.length - count, total / count, std, at(0), at(0.25), at(0.5), at(0.75), at(1));
}
