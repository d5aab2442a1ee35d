import type { Table } from "../../columns/arrow/arrow.js";
import { fieldOf } from "../../columns/arrow/schema.js";
import { refuseUnknown } from "../../errors/options.js";
import { ALONG, type Along, choose, datedSeriesOf, vectorAt } from "../core/choose.js";
import { doubleColumn, picked, renamed } from "../core/numbers.js";
import { refuseRepeatedNames } from "../core/result-shape.js";
import { tableOf } from "../core/tables.js";
import { numbersAlong } from "../track/kernel.js";
import { seriesTrack } from "../track/series-track.js";
import { rowAt } from "../track/track.js";

/** A fall below the highest value so far, by positions of the track; `recovery` is -1 where it has not ended. */
interface Drawdown {
  readonly start: number;
  readonly trough: number;
  readonly recovery: number;
  readonly depth: number;
}

/**
 * The drawdowns of a column, one row each, by series and date: the columns that identify the series; `start`, the last
 * date at the highest value so far; `trough`, the first date of the lowest value after it; `recovery`, the first date
 * at or above the highest value again, or null; and `depth`, lowest / highest − 1, the least of `drawdown()` in
 * between. Nulls are skipped, and so are values until the first above 0.
 *
 * @throws {InputError} UnknownColumn, WrongType, NoDateColumn, EmptyDate, RepeatedDate, DuplicateColumn
 */
export function drawdowns(table: Table, column: string, along: Along = {}): Table {
  refuseUnknown(along, ALONG, "drawdowns()");
  const series = datedSeriesOf(table, along, "drawdowns()");
  const [at] = choose(table, { ...along, columns: column }).values;
  const track = seriesTrack(table, series);
  const y = numbersAlong(table, at, track);
  const found: Drawdown[] = [];
  for (let g = 0; g + 1 < track.starts.length; g++) {
    for (const one of drawdownsOf(y, track.starts[g], track.starts[g + 1])) found.push(one);
  }
  const rows = (name: "start" | "trough" | "recovery"): Int32Array =>
    Int32Array.from(found, (one) => (one[name] === -1 ? -1 : rowAt(track, one[name])));
  const { fields } = table.schema;
  const dates = (["start", "trough", "recovery"] as const).map((name) =>
    picked(renamed(fields[series.on], name).clone({ nullable: true }), vectorAt(table, series.on), rows(name)),
  );
  const columns = [
    ...series.by.map((key) => picked(fields[key], vectorAt(table, key), rows("start"))),
    ...dates,
    doubleColumn(
      fieldOf({ name: "depth", type: "double" }),
      Float64Array.from(found, ({ depth }) => depth),
    ),
  ];
  refuseRepeatedNames(columns, "Rename the column first.");
  return tableOf(columns, found.length, { key: [...series.by.map((key) => fields[key].name), "start"] });
}

function drawdownsOf(y: Float64Array, from: number, to: number): Drawdown[] {
  const found: Drawdown[] = [];
  let start = -1;
  let trough = -1;
  const end = (recovery: number): void => {
    if (trough !== -1) found.push({ start, trough, recovery, depth: y[trough] / y[start] - 1 });
    trough = -1;
  };
  for (let i = from; i < to; i++) {
    if (Number.isNaN(y[i]) || (start === -1 && y[i] <= 0)) continue;
    if (start === -1 || y[i] >= y[start]) {
      end(i);
      start = i;
    } else if (trough === -1 || y[i] < y[trough]) trough = i;
  }
  end(-1);
  return found;
}
