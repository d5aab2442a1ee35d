import { DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Data,
  type DataType,
  DateDay,
  Field,
  makeData,
  Timestamp,
  TimeUnit,
} from "../../src/columns/arrow/arrow.js";
import { Frame } from "../../src/frame/frame.js";
import type { AsofOptions } from "../../src/series/asof.js";
import type { TimeUnitName } from "../../src/series/core/days.js";
import { tableOf } from "../../src/series/core/tables.js";
import { forAll } from "../support/for-all.js";
import { runs } from "../support/whole.js";
import { cellsIn, columnOf, inBatches } from "./tables.js";

const DAY = 86_400_000_000_000n;
/** Nanoseconds of one unit. */
const UNITS = { s: 1_000_000_000n, ms: 1_000_000n, us: 1000n, ns: 1n, day: DAY } as const;
type Unit = keyof typeof UNITS;
/** Nanoseconds of the units of a tolerance. */
const NANOS: Readonly<Record<TimeUnitName, bigint>> = {
  days: DAY,
  hours: DAY / 24n,
  minutes: DAY / 1_440n,
  seconds: 1_000_000_000n,
  milliseconds: 1_000_000n,
  microseconds: 1_000n,
  nanoseconds: 1n,
};
const TIME_UNITS = {
  s: TimeUnit.SECOND,
  ms: TimeUnit.MILLISECOND,
  us: TimeUnit.MICROSECOND,
  ns: TimeUnit.NANOSECOND,
} as const;

function typeOf(unit: Unit, zone: string | null): DataType {
  return unit === "day" ? new DateDay() : new Timestamp(TIME_UNITS[unit], zone);
}

/** A time column of a unit; `counts` are in that unit. */
function timesData(unit: Unit, counts: readonly bigint[], zone: string | null): Data {
  const data = unit === "day" ? Int32Array.from(counts, Number) : BigInt64Array.from(counts);
  return makeData({ type: typeOf(unit, zone) as DateDay, length: counts.length, data: data as Int32Array });
}

interface Side {
  readonly unit: Unit;
  readonly zone?: string | null;
  readonly at: readonly bigint[];
  readonly by?: readonly (string | null)[];
  readonly group?: readonly (number | null)[];
}

/** A frame of times, columns that identify series, and the row number as the column `name`. */
function frameOf(name: string, { unit, zone = null, at, by, group }: Side, values?: readonly (string | null)[]): Frame {
  const data = timesData(unit, at, zone);
  const columns = [
    { field: new Field("at", data.type, true), data },
    ...(by === undefined ? [] : [columnOf("by", "String", by)]),
    ...(group === undefined ? [] : [columnOf("group", "Integer", group)]),
    columnOf(name, "String", values ?? at.map((_, row) => `${row}`)),
  ];
  return Frame.from(tableOf(columns, at.length));
}

/** The rows of `right` that `left` was joined to, by their number. */
function joined(left: Side, right: Side, options: AsofOptions): (string | null)[] {
  const found = frameOf("l", left).asof(frameOf("r", right), options);
  return cellsIn(found.table, "r") as (string | null)[];
}

const at = (text: string, unit: Unit): bigint => {
  const [whole, digits = ""] = text.split(".");
  const nanos = BigInt(Date.parse(`${whole}Z`)) * 1_000_000n + BigInt(digits.padEnd(9, "0"));
  return nanos / UNITS[unit];
};

