import fc from "fast-check";
import { expect, it } from "vitest";
import {
  civil,
  dayNumber,
  dayOfDate,
  FIRST_DAY,
  formatDate,
  LAST_DAY,
  NO_DATE,
  parseDate,
  readDate,
} from "../../src/value/date.js";
import { formatTimestamp, NO_TIMESTAMP, readTimestamp, TOO_FINE } from "../../src/value/timestamp.js";
import { forAll } from "../support/for-all.js";
import { runs } from "../support/whole.js";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text.padEnd(32, "\n"));
const isoDay = (days: number): string => new Date(days * 86_400_000).toISOString().slice(0, 10);

it("days and their texts agree with the platform's calendar from year 1 to 9999", () => {
  let wrong = 0;
  for (let days = FIRST_DAY; days <= LAST_DAY; days += 17) {
    const text = formatDate(days);
    if (text !== isoDay(days) || parseDate(text) !== days || readDate(bytes(text), 0) !== days) wrong++;
  }
  expect(wrong).toBe(0);
  expect([formatDate(FIRST_DAY), formatDate(LAST_DAY)]).toEqual(["0001-01-01", "9999-12-31"]);
  expect(formatDate(LAST_DAY + 1)).toBe("+010000-01-01");
});

it("a date is read exactly when the calendar has it", () => {
  const two = (n: number): string => String(n).padStart(2, "0");
  forAll({ seed: 41, numRuns: runs(5000) }, fc.nat(9999), fc.nat(14), fc.nat(33), (year, month, day) => {
    const text = `${String(year).padStart(4, "0")}-${two(month)}-${two(day)}`;
    const date = new Date(`${text}T00:00:00Z`);
    const exists = year > 0 && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
    const days = readDate(bytes(text), 0);
    expect([text, days === NO_DATE]).toEqual([text, !exists]);
    expect(days).toBe(dayNumber(year, month, day));
    if (exists) expect(civil(days)).toEqual({ year, month, day });
  });
});

it("no other byte passes for a digit or a dash", () => {
  const good = bytes("2024-02-29");
  for (let at = 0; at < 10; at++) {
    for (let byte = 0; byte < 256; byte++) {
      if (byte >= 48 && byte <= 57 && at !== 4 && at !== 7) continue;
      if (byte === 45 && (at === 4 || at === 7)) continue;
      const text = good.slice();
      text[at] = byte;
      expect(readDate(text, 0)).toBe(NO_DATE);
    }
  }
});

it("a timestamp in the service's three spellings is one value", () => {
  forAll(
    { seed: 42 },
    fc.date({ min: new Date("0001-01-02"), max: new Date("9999-12-30"), noInvalidDate: true }),
    fc.integer({ min: -839, max: 839 }),
    (date, offset) => {
      const ms = date.getTime();
      const read = (text: string): number => readTimestamp(new TextEncoder().encode(text), 0, text.length);
      const iso = date.toISOString();
      const plain = iso.replace("T", " ").replace("Z", "");
      expect([read(iso), read(`${plain} UTC`), read(`${plain} +0000`)]).toEqual([ms, ms, ms]);
      const local = new Date(ms + offset * 60_000).toISOString().replace("Z", "");
      const clock = `${String(Math.floor(Math.abs(offset) / 60)).padStart(2, "0")}:${String(Math.abs(offset) % 60).padStart(2, "0")}`;
      expect(read(`${local}${offset < 0 ? "-" : "+"}${clock}`)).toBe(ms);
      expect(read(formatTimestamp(ms))).toBe(ms);
    },
  );
  const read = (text: string, round = false): number =>
    readTimestamp(new TextEncoder().encode(text), 0, text.length, round);
  expect(read("2024-01-01T00:00:00.0001Z")).toBe(TOO_FINE);
  expect(read("2024-01-01T00:00:00.1230Z")).toBe(read("2024-01-01T00:00:00.123Z"));
  expect(read("2024-01-01T00:00:00.1235Z", true) % 1000).toBe(124);
  expect(read("2024-01-01T00:00:00.1245Z", true) % 1000).toBe(124);
  for (const text of [
    "2024-01-01T00:00:00",
    "2024-01-01T00:00:60Z",
    "2024-01-01 00:00:00 GMT",
    "2024-01-01T00:00:00.Z",
    "2024-01-01T00:00:00+2400",
  ]) {
    expect([text, read(text)]).toEqual([text, NO_TIMESTAMP]);
  }
});

it("a timestamp that is read can be written and read again, whatever its offset", () => {
  const read = (text: string): number => readTimestamp(new TextEncoder().encode(text), 0, text.length);
  const two = (n: number): string => String(n).padStart(2, "0");
  const day = fc.constantFrom("0001-01-01", "0001-01-02", "2024-02-29", "9999-12-30", "9999-12-31");
  const parts = fc.tuple(day, fc.nat(23), fc.constantFrom("+", "-"), fc.nat(23), fc.nat(59));
  forAll(100, parts, ([date, hour, sign, hours, minutes]) => {
    const ms = read(`${date}T${two(hour)}:00:00${sign}${two(hours)}:${two(minutes)}`);
    if (!Number.isNaN(ms)) expect(read(formatTimestamp(ms))).toBe(ms);
  });
  expect(read("9999-12-31T23:59:59.999Z")).toBe((LAST_DAY + 1) * 86_400_000 - 1);
  expect(read("9999-12-31T23:59:59-00:01")).toBe(NO_TIMESTAMP);
  expect(read("0001-01-01T00:00:00+00:01")).toBe(NO_TIMESTAMP);
  expect(read("9999-12-31T23:59:59.9999Z")).toBe(TOO_FINE);
});

it("a Date is the date of its midnight in UTC, in the years 1 to 9999", () => {
  expect(dayOfDate(new Date("2024-02-29"), "from()")).toBe("2024-02-29");
  expect(dayOfDate(new Date("0001-01-01"), "from()")).toBe("0001-01-01");
  expect(dayOfDate(new Date("9999-12-31"), "from()")).toBe("9999-12-31");
  for (const day of ["+010000-01-01", "0000-12-31", "-000001-01-01"]) {
    const far = expect.objectContaining({ code: "BadArgument", message: expect.stringContaining(`from() is ${day}`) });
    expect(() => dayOfDate(new Date(`${day}T00:00:00Z`), "from()")).toThrow(far);
  }
});
