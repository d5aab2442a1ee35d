import type { Field, Table } from "../columns/arrow/arrow.js";
import { columnIndex } from "../columns/arrow/column-names.js";
import { keyOf } from "../columns/arrow/key.js";
import { sortedRows } from "../columns/table/sort.js";
import { takeVector } from "../columns/table/take.js";
import { InputError } from "../errors/errors.js";
import { oneOf, refuseUnknown } from "../errors/options.js";
import { datedSeriesOf, isTime, listOf, vectorAt } from "./core/choose.js";
import { daysOf } from "./core/days.js";
import { joinedKey, type Keys, keysOf } from "./core/keys.js";
import { type Column, renamed } from "./core/numbers.js";
import { tableOf } from "./core/tables.js";
import { repeatedDate } from "./track/repeated-date.js";

export interface MergeOptions {
  /**
   * Key columns, by names that every table has. Where left out: the key of the tables if it is the same in all and
   * holds their first date columns, else these date columns alone; neither may repeat.
   */
  readonly on?: string | readonly string[];
  /** `outer` (default): every key of any table; `inner`: keys of all tables; `left`: the rows of the first. */
  readonly how?: "outer" | "inner" | "left";
  /** For each table, what follows a column name that several tables have: `_1`, `_2`, … by default. */
  readonly suffixes?: readonly string[];
}

/**
 * Several tables side by side on a common key, as pandas' `merge` joins them: values of rows whose keys are equal share
 * one row, null where a table has none; keys that repeat meet in every combination; null equals null. `outer` comes
 * sorted by key, newest first where no table is oldest first but one is newest first; `inner` and `left` keep the order
 * of the first table. Column types stay.
 *
 * @throws {InputError} NoFrames, RepeatedDate without `on`, UnknownColumn, NoDateColumn, DifferentTypes,
 *   DuplicateColumn, UnknownValue
 */
export function merge(tables: readonly Table[], options: MergeOptions = {}): Table {
  refuseUnknown(options, ["on", "how", "suffixes"], "merge()");
  if (tables.length === 0) {
    throw new InputError("There is nothing to merge.", {
      code: "NoFrames",
      hint: "Give a list of frames: [first, second].",
    });
  }
  const how = oneOf(options.how ?? "outer", ["outer", "inner", "left"], "how");
  const columns = keyColumns(tables, options.on);
  const keys = keysOf(tables, columns);
  const places = tables.map((_, t) => rowsByCode(keys.codes.rows[t], keys.codes.size));
  const repeats = places.findIndex(({ starts }) => starts.some((start, c) => start - starts[c - 1] > 1));
  if (repeats !== -1 && listOf(options.on).length === 0) throw severalRows(tables, columns, places, repeats);
  const codes = how === "outer" ? outerCodes(tables, columns, keys) : codesInOrder(keys.codes.rows[0]);
  const picks = joined(codes, places, how);
  return sideBySide(tables, columns, keys, picks, { suffixes: options.suffixes, isKeyed: repeats === -1 });
}

/**
 * The named columns; else the key that all tables have, each with its own date column; else their date columns alone.
 */
function keyColumns(tables: readonly Table[], on: MergeOptions["on"]): number[][] {
  const names = listOf(on);
  if (names.length > 0) return tables.map((table) => names.map((name) => columnIndex(table, name)));
  const series = tables.map((table) => datedSeriesOf(table, {}, "merge()"));
  const named = tables.map((table, t) => series[t].by.map((at) => table.schema.fields[at].name));
  const isCommon = named.every((own) => own.length === named[0].length && own.every((name) => named[0].includes(name)));
  if (!isCommon) return series.map(({ on: time }) => [time]);
  const inOrder = [...series[0].by, series[0].on].sort((a, b) => placeInKey(tables[0], a) - placeInKey(tables[0], b));
  return tables.map((table, t) =>
    inOrder.map((at) => (at === series[0].on ? series[t].on : columnIndex(table, tables[0].schema.fields[at].name))),
  );
}