describe("timestamps match exactly", () => {
  const noon = "2024-01-02T12:00:00";
  const cases: [string, Side, Side, AsofOptions, (string | null)[]][] = [
    [
      "backward takes nothing later on the same day",
      { unit: "ms", at: [at(noon, "ms")] },
      { unit: "ms", at: [at("2024-01-02T11:59:59", "ms"), at("2024-01-02T12:00:01", "ms")] },
      {},
      ["0"],
    ],
    [
      "a later time of the same day alone is not known yet",
      { unit: "ms", at: [at(noon, "ms")] },
      { unit: "ms", at: [at("2024-01-02T23:00:00", "ms")] },
      {},
      [null],
    ],
    [
      "forward takes nothing earlier on the same day, in a table newest first",
      { unit: "us", at: [at(noon, "us")] },
      { unit: "us", at: [at(`${noon}.000001`, "us"), at("2024-01-02T09:00:00", "us")] },
      { direction: "forward" },
      ["0"],
    ],
    [
      "nearest is the closest, the earlier of two",
      { unit: "s", at: [at(noon, "s"), at(noon, "s") + 1n] },
      { unit: "s", at: [at(noon, "s") + 2n, at(noon, "s") - 2n] },
      { direction: "nearest" },
      ["1", "0"],
    ],
    [
      "exact: false leaves out the equal timestamp, not the day",
      { unit: "ns", at: [at(noon, "ns")] },
      { unit: "ns", at: [at(noon, "ns") - 1n, at(noon, "ns")] },
      { exact: false },
      ["0"],
    ],
    [
      "a nanosecond is seen beside seconds",
      { unit: "s", at: [at(noon, "s")] },
      { unit: "ns", at: [at(noon, "ns") - 1n, at(noon, "ns") + 1n] },
      { direction: "nearest" },
      ["0"],
    ],
    [
      "seconds beside nanoseconds",
      { unit: "ns", at: [at(noon, "ns") - 1n, at(noon, "ns")] },
      { unit: "s", at: [at(noon, "s")] },
      {},
      [null, "0"],
    ],
    [
      "seconds beyond the range of nanoseconds and of 32-bit days",
      { unit: "s", at: [2n ** 62n, -(2n ** 62n), 0n] },
      { unit: "ns", at: [-(2n ** 63n), 2n ** 63n - 1n] },
      {},
      ["1", null, "0"],
    ],
    [
      "days beyond 32 bits stay distinct",
      { unit: "s", at: [2n ** 62n + 86_400n] },
      { unit: "s", at: [2n ** 62n + 172_800n, 2n ** 62n + 86_399n, 2n ** 62n] },
      { tolerance: 1 },
      ["1"],
    ],
    [
      "a date is its midnight beside timestamps",
      { unit: "day", at: [19_724n] },
      { unit: "ms", at: [at("2024-01-02T00:00:00", "ms"), at(noon, "ms")] },
      {},
      ["0"],
    ],
    [
      "timestamps beside dates",
      { unit: "ms", at: [at(noon, "ms"), at("2024-01-01T23:59:59", "ms")] },
      { unit: "day", at: [19_724n, 19_723n] },
      {},
      ["0", "1"],
    ],
    [
      "a time zone does not change the time",
      { unit: "ms", zone: "America/New_York", at: [at(noon, "ms")] },
      { unit: "us", zone: "Asia/Tokyo", at: [at(noon, "us") + 1n, at(noon, "us")] },
      {},
      ["1"],
    ],
    [
      "tolerance is in days of 24 hours",
      { unit: "ms", at: [at(noon, "ms"), at(noon, "ms") + 1n] },
      { unit: "ms", at: [at("2024-01-01T12:00:00", "ms")] },
      { tolerance: 1 },
      ["0", null],
    ],
    [
      "a tolerance of 10 ms",
      { unit: "us", at: [at(noon, "us"), at(noon, "us") + 1n] },
      { unit: "ms", at: [at(noon, "ms") - 10n] },
      { tolerance: 10, unit: "milliseconds" },
      ["0", null],
    ],
    [
      "tolerance 0 is the same time",
      { unit: "ms", at: [at(noon, "ms"), at(noon, "ms") + 1n] },
      { unit: "us", at: [at(noon, "us")] },
      { tolerance: 0, direction: "nearest" },
      ["0", null],
    ],
    [
      "times before 1970",
      { unit: "ms", at: [-1n, -86_400_000n] },
      { unit: "us", at: [-1001n, -1000n, -86_400_000_001n] },
      {},
      ["1", "2"],
    ],
    [
      "several rows of one timestamp: backward the last of the table",
      { unit: "ms", at: [at(noon, "ms")] },
      { unit: "ms", at: [at(noon, "ms"), at(noon, "ms"), at(noon, "ms") - 1n] },
      { by: [] },
      ["1"],
    ],
    [
      "several rows of one timestamp: forward the first of the table",
      { unit: "ms", at: [at(noon, "ms")] },
      { unit: "ms", at: [at(noon, "ms") + 1n, at(noon, "ms"), at(noon, "ms")] },
      { by: [], direction: "forward" },
      ["1"],
    ],
  ];
  it.each(cases)("%s", (_, left, right, options, expected) => {
    expect(joined(left, right, options)).toEqual(expected);
  });

  it("a timestamp that repeats within a series is an error, a day is not", () => {
    const left: Side = { unit: "ms", at: [5n] };
    expect(joined(left, { unit: "ms", at: [4n, 3n] }, {})).toEqual(["0"]);
    expect(() => joined(left, { unit: "ms", at: [4n, 3n, 4n] }, {})).toThrow(
      expect.objectContaining({ code: "RepeatedDate", row: 2 }),
    );
  });
});

