import type { Frame } from "../../src/index.js";
import { type Canonical, canonical, canonicals, cellsOfFrame, plain } from "./canonical.js";
import {
  at,
  type Check,
  type Checks,
  expectCells,
  expectFrame,
  expectNear,
  type Given,
  givenModels,
  placesWhere,
} from "./given.js";
import { compareCells, isNull, keyOf, rowsByKey } from "./order.js";
import { type Cell, type Model, randomModel } from "./random-table.js";

/** Two series of different days in any order of rows, with a decimal and a double. */
interface Series extends Given {
  readonly day: Model;
  readonly key: Model;
  readonly decimal: Model;
  readonly double: Model;
  /** The rows of each series, oldest first. */
  readonly tracks: readonly (readonly number[])[];
}

const BY = { on: "day", by: "key" } as const;

export function seriesOf({ random }: Given, most = 40): Series {
  const wanted = random.below(most);
  const drawn = [randomModel("day", "date", wanted, random), randomModel("key", "text", wanted, random)];
  drawn[1] = { ...drawn[1], cells: drawn[1].cells.map(() => random.pick(["x", "y"])) };
  const kept = placesWhere(wanted, (row) => drawn[0].cells[row] !== null);
  const seen = new Set<string>();
  const rows = kept.filter((row) => {
    const key = keyOf(drawn, row);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
  const [day, key] = drawn.map((model) => ({ ...model, cells: rows.map((row) => model.cells[row]) }));
  const isTame = (cell: Cell): Cell => (typeof cell === "bigint" ? cell % 1_000_000n : cell);
  const whole = randomModel("decimal", "decimal", rows.length, random);
  const decimal = { ...whole, cells: whole.cells.map(isTame) };
  const double = randomModel("double", "double", rows.length, random);
  const tracks = [...rowsByKey([key], rows.length).values()].map((places) =>
    [...places].sort((a, b) => compareCells(day.cells[a], day.cells[b])),
  );
  return { ...givenModels([day, key, decimal, double], random), day, key, decimal, double, tracks };
}

const numberOf = (cell: Cell, { kind, scale }: Model): number =>
  kind === "double" ? (cell as number) : Number(plain(cell as bigint, scale));

/** Numbers of a column; what is null, NaN or, for windows, infinite is null. */
export const numbersOf = (model: Model, areFinite = false): (number | null)[] =>
  model.cells.map((cell) => {
    if (isNull(cell)) return null;
    const value = numberOf(cell, model);
    return areFinite && !Number.isFinite(value) ? null : value;
  });

/** A method that gives each row a number made from its series so far. */
function along(
  method: (frame: Frame) => Frame,
  of: (values: readonly (number | null)[], place: number, model: Model) => number | null,
  names: readonly ("decimal" | "double")[] = ["decimal", "double"],
): Check {
  return (given) => {
    const series = seriesOf(given);
    const found = cellsOfFrame(method(series.frame));
    for (const name of names) {
      const model = series[name];
      const values = numbersOf(model);
      const wanted: (number | null)[] = values.map(() => null);
      const sizes = values.map(() => 0);
      for (const track of series.tracks) {
        const own = track.map((row) => values[row]);
        for (const [place, row] of track.entries()) {
          const made = of(own, place, model);
          wanted[row] = made === null || Number.isNaN(made) ? null : made;
          sizes[row] = Math.max(
            0,
            ...own
              .slice(0, place + 1)
              .map((one) => Math.abs(one ?? 0))
              .filter(Number.isFinite),
          );
        }
      }
      expectNear(found[name], wanted, name, (row) => sizes[row] * 1e-3);
    }
    expectCells(found["day"], canonicals(series.day), "day");
  };
}

/** A value of each row that is one of its series, unchanged. */
function picked(
  method: (frame: Frame, series: Series) => Frame,
  of: (values: readonly Canonical[], place: number) => Canonical,
): Check {
  return (given) => {
    const series = seriesOf(given);
    const found = cellsOfFrame(method(series.frame, series));
    for (const model of [series.decimal, series.double]) {
      const cells = canonicals(model);
      const wanted = [...cells];
      for (const track of series.tracks) {
        const own = track.map((row) => cells[row]);
        for (const [place, row] of track.entries()) wanted[row] = of(own, place);
      }
      expectCells(found[model.name], wanted, model.name);
    }
  };
}

/** The values of a window of rows that ends at a place. */
const windowOf = (values: readonly (number | null)[], place: number, size: number): number[] =>
  values
    .slice(Math.max(0, place - size + 1), place + 1)
    .filter((one) => one !== null && Number.isFinite(one)) as number[];

/** The sum of doubles without the rounding of their order. */
function exactSum(values: readonly number[]): number {
  const scale = 10n ** 40n;
  let sum = 0n;
  for (const value of values) {
    const [digits, power = "0"] = value.toExponential(20).split("e");
    const [whole, fraction = ""] = digits.replace("-", "").split(".");
    const exponent = 40 + Number(power) - fraction.length;
    const units = BigInt(whole + fraction);
    const shifted = exponent >= 0 ? units * 10n ** BigInt(exponent) : units / 10n ** BigInt(-exponent);
    sum += value < 0 ? -shifted : shifted;
  }
  return Number(sum / scale) + Number(sum % scale) / 1e40;
}

/** A function of a window, over sizes and smallest numbers of values. */
function windows(word: "mean" | "sum" | "min" | "max" | "median", of: (values: readonly number[]) => number): Check {
  return (given) => {
    const series = seriesOf(given, 60);
    const size = 1 + given.random.below(6);
    const least = 1 + given.random.below(size);
    const found = cellsOfFrame(series.frame.rolling(size, word, { ...BY, minPeriods: least }));
    for (const model of [series.decimal, series.double]) {
      const values = numbersOf(model, true);
      const wanted: (number | null)[] = values.map(() => null);
      const sizes = values.map(() => 0);
      for (const track of series.tracks) {
        const own = track.map((row) => values[row]);
        for (const [place, row] of track.entries()) {
          const held = windowOf(own, place, size);
          wanted[row] = held.length < least ? null : of(held);
          sizes[row] = Math.max(0, ...held.map(Math.abs)) * 1e-4;
        }
      }
      const what = `rolling ${word} of ${model.name}`;
      expectNear(found[model.name], wanted, what, (row) => sizes[row]);
    }
  };
}

export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half] : sorted[half - 1] / 2 + sorted[half] / 2;
};

