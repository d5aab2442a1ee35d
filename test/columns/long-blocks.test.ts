// Comparisons, bounds and conditions on columns that take several blocks and chunks, beside one value at a time.
import { expect, it } from "vitest";
import { Frame, when } from "../../src/index.js";

/** Rows of the pieces: no multiple of 8, more than a block, more than a part. */
const PIECES = [4_099, 70_001, 9, 8_200];
const ROWS = PIECES.reduce((sum, rows) => sum + rows, 0);
const LARGE = 2n ** 70n;

const isNull = (i: number): boolean => i % 13 === 5;
const doubleAt = (i: number): number =>
  [Number.NaN, -0, 0, Number.POSITIVE_INFINITY, -1.5][i % 97] ?? ((i * 7919) % 2_000) / 10 - 100;
/** Few of them are beyond 64 bits. */
const unitsAt = (i: number): bigint =>
  i % 1_001 === 7 ? (i % 2 === 0 ? LARGE : -LARGE) : BigInt((i * 7919) % 2_000) - 1_000n;
const digits = (units: bigint): string => {
  const text = (units < 0n ? -units : units).toString().padStart(3, "0");
  return `${units < 0n ? "-" : ""}${text.slice(0, -2)}.${text.slice(-2)}`;
};

/** A frame whose columns have a chunk for each piece; with nulls or without. */
function frameOf(nulls: boolean) {
  let from = 0;
  const frames = PIECES.map((rows) => {
    const at = from;
    from += rows;
    const column = <T>(value: (i: number) => T): (T | null)[] =>
      Array.from({ length: rows }, (_, i) => (nulls && isNull(at + i) ? null : value(at + i)));
    return Frame.fromColumns(
      { d: column(doubleAt), x: column((i) => digits(unitsAt(i))), n: column((i) => BigInt(i)), day: column(dayAt) },
      { d: "double", x: "BigDecimal(30,2)", n: "Integer", day: "Date" },
    );
  });
  return Frame.concat(frames);
}

const dayAt = (i: number): string => new Date((i % 20_000) * 86_400_000).toISOString().slice(0, 10);

const LIMITS = {
  lt: [true, false, false],
  le: [true, true, false],
  eq: [false, true, false],
  ne: [true, false, true],
  ge: [false, true, true],
  gt: [false, false, true],
} as const;

it.each([false, true])("compare with a constant (nulls: %s)", (nulls) => {
  const frame = frameOf(nulls);
  const missing = (i: number): boolean => nulls && isNull(i);
  for (const [name, [less, equal, more]] of Object.entries(LIMITS)) {
    const how = name as keyof typeof LIMITS;
    const doubles = frame.column("d")[how](0).toArray();
    const decimals = frame.column("x")[how]("1.25").toArray();
    const wrong: number[] = [];
    for (let i = 0; i < ROWS; i++) {
      const [d, x] = [doubleAt(i), unitsAt(i)];
      const ofDouble = missing(i) || Number.isNaN(d) ? null : d < 0 ? less : d > 0 ? more : equal;
      const ofDecimal = missing(i) ? null : x < 125n ? less : x > 125n ? more : equal;
      if (doubles[i] !== ofDouble || decimals[i] !== ofDecimal) wrong.push(i);
    }
    expect([how, wrong]).toEqual([how, []]);
  }
});

it.each([false, true])("keep doubles within bounds (nulls: %s)", (nulls) => {
  const clipped = frameOf(nulls).column("d").clip(-3.5, 42).toArray() as (number | null)[];
  const wrong = clipped.flatMap((value, i) => {
    const d = doubleAt(i);
    const right = nulls && isNull(i) ? null : d < -3.5 ? -3.5 : Math.min(d, 42);
    return Object.is(value, right) || (Number.isNaN(right) && value === null) ? [] : [i];
  });
  expect(wrong).toEqual([]);
});

it.each([false, true])("choose values of any width by conditions (nulls: %s)", (nulls) => {
  const frame = frameOf(nulls);
  const at = (i: number): bigint | null => (nulls && isNull(i) ? null : BigInt(i));
  const column = (name: "d" | "x" | "n" | "day") => frame.column(name);
  const chosen = {
    d: when(column("n").gt(70_000)).then(column("d")).when(column("n").le(40_000)).then(null).otherwise(7),
    x: when(column("n").gt(70_000)).then(column("x")).when(column("n").le(40_000)).then(null).otherwise("7.25"),
    day: when(column("n").gt(70_000))
      .then(column("day"))
      .when(column("n").le(40_000))
      .then(null)
      .otherwise("2001-02-03"),
    wide: when(column("n").gt(70_000))
      .then(column("x").cast("BigDecimal(60,2)"))
      .when(column("n").le(40_000))
      .then(null)
      .otherwise("7.25"),
  };
  const values = {
    d: doubleAt,
    x: (i: number) => digits(unitsAt(i)),
    day: dayAt,
    wide: (i: number) => digits(unitsAt(i)),
  };
  const others = { d: 7, x: "7.25", day: "2001-02-03", wide: "7.25" };
  for (const name of ["d", "x", "day", "wide"] as const) {
    const found = chosen[name].toArray({ decimals: "string", dates: "iso" }) as unknown[];
    const wrong = found.flatMap((value, i) => {
      const n = at(i);
      const right = n === null ? others[name] : n > 70_000n ? values[name](i) : n <= 40_000n ? null : others[name];
      return Object.is(value, right) || (Number.isNaN(right) && value === null) ? [] : [[i, value, right]];
    });
    expect([name, wrong.slice(0, 3)]).toEqual([name, []]);
  }
});