const units = fc.constantFrom<Unit>("s", "ms", "us", "ns", "day");
const options = fc.record({
  direction: fc.constantFrom("backward" as const, "forward" as const, "nearest" as const),
  exact: fc.boolean(),
  tolerance: fc.option(fc.nat(2), { nil: undefined }),
  unit: fc.constantFrom(...(Object.keys(NANOS) as TimeUnitName[])),
});

/** Times within a few days, many of them equal or a nanosecond apart once in a common unit. */
const nanos = fc
  .tuple(
    fc.integer({ min: -2, max: 2 }),
    fc.constantFrom(0n, 1n, 1000n, 1_000_000n, 1_000_000_000n, DAY / 2n, DAY - 1n),
  )
  .map(([day, rest]) => BigInt(day) * DAY + rest);
const sides = fc
  .record({ unit: units, zone: fc.constantFrom(null, "UTC", "Asia/Tokyo"), times: fc.array(nanos, { maxLength: 20 }) })
  .map(({ unit, zone, times }): Side => ({ unit, zone, at: times.map((time) => floorTo(time, UNITS[unit])) }));

const floorTo = (value: bigint, unit: bigint): bigint => (value < 0n ? -((-value + unit - 1n) / unit) : value / unit);

/** The row that is current at a time by its definition: the closest, of equal ones as the documentation says. */
function current(
  time: bigint,
  rows: readonly bigint[],
  { direction, exact, tolerance, unit = "days" }: AsofOptions,
): string | null {
  let best = -1;
  const away = (row: number): bigint => (rows[row] < time ? time - rows[row] : rows[row] - time);
  for (let row = 0; row < rows.length; row++) {
    if (rows[row] === time && exact === false) continue;
    if (direction === "backward" && rows[row] > time) continue;
    if (direction === "forward" && rows[row] < time) continue;
    if (tolerance !== undefined && away(row) > BigInt(tolerance) * NANOS[unit]) continue;
    if (best === -1 || away(row) < away(best)) best = row;
    else if (away(row) > away(best)) continue;
    else if (rows[row] < rows[best]) best = row;
    else if (rows[row] === rows[best] && direction !== "forward" && rows[row] <= time) best = row;
  }
  return best === -1 ? null : String(best);
}

it("is the closest row for any units, directions and tolerances", () => {
  forAll(runs(300), sides, sides, options, fc.integer({ min: 1, max: 9 }), (left, right, chosen, size) => {
    const rows = right.at.map((count) => count * UNITS[right.unit]);
    const expected = left.at.map((count) => current(count * UNITS[left.unit], rows, chosen));
    const cut = (frame: Frame): Frame => Frame.from(inBatches(frame.table, size));
    const found = cut(frameOf("l", left)).asof(cut(frameOf("r", right)), { ...chosen, by: [] });
    expect(cellsIn(found.table, "r")).toEqual(expected);
  });
});

