import { type Field, Schema, type Table, type Vector } from "../columns/arrow/arrow.js";
import { columnIndex } from "../columns/arrow/column-names.js";
import { keyOf, withKey } from "../columns/arrow/key.js";
import { tableOfVectors } from "../columns/table/of-vectors.js";
import { sortedRows } from "../columns/table/sort.js";
import { takeColumn, takeVector } from "../columns/table/take.js";
import { InputError } from "../errors/errors.js";
import { oneOf, refuseUnknown } from "../errors/options.js";
import { datedSeriesOf, isTime, listOf, vectorAt } from "./core/choose.js";
import { type Codes, firstsOf, hasRepeats } from "./core/codes.js";
import { daysOf } from "./core/days.js";
import { joinedKey, type Keys, keysOf } from "./core/keys.js";
import { renamed } from "./core/numbers.js";
import { joined } from "./core/pieces.js";
import { refuseRepeatedNames } from "./core/result-shape.js";
import { tableOf } from "./core/tables.js";
import { type Places, pairsOf, rowsByCode } from "./track/matches.js";
import { allRows, type Picks, picksOf } from "./track/picks.js";
import { repeatedDate } from "./track/series-track.js";

/** Options of {@link Frame.align}. */
export interface AlignOptions {
  /**
   * Key columns, by names that all tables have. Default: the key of the tables if it is the same in all and contains
   * their first date columns, otherwise these date columns; the key must then be unique in each table.
   */
  readonly on?: string | readonly string[];
  /** `outer` (default): keys of any table; `inner`: keys of all tables; `left`: the rows of the first table. */
  readonly how?: "outer" | "inner" | "left";
  /** For each table, the suffix of column names that several tables have; by default `_1`, `_2`, …. */
  readonly suffixes?: readonly string[];
}

/**
 * Aligns several tables on a common key: rows with equal keys become one row, with nulls for
 * tables that lack the key; repeated keys produce every combination; null equals null. `outer` is sorted by key, newest
 * first if no table is oldest first but one is newest first; `inner` and `left` keep the order of the first table.
 * Column types stay.
 *
 * @throws {InputError} NoFrames, RepeatedDate without `on`, UnknownColumn, NoDateColumn, DifferentTypes,
 *   DuplicateColumn, UnknownValue, BadArgument for 2^31 rows or more
 */
export function align(tables: readonly Table[], options: AlignOptions = {}): Table {
  refuseUnknown(options, ["on", "how", "suffixes"], "align()");
  if (tables.length === 0) {
    throw new InputError("align() expects at least one frame.", {
      code: "NoFrames",
      hint: "Pass an array of frames: [first, second].",
    });
  }
  const how = oneOf(options.how ?? "outer", ["outer", "inner", "left"], "how");
  const columns = keyColumns(tables, options.on);
  const keys = keysOf(tables, columns);
  const { rows, size } = keys.codes;
  const repeats = rows.findIndex((codes) => hasRepeats(codes, size));
  if (repeats !== -1 && listOf(options.on).length === 0) {
    throw severalRows(tables, columns, rowsByCode(rows[repeats], size), repeats);
  }
  const picks = picksFor(keys.codes, how === "outer" ? outerCodes(tables, columns, keys) : how);
  return sideBySide(tables, columns, keys, picks, { suffixes: options.suffixes, isKeyed: repeats === -1 });
}

/**
 * The named columns; otherwise the common key of all tables, each with its own date column; otherwise the date columns
 * alone.
 */
function keyColumns(tables: readonly Table[], on: AlignOptions["on"]): number[][] {
  const names = listOf(on);
  if (names.length > 0) return tables.map((table) => names.map((name) => columnIndex(table, name)));
  const series = tables.map((table) => datedSeriesOf(table, {}, "align()"));
  const named = tables.map((table, t) => series[t].by.map((at) => table.schema.fields[at].name));
  const isCommon = named.every((own) => own.length === named[0].length && own.every((name) => named[0].includes(name)));
  if (!isCommon) return series.map(({ on: time }) => [time]);
  const inOrder = [...series[0].by, series[0].on].sort((a, b) => placeInKey(tables[0], a) - placeInKey(tables[0], b));
  return tables.map((table, t) =>
    inOrder.map((at) => (at === series[0].on ? series[t].on : columnIndex(table, tables[0].schema.fields[at].name))),
  );
}

const placeInKey = (table: Table, at: number): number => keyOf(table.schema).indexOf(table.schema.fields[at].name);

/** The error for a table with repeated dates or keys, whose rows would be combined with every match. */
function severalRows(
  tables: readonly Table[],
  columns: readonly (readonly number[])[],
  { rows, starts }: Places,
  t: number,
): InputError {
  const code = starts.findIndex((start, c) => start - starts[c - 1] > 1) - 1;
  const on = columns[t].find((at) => isTime(tables[t].schema.fields[at].type)) as number;
  const by = columns[t].filter((at) => at !== on);
  const name = tables[t].schema.fields[on].name;
  return repeatedDate(tables[t], { on, by }, [rows[starts[code]], rows[starts[code] + 1]], {
    subject: `Frame ${t} of align()`,
    option: (names) => `{ on: ${JSON.stringify([...names, name])} }`,
    onPurpose: `{ on: ${JSON.stringify(name)} } matches by date alone, in every combination.`,
  });
}

