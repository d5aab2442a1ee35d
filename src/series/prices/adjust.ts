import type { DataType, Table, Vector } from "../../columns/arrow/arrow.js";
import { columnIndex, namesOf } from "../../columns/arrow/column-names.js";
import { cellText } from "../../columns/arrow/vector-values.js";
import { InputError } from "../../errors/errors.js";
import { refuseUnknown } from "../../errors/options.js";
import type { OneOrMore } from "../../spec/columns.js";
import { seriesPairs } from "../asof.js";
import { ALONG, type Along, choose, datedSeriesOf, listOf, requireTime, vectorAt } from "../core/choose.js";
import { exactOf, isExact } from "../core/exact.js";
import { type Fraction, fractionOf, inverse, minus, ONE, product, times, twoDoubles } from "../core/fraction.js";
import { type Computed, doubleColumn, numbersOf } from "../core/numbers.js";
import { withColumns } from "../core/tables.js";
import { seriesTrack } from "../track/series-track.js";
import { rowAt, type Track } from "../track/track.js";

/** Options of {@link Frame.adjust}. */
export interface AdjustOptions<Name extends string = string> extends Along<Name> {
  /** The columns of prices. */
  readonly columns: OneOrMore<Name>;
  /** Columns of volumes, which splits multiply and dividends leave as they are. */
  readonly volume?: OneOrMore<Name>;
  /** The closing prices that dividends are compared with; by default the column of prices, if it is one. */
  readonly close?: Name;
  /** The column of the actions with the new shares for each old one, as 4 or 0.1; `split` by default. */
  readonly split?: string;
  /** The column of the actions with the cash paid for each share, before a split of that day; `dividend` by default. */
  readonly dividend?: string;
}

/**
 * Prices and volumes before splits and dividends made comparable with the latest ones (backward adjustment): a price
 * becomes price · Π (1 / split) · (1 − dividend / close) over the actions dated after it, where close is the last one
 * before the action, as traded; the factors of CRSP and Yahoo. A volume becomes volume · Π split.
 *
 * `actions` has a row for each date on which a share first trades without the dividend or after the split, and the
 * columns that identify a series. Null means none; dividends of one date add. The factors are exact
 * fractions (a double counts as its shortest digits) and each result is rounded once, to `Float64`.
 *
 * @throws {InputError} BadArgument for a split that is not above 0, or a dividend below 0 or of the whole price;
 *   UnknownColumn, WrongType, NoDateColumn, EmptyDate, RepeatedDate, DifferentTypes
 * @example
 * ```ts
 * import { Frame } from "arrowbook";
 * const prices = Frame.fromColumns(
 *   { date: ["2020-08-28", "2020-08-31"], close: ["499.23", "129.04"] }, { date: "Date", close: "BigDecimal(9,2)" },
 * );
 * const actions = Frame.fromColumns({ date: ["2020-08-31"], split: [4] }, { date: "Date" });
 * prices.adjust(actions, { columns: "close" }).column("close").toArray(); // 124.8075, 129.04
 * ```
 */
export function adjust(table: Table, actions: Table, options: AdjustOptions): Table {
  refuseUnknown(options ?? null, [...ALONG, "columns", "volume", "close", "split", "dividend"], "adjust()");
  const series = datedSeriesOf(table, options, "adjust()");
  const prices = choose(table, { ...options, columns: needPrices(options) }).values;
  const volumes = choose(table, { ...options, columns: listOf(options.volume) }).values;
  const track = seriesTrack(table, series);
  const factors = factorsOf(table, actions, track, options, prices);
  const replaced = new Map<number, Computed>();
  for (const at of prices) replaced.set(at, adjusted(table, at, track, factors, "price"));
  for (const at of volumes) replaced.set(at, adjusted(table, at, track, factors, "volume"));
  return withColumns(table, replaced);
}

function needPrices({ columns }: AdjustOptions): readonly string[] {
  if (listOf(columns).length > 0) return listOf(columns);
  throw new InputError("adjust() expects the columns of prices as `columns`; got none.", {
    code: "BadArgument",
    hint: 'Such as adjust(actions, { columns: ["open", "high", "low", "close"], volume: "volume", close: "close" }).',
  });
}

/** The factors of the positions of the track from `from` to `to` (exclusive). */
interface Factors {
  readonly from: number;
  readonly to: number;
  readonly price: Fraction;
  readonly volume: Fraction;
}

