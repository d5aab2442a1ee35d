import { type Data, DataType, type Field, type Table, Vector } from "../columns/arrow/arrow.js";
import { columnIndex, namesOf } from "../columns/arrow/column-names.js";
import { sliceData } from "../columns/arrow/record-batch.js";
import { typeName } from "../columns/arrow/schema.js";
import { compare } from "../columns/predicate/compare.js";
import { sortedRows } from "../columns/table/sort.js";
import { takeVector } from "../columns/table/take.js";
import { InputError } from "../errors/errors.js";
import { oneOf, refuseUnknown } from "../errors/options.js";
import { shown } from "../errors/shown.js";
import { isNumber, vectorAt } from "./core/choose.js";
import { isExact, smallUnits } from "./core/exact.js";
import { type Column, type Computed, doubleColumn, integerColumn, numbersOf, picked, renamed } from "./core/numbers.js";
import { quantileOfSorted } from "./core/quantile.js";
import { withColumns } from "./core/tables.js";
import { RUNNING } from "./running.js";
import { AGGREGATES, type Aggregate, type AggregateOption, presentOf } from "./track/aggregate.js";
import { aggregateGroups } from "./track/aggregate-groups.js";
import { type Groups, groupsOf } from "./track/groups.js";
import { checkSteps, shiftOf } from "./track/steps.js";
import { groupTrack, inOrder } from "./track/track.js";

/** The rank of equal values, as in pandas. */
type RankMethod = "average" | "min" | "max" | "dense" | "first";

/**
 * What each row gets from its group: an aggregate of the group; `share`, the value by the sum of the group; `zscore`,
 * the distance from the mean in standard deviations; `rank` from 1, of equal values their average or by `method`;
 * `{ buckets: 4 }`, the quarter (1 to 4) between the quantiles of the group; and, in the order of the rows, `shift` and
 * the running `cumsum`, `cumprod`, `cummax`, `cummin`.
 */
export type Within =
  | AggregateOption["name"]
  | "share"
  | "zscore"
  | "rank"
  | "shift"
  | "cumsum"
  | "cumprod"
  | "cummax"
  | "cummin"
  | { readonly rank: RankMethod; readonly descending?: boolean }
  | { readonly shift: number }
  | { readonly buckets: number };

/** By the name of a new column: the column that it is made of, and how. */
export type WithinColumns<Name extends string = string> = {
  readonly [column: string]: readonly [column: Name, how: Within];
};

/**
 * All rows in their order, with columns that are computed within the groups of equal values in `by`. Nulls and NaN are
 * null, and are skipped; aggregates as in {@link Aggregate}, of which each row of the group has the same.
 *
 * @throws {InputError} UnknownColumn, UnknownValue, WrongType, BadArgument
 * @throws {DataError} Overflow
 */
export function withinGroups(table: Table, by: string | readonly string[], columns: WithinColumns): Table {
  const groups = groupsOf(table, by);
  const names = namesOf(table);
  const replaced = new Map<number, Computed>();
  const added: Computed[] = [];
  for (const [name, spec] of Object.entries(columns)) {
    if (!Array.isArray(spec) || spec.length !== 2) {
      throw new InputError(
        `with() expects a column and how it is computed as ${JSON.stringify(name)}; got ${shown(spec)}.`,
        {
          code: "BadArgument",
          hint: 'Such as groupBy("ticker").with({ share: ["volume", "share"], rank: ["close", "rank"] }).',
        },
      );
    }
    const made = computed(table, columnIndex(table, spec[0]), spec[1], groups);
    const column = { ...made, field: renamed(made.field, name).clone({ nullable: true }) };
    const at = names.indexOf(name);
    if (at === -1) added.push(column);
    else replaced.set(at, column);
  }
  return withColumns(table, replaced, added);
}

const NAMES = [...AGGREGATES, "share", "zscore", "rank", "shift", "cumsum", "cumprod", "cummax", "cummin"] as const;

function computed(table: Table, at: number, how: Within, groups: Groups): Computed {
  const field = table.schema.fields[at];
  const vector = vectorAt(table, at);
  if (typeof how === "object" && how !== null && !("quantile" in how)) {
    refuseUnknown(how, ["rank", "descending", "shift", "buckets"], "with()");
    if ("buckets" in how) return bucketsOf(field, vector, how.buckets, groups);
    if ("shift" in how) checkSteps(how.shift);
    if ("shift" in how) return shiftOf(table, at, trackOf(groups), how.shift);
    return ranksOf(table, at, how, groups);
  }
  if (typeof how !== "object" || how === null) oneOf(how, NAMES, "computation within groups");
  switch (how) {
    case "share":
      return shares(needNumbers(field), vector, groups);
    case "zscore":
      return scores(needNumbers(field), vector, groups);
    case "rank":
      return ranksOf(table, at, { rank: "average" }, groups);
    case "shift":
      return shiftOf(table, at, trackOf(groups), 1);
    case "cumsum":
    case "cumprod":
    case "cummax":
    case "cummin":
      needNumbers(field);
      return RUNNING[how](table, at, trackOf(groups));
    default:
      return spread(field, vector, how, groups);
  }
}

const trackOf = ({ of, count }: Groups) => groupTrack(of, count);

/** An aggregate of the group of each row. */
function spread(field: Field, vector: Vector, how: Aggregate, groups: Groups): Column {
  const made = aggregateGroups(field, vector, how, groups);
  return picked(made.field, new Vector([made.data]), groups.of);
}

const groupNumbers = (field: Field, vector: Vector, how: Aggregate, groups: Groups): Float64Array =>
  numbersOf(new Vector([aggregateGroups(field, vector, how, groups).data]));