const placeInKey = (table: Table, at: number): number => keyOf(table.schema).indexOf(table.schema.fields[at].name);

/** The error for a table whose date, or key, repeats: merged with another its rows would meet in every combination. */
function severalRows(
  tables: readonly Table[],
  columns: readonly (readonly number[])[],
  places: readonly Places[],
  t: number,
): InputError {
  const { rows, starts } = places[t];
  const code = starts.findIndex((start, c) => start - starts[c - 1] > 1) - 1;
  const on = columns[t].find((at) => isTime(tables[t].schema.fields[at].type)) as number;
  const by = columns[t].filter((at) => at !== on);
  const name = tables[t].schema.fields[on].name;
  return repeatedDate(tables[t], { on, by }, [rows[starts[code]], rows[starts[code] + 1]], {
    subject: `Frame ${t} of merge()`,
    option: (names) => `{ on: ${JSON.stringify([...names, name])} }`,
    onPurpose: `{ on: ${JSON.stringify(name)} } matches the dates alone, in every combination.`,
  });
}

/** Rows by code: those of code c are at `starts[c]` to `starts[c + 1]`. */
interface Places {
  readonly rows: Int32Array;
  readonly starts: Int32Array;
}

function rowsByCode(codes: Int32Array, size: number): Places {
  const starts = new Int32Array(size + 1);
  for (let i = 0; i < codes.length; i++) starts[codes[i] + 1]++;
  for (let c = 0; c < size; c++) starts[c + 1] += starts[c];
  const at = starts.slice();
  const rows = new Int32Array(codes.length);
  for (let i = 0; i < codes.length; i++) rows[at[codes[i]]++] = i;
  return { rows, starts };
}

/** The codes of the first table, each once, in order of first appearance. */
function codesInOrder(codes: Int32Array): Int32Array {
  return Int32Array.from(new Set(codes));
}

/** Every code, sorted by the keys they stand for. */
function outerCodes(tables: readonly Table[], columns: readonly (readonly number[])[], keys: Keys): Int32Array {
  const firstRow = new Int32Array(keys.codes.size).fill(-1);
  let offset = 0;
  for (const codes of keys.codes.rows) {
    for (let i = 0; i < codes.length; i++) if (firstRow[codes[i]] === -1) firstRow[codes[i]] = offset + i;
    offset += codes.length;
  }
  const occurring = Int32Array.from(firstRow.keys()).filter((code) => firstRow[code] !== -1);
  const rows = occurring.map((code) => firstRow[code]);
  const distinct = keys.vectors.map((vectors, k) => ({
    field: keys.fields[k],
    data: takeVector(joinedKey(vectors), rows).data[0],
  }));
  const directions = new Set(tables.map((table, t) => directionOf(table, columns[t])));
  const descending = directions.has(-1) && !directions.has(1);
  const order = sortedRows(
    tableOf(distinct, rows.length),
    distinct.map(({ field }, column) => ({ column, descending: descending && isTime(field.type) })),
  );
  return Int32Array.from(order, (row) => occurring[row]);
}

/** -1 for a table that is newest first, 1 for oldest first, judged by its first two rows; 0 where they are equal. */
function directionOf(table: Table, columns: readonly number[]): number {
  const on = columns.find((at) => isTime(table.schema.fields[at].type));
  if (on === undefined || table.numRows < 2 || vectorAt(table, on).nullCount > 0) return 0;
  const days = daysOf(vectorAt(table, on), table.schema.fields[on].name);
  return Math.sign(days[1] - days[0]);
}