function factorsOf(
  table: Table,
  actions: Table,
  track: Track,
  options: AdjustOptions,
  prices: readonly number[],
): Factors[] {
  const on = requireTime(actions, options.on, "adjust()");
  const names = datedSeriesOf(table, options, "adjust()").by.map((at) => table.schema.fields[at].name);
  const { leftCodes, track: dated, places } = seriesPairs(table, actions, names, on);
  const read = actionReader(actions, options);
  const close = closeOf(table, options, prices);
  const days = track.days as Int32Array;
  const found: Factors[] = [];
  for (let g = 0; g + 1 < track.starts.length; g++) {
    const from = track.starts[g];
    let to = track.starts[g + 1];
    if (from === to) continue;
    const place = places[leftCodes === undefined ? 0 : leftCodes[rowAt(track, from)]] ?? -1;
    let [price, volume] = [ONE, ONE];
    let action = place === -1 ? 0 : dated.starts[place + 1];
    const first = place === -1 ? 0 : dated.starts[place];
    while (action > first) {
      const day = (dated.days as Int32Array)[action - 1];
      let next = to;
      while (next > from && days[next - 1] >= day) next--;
      found.push({ from: next, to, price, volume });
      to = next;
      let cash: Fraction = { over: 0n, under: 1n };
      for (; action > first && (dated.days as Int32Array)[action - 1] === day; action--) {
        const { split, dividend } = read(rowAt(dated, action - 1));
        price = times(price, inverse(split));
        volume = times(volume, split);
        cash = minus(dividend, { over: -cash.over, under: cash.under });
      }
      if (cash.over > 0n) price = times(price, keptOf(cash, close, track, [from, to]));
    }
    found.push({ from, to, price, volume });
  }
  return found;
}

/** The part of the price that a dividend leaves: 1 − dividend / close, of the last close of the positions. */
function keptOf(cash: Fraction, close: () => Vector, track: Track, [from, to]: readonly [number, number]): Fraction {
  const vector = close();
  for (let at = to - 1; at >= from; at--) {
    const text = cellText(vector, rowAt(track, at));
    if (text === null || text === "NaN") continue;
    const kept = minus(ONE, times(cash, inverse(fractionOf(text))));
    if (kept.over > 0n) return kept;
    const paid = twoDoubles(cash).high;
    throw new InputError(`A dividend of ${paid} is not less than the close before it, ${text}.`, {
      code: "BadArgument",
      row: rowAt(track, at),
      value: text,
      hint: "Pass dividends for each share, in the currency of the prices, and closes as traded.",
    });
  }
  return ONE;
}

function closeOf(table: Table, { close }: AdjustOptions, prices: readonly number[]): () => Vector {
  if (close !== undefined) {
    const [at] = choose(table, { columns: close }).values;
    return () => vectorAt(table, at);
  }
  return () => {
    if (prices.length === 1) return vectorAt(table, prices[0]);
    throw new InputError("adjust() expects the column of closing prices as `close`, for dividends; got none.", {
      code: "BadArgument",
      hint: 'Pass its name: { close: "close" }.',
    });
  };
}

/** Reads the split and the dividend of a row of the actions. */
function actionReader(
  actions: Table,
  given: AdjustOptions,
): (row: number) => { readonly split: Fraction; readonly dividend: Fraction } {
  // A name that the caller gave must exist.
  for (const name of [given.split, given.dividend]) if (name !== undefined) columnIndex(actions, name);
  const { split = "split", dividend = "dividend" } = given;
  const held = [split, dividend].filter((name) => namesOf(actions).includes(name));
  // The error for a missing column names the nearest one.
  if (held.length === 0) columnIndex(actions, split);
  const cell = (name: string, row: number, none: string, isValid: (value: Fraction) => boolean): Fraction => {
    const at = held.includes(name) ? choose(actions, { columns: name }).values[0] : -1;
    const text = at === -1 ? null : cellText(vectorAt(actions, at), row);
    const value = fractionOf(text === null || text === "NaN" ? none : text);
    if (isValid(value)) return value;
    throw new InputError(`Row ${row} of the actions has ${JSON.stringify(name)} ${text}.`, {
      code: "BadArgument",
      column: name,
      row,
      value: String(text),
      hint: "Pass new shares for each old one, above 0, and the cash paid for a share, 0 or more; null for none.",
    });
  };
  return (row) => ({
    split: cell(split, row, "1", ({ over }) => over > 0n),
    dividend: cell(dividend, row, "0", ({ over }) => over >= 0n),
  });
}

function adjusted(
  table: Table,
  at: number,
  track: Track,
  factors: readonly Factors[],
  kind: "price" | "volume",
): Computed {
  const field = table.schema.fields[at];
  const vector = vectorAt(table, at);
  const out = numbersOf(vector).slice();
  const exact = isExact(field.type as DataType) ? exactOf(vector) : undefined;
  const unit = exact === undefined ? ONE : { over: 1n, under: 10n ** BigInt(exact.scale ?? 0) };
  for (const { from, to, ...factor } of factors) {
    if (factor[kind] === ONE) continue;
    const whole = times(factor[kind], unit);
    const doubles = twoDoubles(whole);
    for (let i = from; i < to; i++) {
      const row = rowAt(track, i);
      const units = exact?.units[row];
      if (units === undefined) out[row] = product(out[row], doubles);
      else if (units === null) continue;
      else if (Number.isSafeInteger(Number(units))) out[row] = product(Number(units), doubles);
      else out[row] = twoDoubles(times(whole, { over: units, under: 1n })).high;
    }
  }
  return doubleColumn(field, out);
}
