import { describe, expect, it } from "vitest";
import {
  type Data,
  type DataType,
  DateDay,
  DateMillisecond,
  makeData,
  Schema,
  Table,
  TimestampMicrosecond,
  TimestampMillisecond,
  TimestampNanosecond,
  TimestampSecond,
  Vector,
} from "../../src/columns/arrow/arrow.js";
import { recordBatch } from "../../src/columns/arrow/record-batch.js";
import { fieldOf } from "../../src/columns/arrow/schema.js";
import { Column } from "../../src/frame/cells/column.js";
import { Frame } from "../../src/frame/frame.js";
import { Random } from "../fuzz/random.js";
import { randomCuts } from "../series/random-texts.js";
import { runs } from "../support/whole.js";

/** Nanoseconds of a unit of each type; values are exact integers, and every result is computed from these. */
const TYPES: readonly (readonly [name: string, type: () => DataType, nanos: bigint])[] = [
  ["seconds", () => new TimestampSecond("UTC"), 1_000_000_000n],
  ["milliseconds", () => new TimestampMillisecond(), 1_000_000n],
  ["microseconds", () => new TimestampMicrosecond("UTC"), 1_000n],
  ["nanoseconds", () => new TimestampNanosecond(), 1n],
];
const DAY = 86_400_000_000_000n;
const MS = 1_000_000n;

const floorDiv = (a: bigint, b: bigint): bigint => a / b - (a % b !== 0n && a < 0n ? 1n : 0n);

/** Times near days, years and milliseconds, before and after 1970, up to the ends of what the unit holds. */
function randomNanos(random: Random, unit: bigint): bigint {
  const years = unit === 1n ? [1678, 2261] : [2, 9999];
  const year = random.pick([...years, 1969, 1970, 2024, 1700 + random.below(500)]);
  const start = BigInt(Date.UTC(2000, random.below(12), 1 + random.below(28)) - Date.UTC(2000, 0, 1)) * MS;
  const from = BigInt(new Date(0).setUTCFullYear(year, 0, 1)) * MS;
  const within = random.pick([0n, 1n, -1n, 999_999n, 1_000n, -1_000n, BigInt(random.bits()), DAY - 1n]);
  const nanos = from + (random.oneIn(3) ? 0n : start) + within;
  return floorDiv(nanos, unit) * unit;
}

function chunked(random: Random, type: DataType, units: readonly (bigint | null)[], cuts: readonly number[]): Vector {
  const isDays = type instanceof DateDay;
  let from = 0;
  const chunks = cuts.map((length): Data => {
    const before = random.below(3);
    const part = [...new Array<null>(before).fill(null), ...units.slice(from, from + length), null];
    from += length;
    const values = part.map((unit) => unit ?? BigInt(random.bits()));
    const data = isDays ? Int32Array.from(values, Number) : BigInt64Array.from(values);
    const nullBitmap = new Uint8Array((part.length + 7) >> 3);
    for (const [i, unit] of part.entries()) if (unit !== null) nullBitmap[i >> 3] |= 1 << (i & 7);
    return makeData({ type, length: part.length, data, nullBitmap } as never).slice(before, length);
  });
  return new Vector(chunks);
}

const frameOf = (vector: Vector, type = "datetime"): Frame<Record<string, never>> => {
  const schema = new Schema([fieldOf({ name: "t", type }).clone({ type: vector.type })]);
  return Frame.from(
    new Table(
      schema,
      vector.data.map((data) => recordBatch(schema, [data], data.length)),
    ),
  ) as never;
};

/** ISO text with nine digits of the second. */
function isoText(nanos: bigint): string {
  const [seconds, rest] = [floorDiv(nanos, 1_000_000_000n), nanos - floorDiv(nanos, 1_000_000_000n) * 1_000_000_000n];
  return `${new Date(Number(seconds) * 1000).toISOString().slice(0, 19)}.${String(rest).padStart(9, "0")}Z`;
}

const signs = { eq: [0], ne: [-1, 1], lt: [-1], le: [-1, 0], gt: [1], ge: [0, 1] } as const;
const HOW = Object.keys(signs) as (keyof typeof signs)[];