/** Rolling windows of days: every row of the last days. */
function dayWindows(given: Given): void {
  const series = seriesOf(given, 60);
  const days = 1 + given.random.below(20);
  const found = cellsOfFrame(series.frame.rolling(days, "max", { ...BY, unit: "days" }));
  const values = numbersOf(series.double, true);
  const wanted: (number | null)[] = values.map(() => null);
  for (const track of series.tracks) {
    for (const row of track) {
      const now = series.day.cells[row] as bigint;
      const held = track.filter((other) => {
        const then = series.day.cells[other] as bigint;
        return then <= now && then > now - BigInt(days) && values[other] !== null;
      });
      wanted[row] = held.length === 0 ? null : Math.max(...held.map((other) => values[other] as number));
    }
  }
  expectNear(found["double"], wanted, "rolling max of days");
}

const ROLLING: Readonly<Record<string, Check>> = {
  mean: windows("mean", (held) => exactSum(held) / held.length),
  sum: windows("sum", exactSum),
  min: windows("min", (held) => Math.min(...held)),
  max: windows("max", (held) => Math.max(...held)),
  median: windows("median", median),
};

/** The last day of the month, or of the week on Sunday, of a day. */
function endOf(day: number, frequency: "weekly" | "monthly" | "annual"): number {
  const date = new Date(day * 86_400_000);
  if (frequency === "weekly") return day + ((7 - date.getUTCDay()) % 7);
  const month = frequency === "annual" ? 12 : date.getUTCMonth() + 1;
  const end = new Date(0);
  end.setUTCFullYear(date.getUTCFullYear(), month, 0);
  return end.getTime() / 86_400_000;
}