describe("as DuckDB's ASOF JOIN", () => {
  const count = 400;
  /** Rows of three series columns' combinations, with times that often meet those of the other side. */
  const rowsOf = (seed: number, unit: Unit, isRight: boolean) => {
    const random = fc.sample(
      fc.record({
        by: fc.constantFrom("A", "B", null),
        group: fc.constantFrom(1, 2, null),
        time: fc.oneof(nanos, fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n })),
        value: fc.option(fc.string({ unit: fc.constantFrom("a", "b", "'"), maxLength: 3 })),
      }),
      { seed, numRuns: count },
    );
    const floored = random.map((row) => ({ ...row, at: floorTo(row.time, UNITS[unit]) }));
    if (!isRight) return floored;
    const seen = new Set<string>();
    return floored.filter(({ by, group, at }) => {
      const key = `${by} ${group} ${at}`;
      return !seen.has(key) && seen.add(key);
    });
  };
  const literal = (value: string | number | null): string =>
    value === null ? "null" : typeof value === "number" ? `${value}` : `'${value.replaceAll("'", "''")}'`;

  it.each<[Unit, Unit, "backward" | "forward", boolean]>([
    ["ms", "ms", "backward", true],
    ["us", "us", "backward", false],
    ["ns", "s", "forward", true],
    ["s", "ns", "backward", false],
    ["ms", "us", "forward", false],
    ["day", "ms", "backward", true],
    ["us", "day", "backward", true],
    ["day", "day", "forward", false],
  ])("%s beside %s, %s, exact %s", async (unitLeft, unitRight, direction, exact) => {
    const left = rowsOf(11, unitLeft, false);
    const right = rowsOf(12, unitRight, true);
    const instance = await DuckDBInstance.create();
    const connection = await instance.connect();
    try {
      for (const [name, unit, rows] of [
        ["l", unitLeft, left],
        ["r", unitRight, right],
      ] as const) {
        const values = rows.map(
          ({ by, group, at, value }, row) =>
            `(${row}, ${literal(by)}, ${literal(group)}, ${
              unit === "day" ? `date '1970-01-01' + ${at}::int` : `make_timestamp_ns(${at * UNITS[unit]})`
            }, ${literal(value)})`,
        );
        await connection.run(
          `create table ${name} as select * from (values ${values.join(",")}) t(row, "by", "group", t, value)`,
        );
      }
      const sign = (direction === "backward" ? ">" : "<") + (exact ? "=" : "");
      const reply = await connection.runAndReadAll(
        `select r.value, r.row from l asof left join r on coalesce(l."by", '') = coalesce(r."by", '')
         and coalesce(l."group", 0) = coalesce(r."group", 0) and l.t ${sign} r.t order by l.row`,
      );
      const expected = reply.getRows().map(([value, row]) => [value, row === null ? null : `${row}`]);
      const side = (unit: Unit, rows: typeof left): Side => ({
        unit,
        at: rows.map(({ at: time }) => time),
        by: rows.map(({ by }) => by),
        group: rows.map(({ group }) => group),
      });
      const valued = frameOf(
        "value",
        side(unitRight, right),
        right.map(({ value }) => value),
      );
      const numbered = frameOf("r", side(unitRight, right));
      const own = frameOf("l", side(unitLeft, left));
      const chosen = { by: ["by", "group"], direction, exact };
      const values = cellsIn(own.asof(valued, chosen).table, "value");
      const numbers = cellsIn(own.asof(numbered, chosen).table, "r");
      expect(values.map((value, row) => [value, numbers[row]])).toEqual(expected);
      expect(numbers.filter((row) => row !== null).length).toBeGreaterThan(count / 4);
    } finally {
      connection.closeSync();
      instance.closeSync();
    }
  });
});
