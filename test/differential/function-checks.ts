import { type Column, coalesce, when } from "../../src/index.js";
import { type Canonical, canonical, canonicals, plain } from "./canonical.js";
import { cells, columnOf, millisecondOf, numberOf, perCell, unlessTooWide } from "./column-checks.js";
import { type Check, type Checks, expectCells, expectNear, modelOf, tableOf } from "./given.js";
import { isNull } from "./order.js";
import type { Cell, Model } from "./random-table.js";

const MS_PER_DAY = 86_400_000;

/** A method of text, and what each text becomes. */
const ofText = (how: string, given: readonly unknown[], of: (text: string) => Canonical): Check =>
  perCell(how, ["text"], given, (cell) => of(cell as string));

/** A function of doubles, of every kind of number. */
function ofDoubles(how: string, given: readonly unknown[], of: (value: number) => number): Check {
  return (table) => {
    const model = modelOf(table, table.random.pick(["integer", "decimal", "double"]));
    const wanted = model.cells.map((cell) => {
      const result = isNull(cell) ? Number.NaN : of(numberOf(cell, model));
      return Number.isNaN(result) ? null : result;
    });
    expectNear(cells(columnOf(table, model)[how](...given)), wanted, how);
  };
}

/** A part of timestamps, by their milliseconds. */
const timePart =
  (how: string, of: (date: Date) => number): Check =>
  (given) => {
    const model = modelOf(given, "timestamp");
    const wanted = model.cells.map((cell) =>
      cell === null ? null : String(of(new Date(millisecondOf(cell as bigint, model)))),
    );
    expectCells(cells(columnOf(given, model)[how]()), wanted, how);
  };

const dayOf = (cell: Cell, model: Model): number => Math.floor(millisecondOf(cell as bigint, model) / MS_PER_DAY);

/** Dates and timestamps moved to another day, as nanoseconds or days. */
function moved(how: string, count: number, of: (day: Date) => Date): Check {
  return (given) => {
    for (const kind of ["date", "timestamp"] as const) {
      const model = modelOf(given, kind);
      const wanted = model.cells.map((cell) => {
        if (cell === null) return null;
        const day = dayOf(cell, model);
        const days = Math.round(of(new Date(day * MS_PER_DAY)).getTime() / MS_PER_DAY) - day;
        const perDay = kind === "date" ? 1n : 86_400n * 10n ** BigInt(model.scale);
        return canonical((cell as bigint) + BigInt(days) * perDay, kind, model.scale);
      });
      expectCells(cells(columnOf(given, model)[how](count)), wanted, `${how} of ${kind}`);
    }
  };
}

/** The first of a month after so many months, and the same day or its last. */
function monthLater(day: Date, months: number): Date {
  const first = new Date(day);
  first.setUTCDate(1);
  first.setUTCMonth(first.getUTCMonth() + months);
  const last = new Date(first);
  last.setUTCMonth(last.getUTCMonth() + 1, 0);
  first.setUTCDate(Math.min(day.getUTCDate(), last.getUTCDate()));
  return first;
}

/** The week of ISO 8601, counted from the Monday of the week with 4 January. */
function isoWeek(date: Date): number {
  const monday = (day: Date): number => day.getTime() - ((day.getUTCDay() + 6) % 7) * MS_PER_DAY;
  const start = (year: number): number => monday(dateOf(year, 0, 4));
  const week = monday(dateOf(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()));
  const years = [1, 0, -1].map((more) => date.getUTCFullYear() + more);
  const first = years.map(start).find((from) => from <= week) as number;
  return Math.round((week - first) / MS_PER_DAY / 7) + 1;
}

/** Years below 100 as they are. */
function dateOf(year: number, month: number, day: number): Date {
  const date = new Date(0);
  date.setUTCFullYear(year, month, day);
  return date;
}

const bothParts = (how: string, of: (date: Date) => number): Check => {
  const ofStamps = timePart(how, of);
  return (given) => {
    const model = modelOf(given, "date");
    const wanted = model.cells.map((cell) =>
      cell === null ? null : String(of(new Date(millisecondOf(cell as bigint, model)))),
    );
    expectCells(cells(columnOf(given, model)[how]()), wanted, `${how} of date`);
    return ofStamps(given);
  };
};