function collapsed(method: "collapse" | "resample"): Check {
  return (given) => {
    const series = seriesOf(given);
    const frequency = given.random.pick(["weekly", "monthly", "annual"] as const);
    if (series.day.cells.some((day) => (day as bigint) < -690_000n || (day as bigint) > 2_900_000n)) return;
    const one = series.frame.filter((row) => (row as { key: string }).key === "x").select("day", "decimal", "double");
    const track = series.tracks.find(([row]) => series.key.cells[row] === "x") ?? [];
    const periods = new Map<number, readonly number[]>();
    for (const row of track) {
      const end = endOf(Number(series.day.cells[row]), frequency);
      periods.set(end, [...(periods.get(end) ?? []), row]);
    }
    const found = cellsOfFrame(one[method](frequency, { value: { decimal: "last", double: "first" } }) as Frame);
    const held = new Map(found["day"].map((day, i) => [day, i]));
    const [decimals, doubles] = [canonicals(series.decimal), canonicals(series.double)];
    for (const [end, rows] of periods) {
      const place = held.get(`day ${end}`);
      if (place === undefined) throw new Error(`no row for day ${end}`);
      const last = rows.map((row) => decimals[row]).filter((cell) => cell !== null);
      const first = rows.map((row) => doubles[row]).filter((cell) => cell !== null);
      expectCells([found["decimal"][place]], [last.at(-1) ?? null], `${method} last, day ${end}`);
      expectCells([found["double"][place]], [first[0] ?? null], `${method} first, day ${end}`);
    }
    if (method === "collapse" && found["day"].length !== periods.size)
      throw new Error(`${found["day"].length} periods`);
    const numbers = found["day"].map((day) => Number(String(day).slice(4)));
    const isAscending = numbers.every((day, i) => i === 0 || numbers[i - 1] < day);
    const isDescending = numbers.every((day, i) => i === 0 || numbers[i - 1] > day);
    if (!isAscending && !isDescending) throw new Error("periods without order");
  };
}

/** Running values: a null stays null. */
const running = (method: "cumsum" | "cumprod" | "cummax" | "cummin", of: (held: readonly number[]) => number): Check =>
  along(
    (frame) => frame[method](BY as never),
    (values, place) => {
      if (values[place] === null) return null;
      return of(values.slice(0, place + 1).filter((one) => one !== null) as number[]);
    },
    method === "cumsum" || method === "cumprod" ? ["decimal"] : ["decimal", "double"],
  );