/**
 * For each table, its row for every row of the result: the sorted codes, or the rows of the first table, with every
 * combination of the rows of the others.
 */
function picksFor({ rows, size }: Codes, how: Int32Array | "inner" | "left"): Picks[] {
  let picks: Picks[] = [];
  let codes = rows[0];
  if (how === "left") picks = [allRows(codes.length)];
  else if (how === "inner") {
    const kept = rowsInAll(rows, size);
    picks = [picksOf(kept, codes.length)];
    codes = kept.map((row) => rows[0][row]);
  } else codes = how;
  for (const [t, right] of rows.entries()) {
    if (t < picks.length) continue;
    const pairs = pairsOf({ left: codes, right, size }, "left", "align()");
    const { left } = pairs;
    if (left !== undefined) {
      const own = picks.map((known) => known.rows());
      picks = own.map((known, i) =>
        picksOf(
          left.map((at) => known[at]),
          rows[i].length,
        ),
      );
      codes = left.map((at) => codes[at]);
    }
    picks.push(typeof how === "string" ? pairs.right : picksOf(pairs.right.rows(), right.length));
  }
  return picks;
}

/** The rows of the first table whose codes all others have. */
function rowsInAll([first, ...others]: readonly Int32Array[], size: number): Int32Array {
  const found = new Int32Array(size);
  for (const [t, codes] of others.entries()) {
    for (let i = 0; i < codes.length; i++) if (found[codes[i]] === t) found[codes[i]]++;
  }
  const kept = new Int32Array(first.length);
  let count = 0;
  for (let i = 0; i < first.length; i++) if (found[first[i]] === others.length) kept[count++] = i;
  return kept.slice(0, count);
}

/** All codes, sorted by the keys they represent. */
function outerCodes(tables: readonly Table[], columns: readonly (readonly number[])[], keys: Keys): Int32Array {
  const all = joined(keys.codes.rows, Int32Array);
  const rows = firstsOf({ rows: [all], size: keys.codes.size });
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
  return Int32Array.from(order, (at) => all[rows[at]]);
}

/** -1 for a table that is newest first, 1 for oldest first, determined by its first two rows; 0 if they are equal. */
function directionOf(table: Table, columns: readonly number[]): number {
  const on = columns.find((at) => isTime(table.schema.fields[at].type));
  if (on === undefined || table.numRows < 2 || vectorAt(table, on).nullCount > 0) return 0;
  const days = daysOf(vectorAt(table, on), table.schema.fields[on].name);
  return Math.sign(days[1] - days[0]);
}

function sideBySide(
  tables: readonly Table[],
  columns: readonly (readonly number[])[],
  keys: Keys,
  picks: readonly Picks[],
  {
    suffixes = tables.map((_, t) => `_${t + 1}`),
    isKeyed,
  }: Pick<AlignOptions, "suffixes"> & { readonly isKeyed: boolean },
): Table {
  const length = picks[0].length;
  // A table whose rows are all there in order is shared, not copied.
  const made: Sided[] = keyVectors(keys, picks, length);
  // Columns beside those of the first table are cut where its batches are.
  const cuts = picks[0].isWhole ? tables[0].batches.map(({ numRows }) => numRows) : undefined;
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
      const own = vectorAt(tables[t], at);
      made.push({ field: nullable(renamed(field, name)), vector: picks[t].isWhole ? own : picks[t].taken(own, cuts) });
    }
  }
  refuseRepeatedNames(made, 'Pass suffixes, one per frame: { suffixes: [" A", " B"] }.');
  const fields = made.map(({ field, vector }) => field.clone({ type: vector.type }));
  const schema = withKey(new Schema(fields), isKeyed ? keys.fields.map(({ name }) => name) : []);
  return tableOfVectors(
    schema,
    made.map(({ vector }) => vector),
    length,
  );
}

interface Sided {
  readonly field: Field;
  readonly vector: Vector;
}

/** Key values, each from the first table that has the row. */
function keyVectors(keys: Keys, picks: readonly Picks[], length: number): Sided[] {
  if (picks[0].isWhole)
    return keys.vectors.map((vectors, k) => ({ field: nullable(keys.fields[k]), vector: vectors[0] }));
  const rows = new Int32Array(length).fill(-1);
  let offset = 0;
  for (const [t, { rows: rowsOf }] of picks.entries()) {
    const part = rowsOf();
    for (let i = 0; i < length; i++) if (rows[i] === -1 && part[i] !== -1) rows[i] = offset + part[i];
    offset += keys.codes.rows[t].length;
  }
  return keys.vectors.map((vectors, k) => ({
    field: keys.fields[k],
    vector: takeColumn(joinedKey(vectors), rows),
  }));
}

const count = (seen: Map<string, number>, name: string): Map<string, number> =>
  seen.set(name, (seen.get(name) ?? 0) + 1);

const nullable = (field: Field): Field => field.clone({ nullable: true });
