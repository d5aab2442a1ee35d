import { Bool, type Table, vectorFromArray } from "../columns/arrow/arrow.js";
import { keyOf } from "../columns/arrow/key.js";
import { fieldOf, typeName } from "../columns/arrow/schema.js";
import { InputError } from "../errors/errors.js";
import { refuseUnknown } from "../errors/options.js";
import { two } from "../value/date.js";
import { dayColumn } from "./collapse.js";
import { ALONG, type Along, datedSeriesOf, vectorAt } from "./core/choose.js";
import { isDayType } from "./core/days.js";
import { type Column, picked } from "./core/numbers.js";
import { type Calendar, type Close, sessionCalendar } from "./core/session-calendar.js";
import { tableOf } from "./core/tables.js";
import { textColumn } from "./describe.js";
import { parseDay } from "./query.js";
import { seriesTrack } from "./track/series-track.js";
import { rowAt } from "./track/track.js";

/**
 * The sessions of a calendar, both ends included: `date`, and of an exchange `close`, in its local time, and `early`.
 *
 * @throws {InputError} UnknownValue, BadArgument, DateOutOfRange
 */
export function sessionTable(calendar: Calendar, from?: string, to?: string): Table {
  const found = sessionCalendar(calendar);
  const first = found.from(from === undefined ? found.first : parseDay(from, "from"));
  const end = Math.max(first, found.through(to === undefined ? found.last : parseDay(to, "to")));
  const closes: readonly (Close | null)[] = found.closes?.slice(first, end) ?? new Array<null>(end - first).fill(null);
  const times = closes.map((close) => close && `${two(Math.floor(close.minutes / 60))}:${two(close.minutes % 60)}`);
  const early = vectorFromArray(
    closes.map((close) => (close === null ? null : close.isEarly)),
    new Bool(),
  );
  const columns: Column[] = [
    dayColumn("date", found.days.slice(first, end)),
    textColumn("close", times),
    { field: fieldOf({ name: "early", type: "Boolean" }), data: early.data[0] },
  ];
  return tableOf(columns, end - first, { key: ["date"] });
}

/**
 * The sessions without a row between the first and the last row of each series: the columns that identify the series,
 * and the date.
 *
 * @throws {InputError} UnknownValue, UnknownColumn, NoDateColumn, EmptyDate, RepeatedDate, DateOutOfRange, WrongType
 */
export function missingSessions(table: Table, calendar: Calendar, along: Along = {}): Table {
  refuseUnknown(along, ALONG, "missingSessions()");
  const { on, by } = datedSeriesOf(table, along, "missingSessions()");
  const { rows, days, keys } = sessionRows(table, calendar, along, "missingSessions()");
  const missing = Int32Array.from(rows.keys()).filter((at) => rows[at] === -1);
  const columns = by.map((at) =>
    picked(
      table.schema.fields[at],
      vectorAt(table, at),
      missing.map((place) => keys[place]),
    ),
  );
  const dates = dayColumn(
    table.schema.fields[on].name,
    missing.map((place) => days[place]),
  );
  const key = [...by, on].map((at) => table.schema.fields[at].name);
  return tableOf([...columns, dates], missing.length, { key });
}

/** The rows of each series, and between them rows of nulls for the sessions without one. */
export function withMissingSessions(table: Table, calendar: Calendar, along: Along, method: string): Table {
  const { on, by } = datedSeriesOf(table, along, method);
  const { rows, days, keys } = sessionRows(table, calendar, along, method);
  const columns = table.schema.fields.map((field, at) => {
    if (at === on) return dayColumn(field.name, days);
    return picked(field.clone({ nullable: true }), vectorAt(table, at), by.includes(at) ? keys : rows);
  });
  return tableOf(columns, rows.length, { key: keyOf(table.schema), metadata: table.schema.metadata });
}

/** Rows by series, in their order: the row of the table, -1 for a missing session; its day; a row of its series. */
function sessionRows(table: Table, calendar: Calendar, along: Along, method: string) {
  const series = datedSeriesOf(table, along, method);
  const { name, type, metadata } = table.schema.fields[series.on];
  if (!isDayType(type)) {
    throw new InputError(`Column ${JSON.stringify(name)} holds timestamps (${typeName(type, metadata)}), not dates.`, {
      code: "WrongType",
      column: name,
      hint: 'Sessions are days: collapse("daily") or resample("daily", { calendar }) first, or pass a Date column as `on`.',
    });
  }
  const sessions = sessionCalendar(calendar);
  const track = seriesTrack(table, series);
  const days = track.days as Int32Array;
  const found: number[][] = [];
  for (let g = 0; g + 1 < track.starts.length; g++) {
    const [from, to] = [track.starts[g], track.starts[g + 1]];
    const own: number[][] = [];
    let next = from < to ? sessions.from(days[from]) : 0;
    for (let at = from; at < to; at++) {
      const end = sessions.from(days[at]);
      for (; next < end; next++) own.push([-1, sessions.days[next], rowAt(track, from)]);
      if (sessions.days[next] === days[at]) next++;
      own.push([rowAt(track, at), days[at], rowAt(track, at)]);
    }
    if (track.newestFirst[g] === 1) own.reverse();
    for (const row of own) found.push(row);
  }
  const column = (part: number): Int32Array => Int32Array.from(found, (row) => row[part]);
  return { rows: column(0), days: column(1), keys: column(2) };
}
