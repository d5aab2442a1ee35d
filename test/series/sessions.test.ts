import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Frame, sessions } from "../../src/index.js";
import { sessionCalendar } from "../../src/series/core/session-calendar.js";
import { formatDate, parseDate, two } from "../../src/value/date.js";
import { columnSpecs } from "../support/column-specs.js";
import { forAll } from "../support/for-all.js";
import { runs } from "../support/whole.js";

/** What exchange_calendars has: test/clients/calendars.py writes it. */
const [source, ...exchanges] = readFileSync(new URL("calendars.txt", import.meta.url), "utf8")
  .trimEnd()
  .split("\n");

describe("the sessions of exchanges", () => {
  it("are those of at least 40 exchanges, in at most 60 kB", () => {
    expect(source).toBe("exchange_calendars 4.13.2");
    expect(exchanges.length).toBeGreaterThanOrEqual(40);
    expect(statSync(new URL("../../src/platform/sessions.bin", import.meta.url)).size).toBeLessThan(60_000);
    expect(readFileSync(new URL("../../src/platform/sessions.bin", import.meta.url))).toEqual(
      readFileSync(new URL("../../dist/sessions.bin", import.meta.url)),
    );
  });

  it.each(exchanges.map((line) => line.split("\t")))(
    "of %s in %s are those of exchange_calendars, year by year",
    (...line) => {
      const [code, , first, last, ...years] = line;
      const calendar = sessionCalendar(code);
      expect([calendar.first, calendar.last].map(formatDate)).toEqual([first, last]);
      const found = new Map<string, string[]>();
      for (const [i, day] of calendar.days.entries()) {
        const date = formatDate(day);
        const { minutes, isEarly } = calendar.closes?.[i] ?? { minutes: 0, isEarly: false };
        const text = `${date} ${two(Math.floor(minutes / 60))}:${two(minutes % 60)}${isEarly ? " early" : ""}`;
        found.set(date.slice(0, 4), [...(found.get(date.slice(0, 4)) ?? []), text]);
      }
      const facts = [...found].map(([year, all]) => {
        const digest = createHash("sha256").update(all.join("\n")).digest("hex").slice(0, 8);
        return `${year} ${all.length} ${all.filter((text) => text.endsWith("early")).length} ${digest}`;
      });
      expect(facts).toEqual(years);
    },
  );

  it("have early closes and special closures", () => {
    const week = sessions("XNYS", "2001-09-10", "2001-09-18").column("date").toArray();
    expect(week).toEqual(["2001-09-10", "2001-09-17", "2001-09-18"]);
    expect(sessions("XNYS", "2024-11-28", "2024-12-01").toArray()).toEqual([
      { date: "2024-11-29", close: "13:00", early: true },
    ]);
    expect(sessions("XLON", "2022-09-16", "2022-09-20").column("date").toArray()).toEqual(["2022-09-16", "2022-09-20"]);
    expect(sessions("XNYS", "2024-07-06", "2024-07-07").numRows).toBe(0);
    expect(sessions(["2024-01-05", "2024-01-02"]).toArray()).toEqual([
      { date: "2024-01-02", close: null, early: null },
      { date: "2024-01-05", close: null, early: null },
    ]);
  });
});

/** Series of dates with a value each; `k` says which series. */
const frameOf = (rows: readonly { readonly k: string; readonly day: number; readonly x: number | null }[]) =>
  Frame.fromColumns(
    { k: rows.map(({ k }) => k), d: rows.map(({ day }) => formatDate(day)), x: rows.map(({ x }) => x) },
    { d: "Date", x: "double" },
  );
const MONDAY = parseDate("2024-01-01");
const everyDay = fc.integer({ min: 0, max: 80 }).map((day) => MONDAY + day);
const rows = fc.uniqueArray(
  fc.record({ k: fc.constantFrom("a", "b"), day: everyDay, x: fc.option(fc.integer({ min: 0, max: 99 })) }),
  { minLength: 1, maxLength: 40, selector: ({ k, day }) => `${k}${day}` },
);
/** Any days, that the last one follows: no row is after the last session. */
const calendars = fc
  .uniqueArray(everyDay, { minLength: 1, maxLength: 60 })
  .map((days) => [...new Set([MONDAY, ...days, MONDAY + 90])].sort((a, b) => a - b));