/** For each table the row of every row of the result, -1 for none. */
function joined(codes: Int32Array, places: readonly Places[], how: "outer" | "inner" | "left"): Int32Array[] {
  const counts = new Float64Array(codes.length);
  let total = 0;
  for (let i = 0; i < codes.length; i++) {
    counts[i] = places.reduce((product, { starts }) => {
      const count = starts[codes[i] + 1] - starts[codes[i]];
      return product * (count === 0 && how !== "inner" ? 1 : count);
    }, 1);
    total += counts[i];
  }
  const picks = places.map(() => new Int32Array(total).fill(-1));
  for (let i = 0, at = 0; i < codes.length; at += counts[i], i++) {
    if (counts[i] === 0) continue;
    let repeat = counts[i];
    for (const [t, { rows, starts }] of places.entries()) {
      const from = starts[codes[i]];
      const count = starts[codes[i] + 1] - from;
      if (count === 0) continue;
      repeat /= count;
      for (let k = 0; k < counts[i]; k++) picks[t][at + k] = rows[from + (Math.floor(k / repeat) % count)];
    }
  }
  return how === "outer" ? picks : inFirstOrder(picks);
}

/** The same rows in the order of the first table's. */
function inFirstOrder(picks: Int32Array[]): Int32Array[] {
  const [first] = picks;
  if (first.every((row, i) => i === 0 || first[i - 1] <= row)) return picks;
  const order = Int32Array.from(first.keys()).sort((a, b) => first[a] - first[b] || a - b);
  return picks.map((rows) => order.map((at) => rows[at]));
}

function sideBySide(
  tables: readonly Table[],
  columns: readonly (readonly number[])[],
  keys: Keys,
  picks: readonly Int32Array[],
  {
    suffixes = tables.map((_, t) => `_${t + 1}`),
    isKeyed,
  }: Pick<MergeOptions, "suffixes"> & { readonly isKeyed: boolean },
): Table {
  const length = picks[0].length;
  const made: Column[] = keyColumn(keys, picks, length);
  const values = tables.map((table, t) =>
    table.schema.fields.map((_, at) => at).filter((at) => !columns[t].includes(at)),
  );
  const seen = new Map<string, number>();
  for (const [t, ats] of values.entries()) {
    for (const at of ats) count(seen, tables[t].schema.fields[at].name);
  }
  for (const { field } of made) count(seen, field.name);
  for (const [t, ats] of values.entries()) {
    for (const at of ats) {
      const field = tables[t].schema.fields[at];
      const name = seen.get(field.name) === 1 ? field.name : field.name + (suffixes[t] ?? "");
      made.push({ field: nullable(renamed(field, name)), data: takeVector(vectorAt(tables[t], at), picks[t]).data[0] });
    }
  }
  refuseDuplicates(made);
  return tableOf(made, length, { key: isKeyed ? keys.fields.map(({ name }) => name) : [] });
}

/** Key values, each from the first table that has the row. */
function keyColumn(keys: Keys, picks: readonly Int32Array[], length: number): Column[] {
  const rows = new Int32Array(length);
  const offsets = [0];
  for (const codes of keys.codes.rows) offsets.push(offsets[offsets.length - 1] + codes.length);
  for (let i = 0; i < length; i++) {
    const t = picks.findIndex((part) => part[i] !== -1);
    rows[i] = offsets[t] + picks[t][i];
  }
  return keys.vectors.map((vectors, k) => ({
    field: keys.fields[k],
    data: takeVector(joinedKey(vectors), rows).data[0],
  }));
}

const count = (seen: Map<string, number>, name: string): Map<string, number> =>
  seen.set(name, (seen.get(name) ?? 0) + 1);

const nullable = (field: Field): Field => field.clone({ nullable: true });

function refuseDuplicates(columns: readonly Column[]): void {
  const names = new Set<string>();
  for (const { field } of columns) {
    if (names.has(field.name)) {
      throw new InputError(`Two columns of the result would be called ${JSON.stringify(field.name)}.`, {
        code: "DuplicateColumn",
        column: field.name,
        hint: 'Give suffixes, one for each frame: { suffixes: [" A", " B"] }.',
      });
    }
    names.add(field.name);
  }
}