const two = (value: number): string => String(value).padStart(2, "0");
const sizes = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);

/** Functions of columns: text, numbers, dates, choices. */
export const functionChecks: Checks = {
  lower: ofText("lower", [], (text) => text.toLowerCase()),
  upper: ofText("upper", [], (text) => text.toUpperCase()),
  trim: ofText("trim", [], (text) => text.trim()),
  replace: (given) => {
    ofText("replace", ["a", "$1x"], (text) => text.split("a").join("$1x"))(given);
    ofText("replace", [/w(\d)/, "$1-"], (text) => text.replace(/w(\d)/g, "$1-"))(given);
  },
  extract: (given) => {
    ofText("extract", [/\d+/], (text) => /\d+/.exec(text)?.[0] ?? null)(given);
    ofText("extract", [/(.)(\d)/u, 2], (text) => /(.)(\d)/u.exec(text)?.[2] ?? null)(given);
    ofText("extract", [/(?<letter>[aU])/, "letter"], (text) => /[aU]/.exec(text)?.[0] ?? null)(given);
  },
  split: (given) => {
    ofText("split", ["a", 1], (text) => text.split("a")[1] ?? null)(given);
    ofText("split", [/1/, -1], (text) => text.split("1").at(-1) as string)(given);
  },
  slice: (given) => {
    ofText("slice", [0, 1], (text) => Array.from(text)[0] ?? "")(given);
    ofText("slice", [-2], (text) => Array.from(text).slice(-2).join(""))(given);
  },
  padStart: ofText("padStart", [4, "𝒳"], (text) => "𝒳".repeat(Math.max(0, 4 - Array.from(text).length)) + text),
  textLength: ofText("textLength", [], (text) => String(Array.from(text).length)),
  endsWith: ofText("endsWith", ["a"], (text) => text.at(-1) === "a"),
  contains: (given) => {
    ofText("contains", ["a"], (text) => text.includes("a"))(given);
    ofText("contains", [/^w1\d?$/g], (text) => /^w1\d?$/.test(text))(given);
  },
  sign: perCell("sign", ["integer", "decimal", "double"], [], (cell, { kind }) =>
    kind === "double" ? Math.sign(cell as number) || 0 : String(sizes(cell as bigint, 0n)),
  ),
  mod: (given) => {
    const kinds = ["integer", "decimal"] as const;
    const both = tableOf(given, [given.random.pick(kinds), given.random.pick(kinds)]);
    const [a, b] = both.models;
    unlessTooWide(() => {
      const scale = Math.max(a.scale, b.scale);
      const wanted = a.cells.map((cell, row) => {
        const other = b.cells[row];
        if (cell === null || other === null || other === 0n) return null;
        const [x, y] = [a, b].map((model) => (model.cells[row] as bigint) * 10n ** BigInt(scale - model.scale));
        return plain(x % y, scale);
      });
      expectCells(cells(columnOf(both, a)["mod"](columnOf(both, b))), wanted, "mod");
    });
    const model = modelOf(given, "double");
    const wanted = model.cells.map((cell) => (isNull(cell) || !Number.isFinite(cell) ? null : (cell as number) % 0.75));
    expectNear(cells(columnOf(given, model)["mod"](0.75)), wanted, "mod of double");
  },
  clip: (given) => {
    const model = modelOf(given, given.random.pick(["integer", "decimal"]));
    const clipped = (cell: Cell): Canonical => {
      const [units, low, high] = [cell as bigint, -1n * 10n ** BigInt(model.scale), 3n * 10n ** BigInt(model.scale)];
      return plain(units < low ? low : units > high ? high : units, model.scale);
    };
    const wanted = model.cells.map((cell) => (cell === null ? null : clipped(cell)));
    unlessTooWide(() => expectCells(cells(columnOf(given, model)["clip"](-1, "3.0")), wanted, "clip"));
    const both = tableOf(given, ["double", "double"]);
    const [a, b] = both.models;
    const above = a.cells.map((cell, row) => {
      if (isNull(cell)) return null;
      const bound = b.cells[row];
      return canonical(isNull(bound) ? cell : Math.max(cell as number, bound as number), "double", 0);
    });
    expectCells(cells(columnOf(both, a)["clip"](columnOf(both, b))), above, "clip of double");
  },
  log: (given) => {
    ofDoubles("log", [], Math.log)(given);
    ofDoubles("log", [10], Math.log10)(given);
  },
  exp: ofDoubles("exp", [], Math.exp),
  sqrt: ofDoubles("sqrt", [], Math.sqrt),
  pow: ofDoubles("pow", [2], (value) => value * value),
  quarter: bothParts("quarter", (date) => Math.floor(date.getUTCMonth() / 3) + 1),
  day: bothParts("day", (date) => date.getUTCDate()),
  dayOfYear: bothParts("dayOfYear", (date) => {
    const start = dateOf(date.getUTCFullYear(), 0, 1).getTime();
    return Math.floor((date.getTime() - start) / MS_PER_DAY) + 1;
  }),
  week: bothParts("week", isoWeek),
  hour: timePart("hour", (date) => date.getUTCHours()),
  minute: timePart("minute", (date) => date.getUTCMinutes()),
  second: timePart("second", (date) => date.getUTCSeconds()),
  addDays: moved("addDays", -3, (day) => new Date(day.getTime() - 3 * MS_PER_DAY)),
  addMonths: moved("addMonths", 13, (day) => monthLater(day, 13)),
  daysSince: (given) => {
    const both = tableOf(given, ["timestamp", "date"]);
    const [a, b] = both.models;
    const wanted = a.cells.map((cell, row) =>
      cell === null || b.cells[row] === null ? null : String(dayOf(cell, a) - dayOf(b.cells[row], b)),
    );
    expectCells(cells(columnOf(both, a)["daysSince"](columnOf(both, b))), wanted, "daysSince");
    const since = b.cells.map((cell) => (cell === null ? null : String(dayOf(cell, b) + 1)));
    expectCells(cells(columnOf(both, b)["daysSince"]("1969-12-31")), since, "daysSince a constant");
  },
  format: (given) => {
    const written = (date: Date): string =>
      `${two(date.getUTCDate())}/${two(date.getUTCMonth() + 1)}/${String(date.getUTCFullYear()).padStart(4, "0")}`;
    for (const kind of ["date", "timestamp"] as const) {
      const model = modelOf(given, kind);
      const dates = model.cells.map((cell) => (cell === null ? null : new Date(millisecondOf(cell as bigint, model))));
      const wanted = dates.map((date) => date && written(date));
      const found = columnOf(given, model)["format"]("%d/%m/%Y");
      expectCells(cells(found), wanted, `format of ${kind}`);
      const back = cells(found.cast("Date", { format: "%d/%m/%Y" }));
      expectCells(
        back,
        model.cells.map((cell) => (cell === null ? null : `day ${dayOf(cell, model)}`)),
        "cast with a format",
      );
      if (kind === "date") continue;
      const times = dates.map((date) => date && `${two(date.getUTCHours())}:${two(date.getUTCSeconds())}`);
      expectCells(cells(columnOf(given, model)["format"]("%H:%S")), times, "format of times");
    }
  },
  when: (given) => {
    const kind = given.random.pick(["integer", "decimal", "double", "text", "date", "boolean"] as const);
    const both = tableOf(given, ["boolean", "boolean", kind, kind]);
    const [p, q, a, b] = both.models;
    const [first, second, one, other] = both.models.map((model) => columnOf(both, model) as unknown as Column<never>);
    const [ones, others] = [canonicals(a), canonicals(b)];
    unlessTooWide(() => {
      const found = when(first).then(one).when(second).then(other).otherwise(null);
      const wanted = p.cells.map((cell, row) =>
        cell === true ? ones[row] : q.cells[row] === true ? others[row] : null,
      );
      expectCells(cells(found), wanted, `when of ${kind}`);
      const filled = ones.map((cell, row) => cell ?? others[row]);
      expectCells(cells(coalesce(one, other)), filled, `coalesce of ${kind}`);
    });
    const texts = p.cells.map((cell) => (cell === true ? "yes" : "no"));
    expectCells(cells(when(first).then("yes").otherwise("no")), texts, "when of constants");
  },
};
