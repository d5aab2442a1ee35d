import { civil } from "../../value/date.js";
import { DataType, Int64, type Vector } from "../arrow/arrow.js";
import { instantsOf } from "../arrow/instants.js";
import { isValid, mapChunks, unitsData, validOf } from "./chunks.js";
import { type Place, wrongType } from "./place.js";
import { store } from "./units.js";

/** A part of a date: its year, its month from 1, its weekday from 1 (Monday) to 7 as ISO 8601 counts. */
export type DatePart = "year" | "month" | "weekday";

const PARTS: Readonly<Record<DatePart, (days: number) => number>> = {
  year: (days) => civil(days).year,
  month: (days) => civil(days).month,
  weekday: (days) => ((((days + 3) % 7) + 7) % 7) + 1,
};

const INTEGER = { scale: 0, precision: 19, isInteger: true };

/**
 * A part of each date, or of each timestamp in UTC, as an integer; null stays null.
 *
 * @throws {InputError} WrongType
 */
export function datePart(vector: Vector, name: DatePart, place: Place): Vector {
  const type = vector.type as DataType;
  if (!DataType.isDate(type) && !DataType.isTimestamp(type)) {
    throw wrongType(place, type, "a column of dates or timestamps");
  }
  const part = PARTS[name];
  return mapChunks(vector, new Int64(), (data) => {
    const valid = validOf(data);
    const words = new Int32Array(2 * data.length);
    const { days } = instantsOf(data);
    // Dates come in runs and repeat: the last one is kept.
    let [last, value] = [Number.NaN, 0];
    for (let i = 0; i < data.length; i++) {
      if (!isValid(valid, i)) continue;
      const day = days(i);
      if (day !== last) [last, value] = [day, part(day)];
      store(words, 2 * i, 2, value);
    }
    return unitsData(INTEGER, data.length, words, valid);
  });
}