function shares(field: Field, vector: Vector, groups: Groups): Column {
  const totals = groupNumbers(field, vector, "sum", groups);
  const share = (value: number, row: number): number => {
    const total = totals[groups.of[row]];
    return total === 0 ? Number.NaN : value / total;
  };
  return doubleColumn(field, numbersOf(vector).map(share));
}

function scores(field: Field, vector: Vector, groups: Groups): Column {
  const means = groupNumbers(field, vector, "mean", groups);
  const deviations = groupNumbers(field, vector, "std", groups);
  const score = (value: number, row: number): number => {
    const deviation = deviations[groups.of[row]];
    return deviation === 0 ? Number.NaN : (value - means[groups.of[row]]) / deviation;
  };
  return doubleColumn(field, numbersOf(vector).map(score));
}

/** The ranks of a column within groups; nulls have none. Values compare exactly, text by code point. */
function ranksOf(
  table: Table,
  at: number,
  { rank, descending = false }: { readonly rank: RankMethod; readonly descending?: boolean },
  groups: Groups,
): Column {
  oneOf(rank, ["average", "min", "max", "dense", "first"], "rank");
  const field = table.schema.fields[at];
  const order = sortedRows(table, [{ column: at, descending }]);
  const values = comparable(vectorAt(table, at), order);
  const { from, to } = groups.spans();
  const rows = new Int32Array(order.length);
  const next = from.slice();
  for (let i = 0; i < order.length; i++) rows[next[groups.of[order[i]]]++] = order[i];
  const ranks = new Float64Array(order.length).fill(Number.NaN);
  for (let group = 0; group < groups.count; group++) {
    let dense = 0;
    let end = from[group];
    for (let start = end; start < to[group] && !Number.isNaN(values[rows[start]]); start = end) {
      const value = values[rows[start]];
      while (end < to[group] && values[rows[end]] === value) end++;
      const low = start - from[group] + 1;
      const high = end - from[group];
      dense++;
      const shared = { average: (low + high) / 2, min: low, max: high, dense, first: low };
      for (let i = start; i < end; i++) ranks[rows[i]] = rank === "first" ? low + i - start : shared[rank];
    }
  }
  return rank === "average" ? doubleColumn(field, ranks) : integerColumn(field, ranks);
}

/** Doubles by row that are equal where the values of a column are, NaN for nulls, which are last in its order. */
function comparable(vector: Vector, order: Uint32Array): Float64Array {
  const exact = DataType.isFloat(vector.type)
    ? numbersOf(vector)
    : isExact(vector.type)
      ? smallUnits(vector)
      : undefined;
  if (exact !== undefined) return exact;
  const numbers = new Float64Array(order.length);
  const present = presentOf(vector);
  for (const [i, number] of numbersInOrder(vector, order).entries()) {
    numbers[order[i]] = present === undefined || present[order[i]] !== 0 ? number : Number.NaN;
  }
  return numbers;
}

/** A number for each place in a sorted order: that of the place before where the values are equal. */
function numbersInOrder(vector: Vector, order: Uint32Array): Int32Array {
  const numbers = new Int32Array(order.length);
  if (order.length < 2) return numbers;
  const [sorted] = takeVector(vector, order).data as readonly Data[];
  const [later, before] = [1, 0].map((from) => new Vector([sliceData(sorted, from, order.length - 1)]));
  const [{ values }] = compare(later, "eq", before, { column: "", method: "rank" }).data;
  for (let i = 1; i < numbers.length; i++) {
    const isEqual = (values[(i - 1) >> 3] >> ((i - 1) & 7)) & 1;
    numbers[i] = numbers[i - 1] + 1 - isEqual;
  }
  return numbers;
}

/** The number, from 1, of the interval between quantiles in which each value is; an upper bound belongs to it. */
export function bucketsOf(
  field: Field,
  vector: Vector,
  count: number,
  { count: groups, spans }: Pick<Groups, "count" | "spans">,
): Column {
  if (!Number.isSafeInteger(count) || count < 1 || count > 1_000_000) {
    throw new InputError(`The number of buckets must be a whole number of 1 or more; got ${shown(count)}.`, {
      code: "BadArgument",
      hint: "Pass 4 for quartiles, 10 for deciles.",
    });
  }
  needNumbers(field);
  const values = numbersOf(vector);
  const { rows, from, to } = spans();
  const ordered = inOrder(values, rows);
  const out = new Float64Array(values.length).fill(Number.NaN);
  for (let g = 0; g < groups; g++) {
    const sorted = ordered.slice(from[g], to[g]).sort(); // NaN last
    let held = sorted.length;
    while (held > 0 && Number.isNaN(sorted[held - 1])) held--;
    const edges = Float64Array.from({ length: count - 1 }, (_, k) => quantileOfSorted(sorted, held, (k + 1) / count));
    for (let i = from[g]; i < to[g]; i++) {
      const row = rows === undefined ? i : rows[i];
      if (!Number.isNaN(values[row])) out[row] = below(edges, values[row]) + 1;
    }
  }
  return integerColumn(field, out);
}

/** How many of ascending numbers are less than a value. */
function below(edges: Float64Array, value: number): number {
  let [low, high] = [0, edges.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (edges[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

function needNumbers(field: Field): Field {
  if (isNumber(field.type)) return field;
  throw new InputError(
    `Column ${JSON.stringify(field.name)} (${typeName(field.type, field.metadata)}) does not hold numbers.`,
    {
      code: "WrongType",
      column: field.name,
      hint: 'Use another column; "rank", "shift", "first", "count" and the like take any.',
    },
  );
}
