import type { Table } from "../../columns/arrow/arrow.js";
import { type SeriesColumns, vectorAt } from "../core/choose.js";
import { timestampsOf } from "../core/days.js";
import { type RepeatMessage, repeatedDate } from "./repeated-date.js";
import { rowAt, type Track, trackOf } from "./track.js";
import { byTimestamp, firstRepeat } from "./within-days.js";

/**
 * The track through the series of a table. Rows of one day are ordered by their timestamps if the column has any.
 *
 * @throws {InputError} RepeatedDate if a date repeats within a series, unless all rows are explicitly one series
 */
export function seriesTrack(table: Table, series: SeriesColumns, message?: RepeatMessage): Track {
  const track = trackOf(table, series.on, series.by);
  if (!track.repeats || series.on === undefined) return track;
  const timestamps = timestampsOf(vectorAt(table, series.on));
  const ordered = timestamps === undefined ? track : byTimestamp(track, timestamps);
  const at = series.isOne ? undefined : firstRepeat(ordered, timestamps);
  if (at === undefined) return ordered;
  throw repeatedDate(table, { on: series.on, by: series.by }, [rowAt(ordered, at - 1), rowAt(ordered, at)], message);
}
