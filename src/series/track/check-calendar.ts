import type { Table } from "../../columns/arrow/arrow.js";
import { cellText } from "../../columns/arrow/vector-values.js";
import { InputError } from "../../errors/errors.js";
import { FIRST_DAY, LAST_DAY } from "../../value/date.js";
import { vectorAt } from "../core/choose.js";
import { rowAt, type Track } from "./track.js";

/**
 * Checks that all dates of column `on` are within the years that have calendar periods.
 *
 * @throws {InputError} DateOutOfRange
 */
export function checkCalendar(table: Table, on: number, track: Track): void {
  const { starts } = track;
  const days = track.days as Int32Array;
  for (let g = 0; g + 1 < starts.length; g++) {
    if (starts[g] === starts[g + 1]) continue;
    const last = starts[g + 1] - 1;
    if (days[starts[g]] >= FIRST_DAY && days[last] <= LAST_DAY) continue;
    const row = rowAt(track, days[last] > LAST_DAY ? last : starts[g]);
    const { name } = table.schema.fields[on];
    const date = cellText(vectorAt(table, on), row) ?? undefined;
    throw new InputError(`Row ${row} of ${JSON.stringify(name)} is ${date}, outside of the years 1 to 9999.`, {
      code: "DateOutOfRange",
      column: name,
      row,
      value: date,
      hint: "Filter out such rows first, or pass another date column as `on`.",
    });
  }
}