const datesOf = (days: readonly number[]) => days.map(formatDate);
const bySeries = <Row extends { readonly k: string; readonly day: number }>(all: readonly Row[]): Row[][] =>
  [...new Set(all.map(({ k }) => k))].map((k) => all.filter((row) => row.k === k).sort((a, b) => a.day - b.day));
const sorted = (found: readonly object[]) => found.map((row) => JSON.stringify(row)).sort();

describe("a frame on a calendar", () => {
  it("misses the sessions between the first and last row of each series that have no row", () => {
    forAll({ numRuns: runs(200), seed: 40 }, rows, calendars, (all, days) => {
      const expected = bySeries(all).flatMap((series) =>
        days
          .filter((day) => day > series[0].day && day < series[series.length - 1].day)
          .filter((day) => series.every((row) => row.day !== day))
          .map((day) => ({ k: series[0].k, d: formatDate(day) })),
      );
      const found = frameOf(all).missingSessions(datesOf(days), { by: "k" });
      expect(sorted(found.toArray())).toEqual(sorted(expected));
      expect(found.key).toEqual(["k", "d"]);
    });
  });

  it("fill() adds those, and fills them and other nulls; no other row comes or goes", () => {
    forAll({ numRuns: runs(200), seed: 41 }, rows, calendars, (all, days) => {
      const found = frameOf(all)
        .fill("forward", { calendar: datesOf(days), by: "k" })
        .toArray();
      const expected = bySeries(all).flatMap((series) => {
        const between = days.filter((day) => day > series[0].day && day < series[series.length - 1].day);
        let last: number | null = null;
        return [...new Set([...between, ...series.map(({ day }) => day)])]
          .sort((a, b) => a - b)
          .map((day) => {
            last = series.find((row) => row.day === day)?.x ?? last;
            return { k: series[0].k, d: formatDate(day), x: last };
          });
      });
      expect(sorted(found)).toEqual(sorted(expected));
    });
  });

  it("a window of sessions has the rows of the last ones; a day without one belongs to the next", () => {
    forAll({ numRuns: runs(200), seed: 42 }, rows, calendars, fc.integer({ min: 1, max: 6 }), (all, days, size) => {
      const options = { unit: "sessions", calendar: datesOf(days), by: "k", columns: "x" } as const;
      const found = frameOf(all).rolling(size, "sum", options).column("x").toArray() as (number | null)[];
      const session = (day: number) => days.findIndex((other) => other >= day);
      for (const [i, row] of all.entries()) {
        const held = all.filter(
          ({ k, day, x }) => k === row.k && day <= row.day && session(day) > session(row.day) - size && x !== null,
        );
        expect(found[i]).toBe(held.length === 0 ? null : held.reduce((sum, { x }) => sum + Number(x), 0));
      }
    });
  });

  it("resample() has a row for each session, week or month of sessions, dated with its last session", () => {
    forAll(
      { numRuns: runs(300), seed: 43 },
      rows,
      calendars,
      fc.constantFrom("daily", "weekly", "monthly"),
      (all, days, frequency) => {
        const period = (day: number): number => {
          if (frequency === "daily") return day;
          if (frequency === "weekly") return Math.floor((day - MONDAY) / 7);
          return new Date(day * 86_400_000).getUTCMonth();
        };
        /** The last session of the period of a day, or of the next that has one. */
        const dated = (day: number): number => {
          const next = days.find((other) => other >= day || period(other) === period(day)) as number;
          return Math.max(...days.filter((other) => period(other) === period(next)));
        };
        const options = { calendar: datesOf(days), by: "k", value: "sum" } as const;
        const found = frameOf(all).resample(frequency, options).toArray();
        const expected = bySeries(all).flatMap((series) => {
          const [first, last] = [dated(series[0].day), dated(series[series.length - 1].day)];
          return [...new Set(days.map(dated))]
            .filter((day) => day >= first && day <= last)
            .map((day) => {
              const held = series.filter((row) => dated(row.day) === day && row.x !== null);
              const x = held.length === 0 ? null : held.reduce((sum, row) => sum + Number(row.x), 0);
              return { k: series[0].k, d: formatDate(day), x };
            });
        });
        expect(sorted(found)).toEqual(sorted(expected));
      },
    );
  });

  it("of an exchange skips its holidays, not only weekends", () => {
    const prices = Frame.fromRows(
      [
        { d: "2024-07-02", x: 1 },
        { d: "2024-07-08", x: 2 },
      ],
      columnSpecs({ d: "Date", x: "Integer" }),
    );
    expect(prices.missingSessions("XNYS").column("d").toArray()).toEqual(["2024-07-03", "2024-07-05"]);
    expect(prices.resample("daily", { calendar: "XNYS", gaps: "forward" }).toArray()).toEqual([
      { d: "2024-07-02", x: 1 },
      { d: "2024-07-03", x: 1 },
      { d: "2024-07-05", x: 1 },
      { d: "2024-07-08", x: 2 },
    ]);
    const newestFirst = prices.sort(["d", "desc"]).fill("forward", { calendar: "XNYS", on: "d" });
    expect(newestFirst.column("d").toArray()).toEqual(["2024-07-08", "2024-07-05", "2024-07-03", "2024-07-02"]);
    expect(newestFirst.column("x").toArray()).toEqual([2, 1, 1, 1]);
  });
});

