import { expect, it } from "vitest";
import { type Frequency, floor, label, next } from "../../src/series/core/calendar.js";
import { civil, FIRST_DAY, formatDate, LAST_DAY, parseDate } from "../../src/value/date.js";
import { isWhole } from "../support/whole.js";

const FREQUENCIES: Frequency[] = ["daily", "weekly", "monthly", "quarterly", "annual"];

/** The same in another way: by walking day after day through the calendar. */
function periodKey(day: number, frequency: Frequency, monday: number): string {
  const { year, month } = civil(day);
  if (frequency === "daily") return String(day);
  if (frequency === "weekly") return `week ${Math.floor((day - monday) / 7)}`;
  if (frequency === "monthly") return `${year}-${month}`;
  return frequency === "quarterly" ? `${year} Q${Math.floor((month - 1) / 3)}` : String(year);
}

it.each([
  ["2011-11-09", ["2011-11-09", "2011-11-13", "2011-11-30", "2011-12-31", "2011-12-31"]],
  ["2007-05-06", ["2007-05-06", "2007-05-06", "2007-05-31", "2007-06-30", "2007-12-31"]],
  ["2015-08-06", ["2015-08-06", "2015-08-09", "2015-08-31", "2015-09-30", "2015-12-31"]],
  ["2024-02-29", ["2024-02-29", "2024-03-03", "2024-02-29", "2024-03-31", "2024-12-31"]],
  ["1969-12-31", ["1969-12-31", "1970-01-04", "1969-12-31", "1969-12-31", "1969-12-31"]],
  ["1900-02-28", ["1900-02-28", "1900-03-04", "1900-02-28", "1900-03-31", "1900-12-31"]],
  ["0001-01-01", ["0001-01-01", "0001-01-07", "0001-01-31", "0001-03-31", "0001-12-31"]],
  ["9999-12-31", ["9999-12-31", "9999-12-31", "9999-12-31", "9999-12-31", "9999-12-31"]],
])("%s is in periods that end on %j", (date, ends) => {
  const day = parseDate(date);
  expect(FREQUENCIES.map((frequency) => formatDate(label(floor(day, frequency), frequency)))).toEqual(ends);
});

/** Days from which every day is looked at: the calendar repeats every 400 years of 146,097 days. */
const FROM = isWhole ? FIRST_DAY : LAST_DAY - 146_097;

it.each(FREQUENCIES)("every day up to 9999-12-31 is in its %s period", (frequency) => {
  const monday = parseDate("2024-01-01");
  let start = floor(FROM, frequency);
  let after = next(start, frequency);
  let key = periodKey(FROM, frequency, monday);
  let wrong = 0;
  for (let day = FROM; day <= LAST_DAY; day++) {
    const now = periodKey(day, frequency, monday);
    if (now !== key) {
      if (after !== day) wrong++;
      key = now;
      start = day;
      after = next(start, frequency);
    }
    if (day % 5 === 0 && floor(day, frequency) !== start) wrong++;
    if (!(start <= day && day < after && label(start, frequency) === Math.min(after - 1, LAST_DAY))) wrong++;
  }
  expect(wrong).toBe(0);
});

it("a week ends on any weekday", () => {
  const wednesday = parseDate("2024-02-28");
  const ends = [0, 1, 2, 3, 4, 5, 6].map((weekEnd) => formatDate(label(floor(wednesday, "weekly", weekEnd), "weekly")));
  expect(ends).toEqual([
    "2024-03-03",
    "2024-03-04",
    "2024-03-05",
    "2024-02-28",
    "2024-02-29",
    "2024-03-01",
    "2024-03-02",
  ]);
});