describe.each(TYPES)("timestamps of %s", (_, typeOf, unit) => {
  const cases = (seed: number) => {
    const random = new Random(seed * 4 + unit.toString().length);
    const nanos = Array.from({ length: 60 }, () => (random.oneIn(9) ? null : randomNanos(random, unit)));
    const units = nanos.map((value) => (value === null ? null : value / unit));
    const frame = frameOf(chunked(random, typeOf(), units, randomCuts(random, nanos.length)));
    return { random, nanos, column: frame.column("t") as Column<string | null>, frame };
  };
  const mapped = <T>(values: readonly (bigint | null)[], map: (nanos: bigint) => T): (T | null)[] =>
    values.map((value) => (value === null ? null : map(value)));

  it("are dates, days, years and months as integers divide them", () => {
    for (let seed = 1; seed <= runs(40); seed++) {
      const { nanos, column, frame } = cases(seed);
      const dates = mapped(nanos, (value) => new Date(Number(floorDiv(value, MS))));
      expect(column.toDates()).toEqual(dates);
      expect([...column.values({ dates: "date" })]).toEqual(dates);
      expect([...frame.rows({ dates: "date" })].map((row) => row["t"])).toEqual(dates);
      expect(column.year().toArray()).toEqual(dates.map((date) => date?.getUTCFullYear() ?? null));
      expect(column.month().toArray()).toEqual(dates.map((date) => date && date.getUTCMonth() + 1));
      expect(column.weekday().toArray()).toEqual(dates.map((date) => date && ((date.getUTCDay() + 6) % 7) + 1));
      const days = column.cast("Date", { onPrecisionLoss: "round" });
      expect(days.toStrings()).toEqual(dates.map((date) => date?.toISOString().slice(0, 10) ?? null));
      const isWhole = nanos.every((value) => value === null || value % DAY === 0n);
      if (isWhole) expect(column.cast("Date").toStrings()).toEqual(days.toStrings());
      else expect(() => column.cast("Date")).toThrow(/has more than Date keeps/);
      for (const [i, value] of column.toNumbers().entries()) {
        if (nanos[i] === null) expect(value).toBeNaN();
        // A decimal text is read as the nearest double.
        else expect(value).toBe(Number(`${nanos[i]}e-6`));
      }
      const sorted = nanos.filter((value) => value !== null).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
      expect(frame.sort("t").column("t").toBigInts().slice(0, sorted.length)).toEqual(sorted.map((v) => v / unit));
      // CSV has no timestamps without a zone.
      const cells = frame.toCSV().split("\n").slice(1, -1);
      expect(cells).toEqual(column.toStrings().map((text) => text?.replace(/Z?$/, "Z") ?? ""));
    }
  });

  it("compare with constants and columns of dates and of each unit, and are among constants", () => {
    for (let seed = 1; seed <= runs(40); seed++) {
      const { random, nanos, column } = cases(seed);
      const near = (): bigint => random.pick(nanos.filter((value) => value !== null)) + BigInt(random.below(3) - 1);
      const constants: (readonly [string | Date, bigint])[] = [0, 1, 2, 3].map((kind) => {
        const value = near();
        const day = floorDiv(value, DAY) * DAY;
        if (kind === 0) return [isoText(value), value];
        if (kind === 1) return [isoText(day).slice(0, 10), day];
        const ms = floorDiv(value, MS) * MS;
        return kind === 2 ? [new Date(Number(ms / MS)), ms] : [isoText(ms).replace("000000Z", "Z"), ms];
      });
      for (const how of HOW) {
        for (const [constant, value] of constants) {
          const expected = mapped(nanos, (a) =>
            (signs[how] as readonly number[]).includes(a < value ? -1 : a > value ? 1 : 0),
          );
          expect(column[how](constant as never).toArray(), `${how} ${String(constant)}`).toEqual(expected);
        }
      }
      const wanted = new Set(constants.map(([, value]) => value));
      expect(column.isIn(constants.map(([constant]) => constant) as never).toArray()).toEqual(
        mapped(nanos, (value) => wanted.has(value)),
      );
      const all = column.toStrings().flatMap((text) => (text === null ? [] : [text]));
      expect(column.isIn(all as never).toArray()).toEqual(mapped(nanos, () => true));
      const others: readonly (readonly [() => DataType, bigint])[] = [
        ...TYPES.map(([, type, per]) => [type, per] as const),
        [() => new DateDay(), DAY],
        [() => new DateMillisecond(), DAY],
      ];
      for (const [type, per] of others) {
        const values = nanos.map((value) => {
          const near = value === null ? null : floorDiv(value + BigInt(random.below(3) - 1), per);
          return near === null || BigInt.asIntN(64, near) !== near ? null : near * per;
        });
        const made = type();
        const step = made instanceof DateMillisecond ? MS : per;
        const raw = values.map((value) => (value === null ? null : value / step));
        const other = new Column("o", "datetime", chunked(random, made, raw, randomCuts(random, nanos.length)));
        for (const how of HOW) {
          const expected = nanos.map((a, i) => {
            const b = values[i];
            if (a === null || b === null) return null;
            return (signs[how] as readonly number[]).includes(a < b ? -1 : a > b ? 1 : 0);
          });
          expect(column[how](other as never).toArray(), `${how} ${made}`).toEqual(expected);
          const turned = { eq: "eq", ne: "ne", lt: "gt", le: "ge", gt: "lt", ge: "le" } as const;
          expect((other as typeof column)[turned[how]](column as never).toArray(), `${how} ${made}`).toEqual(expected);
        }
      }
    }
  });
});

describe("dates in milliseconds", () => {
  it("compare with constants and are among them as whole days", () => {
    for (let seed = 1; seed <= runs(40); seed++) {
      const random = new Random(seed);
      const days = Array.from({ length: 20 }, () => (random.oneIn(9) ? null : floorDiv(randomNanos(random, MS), DAY)));
      // A writer may leave a time of day in them.
      const raw = days.map((day) =>
        day === null ? null : day * 86_400_000n + BigInt(random.pick([0, 0, 86_399_999])),
      );
      const vector = chunked(random, new DateMillisecond(), raw, randomCuts(random, raw.length));
      const column = frameOf(vector, "Date").column("t") as Column<string | null>;
      const day = random.pick(days.filter((value) => value !== null));
      const nanos = day * DAY + random.pick([0n, 1n, DAY - 1n]);
      for (const how of HOW) {
        const expected = days.map((a) =>
          a === null
            ? null
            : (signs[how] as readonly number[]).includes(a * DAY < nanos ? -1 : a * DAY > nanos ? 1 : 0),
        );
        expect(column[how](isoText(nanos) as never).toArray(), how).toEqual(expected);
      }
      expect(column.isIn([isoText(nanos)] as never).toArray()).toEqual(
        days.map((a) => (a === null ? null : a * DAY === nanos)),
      );
      expect(column.toDates()).toEqual(days.map((a) => (a === null ? null : new Date(Number(a) * 86_400_000))));
    }
  });
});