describe("a calendar that cannot be followed", () => {
  const frame = frameOf([{ k: "a", day: MONDAY, x: 1 }]);
  const failing = (call: () => unknown) => {
    try {
      call();
    } catch (error) {
      const { code, message, hint } = error as { code: string; message: string; hint: string };
      return [code, message, hint];
    }
    throw new Error("no error");
  };

  it("names the nearest code", () => {
    expect(failing(() => frame.missingSessions("XNYX"))).toEqual([
      "UnknownValue",
      'Unknown calendar: "XNYX".',
      expect.stringContaining('"XNYS"'),
    ]);
  });

  it("names a day that it does not cover", () => {
    const early = frameOf([{ k: "a", day: parseDate("1989-12-29"), x: 1 }]);
    for (const call of [
      () => early.fill(0, { calendar: "XNYS" }),
      () => early.missingSessions("XNYS"),
      () => early.resample("monthly", { calendar: "XNYS" }),
      () => early.rolling(5, "sum", { unit: "sessions", calendar: "XNYS" }),
    ]) {
      expect(failing(call).slice(0, 2)).toEqual(["DateOutOfRange", "The calendar XNYS does not cover 1989-12-29."]);
    }
    expect(failing(() => sessions("XNYS", "1990-01-01", "2030-01-01"))[0]).toBe("DateOutOfRange");
    const after = () => frame.resample("daily", { calendar: ["2023-12-01", "2023-12-29"] });
    expect(failing(after)[1]).toBe("The calendar of dates does not cover 2024-01-01.");
  });

  it("needs dates, and not timestamps", () => {
    const numbers = Frame.fromColumns({ x: [1] });
    expect(failing(() => numbers.missingSessions("XNYS"))[0]).toBe("NoDateColumn");
    const times = Frame.fromColumns({ at: [new Date(0)], x: [1] });
    expect(failing(() => times.fill("forward", { calendar: "XNYS" }))[0]).toBe("WrongType");
  });

  it("is a list of dates, with at least one", () => {
    expect(failing(() => frame.missingSessions([]))[0]).toBe("BadArgument");
    expect(failing(() => frame.missingSessions(["2024-02-30"]))[0]).toBe("BadArgument");
    expect(failing(() => frame.rolling(5, "sum", { unit: "sessions" }))[0]).toBe("BadArgument");
    expect(failing(() => frame.rolling(5, "sum", { calendar: "XNYS" }))[0]).toBe("BadArgument");
  });
});

it("resample() with a calendar has its weekday sessions, whatever is skipped, and no day beyond it", () => {
  const days = (...dates: string[]) =>
    Frame.fromColumns({ date: dates, v: dates.map((_, i) => i) }, { date: "Date", v: "double" });
  const skipped = days("2024-01-05", "2024-01-09").resample("daily", { calendar: "XNYS", skip: "weekends" });
  expect(skipped.column("date").toArray()).toEqual(["2024-01-05", "2024-01-08", "2024-01-09"]);
  const calendar = ["2024-01-02", "2024-01-10", "2024-01-15"];
  for (const frame of [days("2024-01-10", "2024-01-20"), days("2024-01-20"), days("2024-01-01", "2024-01-10")]) {
    expect(() => frame.resample("monthly", { calendar })).toThrow(expect.objectContaining({ code: "DateOutOfRange" }));
  }
});