/** Methods of frames that follow time. */
export const seriesChecks: Checks = {
  ...Object.fromEntries(Object.entries(ROLLING).map(([word, check]) => [`rolling.${word}`, check])),
  rolling: dayWindows,
  collapse: collapsed("collapse"),
  resample: collapsed("resample"),
  shift: picked(
    (frame) => frame.shift(1, BY as never),
    (values, place) => values[place - 1] ?? null,
  ),
  fill: picked(
    (frame) => frame.fill("forward", BY as never),
    (values, place) => values.slice(0, place + 1).findLast((cell) => cell !== null) ?? null,
  ),
  diff: along(
    (frame) => frame.diff(1, BY as never),
    (values, place) =>
      values[place] == null || values[place - 1] == null
        ? null
        : (values[place] as number) - (values[place - 1] as number),
    ["decimal"],
  ),
  pctChange: along((frame) => frame.pctChange(1, BY as never), ratio, ["decimal"]),
  returns: along((frame) => frame.returns(BY as never), ratio, ["decimal"]),
  cumsum: running("cumsum", exactSum),
  cumprod: (given) => {
    // Products of small whole numbers are exact.
    const cells = Array.from({ length: given.random.below(20) }, () => given.random.pick([null, 1n, 2n, -1n, 3n]));
    const day = { ...randomModel("day", "date", cells.length, given.random), cells: cells.map((_, i) => BigInt(i)) };
    const value = { ...randomModel("n", "integer", 0, given.random), name: "n", cells };
    let product = 1;
    const wanted = cells.map((cell) => {
      if (cell === null) return null;
      product *= Number(cell);
      return product;
    });
    expectNear(cellsOfFrame(givenModels([day, value], given.random).frame.cumprod())["n"], wanted, "cumprod");
  },
  cummax: running("cummax", (held) => Math.max(...held)),
  cummin: running("cummin", (held) => Math.min(...held)),
  drawdown: (given) => {
    const prices = Array.from({ length: given.random.below(30) }, () =>
      given.random.pick([null, 100n, 120n, 80n, 119n, 150n]),
    );
    const day = { ...randomModel("day", "date", prices.length, given.random), cells: prices.map((_, i) => BigInt(i)) };
    const value = { ...randomModel("n", "integer", 0, given.random), name: "n", cells: prices };
    const wanted = prices.map((price, i) => {
      const before = prices.slice(0, i + 1).filter((one) => one !== null);
      return price === null ? null : Number(price) / Math.max(...before.map(Number)) - 1;
    });
    expectNear(
      cellsOfFrame(givenModels([day, value], given.random).frame.drawdown())["n"],
      wanted,
      "drawdown",
      () => 1e-3,
    );
  },
  ewm: (given) => {
    const values = Array.from({ length: given.random.below(30) }, () => given.random.pick([null, 1n, 5n, -3n, 100n]));
    const day = { ...randomModel("day", "date", values.length, given.random), cells: values.map((_, i) => BigInt(i)) };
    const value = { ...randomModel("n", "integer", 0, given.random), name: "n", cells: values };
    const alpha = given.random.pick([0.1, 0.5, 0.9]);
    let [weighted, weights] = [0, 0];
    const wanted = values.map((one) => {
      weighted *= 1 - alpha;
      weights *= 1 - alpha;
      if (one === null) return weights === 0 ? null : weighted / weights;
      weighted += Number(one);
      weights += 1;
      return weighted / weights;
    });
    expectNear(cellsOfFrame(givenModels([day, value], given.random).frame.ewm({ alpha }))["n"], wanted, "ewm", () => 1);
  },
  transform: (given) => {
    const series = seriesOf(given);
    const one = series.frame.filter((row) => (row as { key: string }).key === "x").select("day", "decimal");
    const track = series.tracks.find(([row]) => series.key.cells[row] === "x") ?? [];
    const found = cellsOfFrame(one.transform("diff"));
    const byDay = new Map(found["day"].map((day, i) => [day, found["decimal"][i]]));
    const { decimal, day } = series;
    if (byDay.size !== Math.max(0, track.length - 1)) throw new Error(`${byDay.size} rows of ${track.length}`);
    for (const [i, row] of track.entries()) {
      if (i === 0) continue;
      const [now, before] = [decimal.cells[row], decimal.cells[track[i - 1]]];
      const wanted =
        now === null || before === null ? null : plain((now as bigint) - (before as bigint), decimal.scale);
      expectCells([byDay.get(canonical(day.cells[row], "date", 0)) ?? null], [wanted], `transform diff, row ${row}`);
    }
  },
  query: (given) => {
    const series = seriesOf(given);
    const one = series.frame.filter((row) => (row as { key: string }).key === "x").select("day", "decimal");
    const track = series.tracks.find(([row]) => series.key.cells[row] === "x") ?? [];
    const limit = 1 + given.random.below(5);
    const from = BigInt(19_700 + given.random.below(30));
    const kept = track.filter((row) => (series.day.cells[row] as bigint) >= from).slice(0, limit);
    const text = new Date(Number(from) * 86_400_000).toISOString().slice(0, 10);
    const found = one.query({ from: text, order: "asc", limit });
    expectFrame(found, at({ day: canonicals(series.day), decimal: canonicals(series.decimal) }, kept));
  },
};

function ratio(values: readonly (number | null)[], place: number): number | null {
  const [now, before] = [values[place], values[place - 1]];
  return now == null || before == null || before === 0 ? null : now / before - 1;
}
