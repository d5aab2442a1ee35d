import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Frame } from "../../src/index.js";
import { formatDate } from "../../src/value/date.js";
import { forAll } from "../support/for-all.js";
import { runs } from "../support/whole.js";

/** A double in units of 2^-1074, exactly. */
function unitsOf(value: number): bigint {
  const bits = new BigUint64Array(Float64Array.of(Math.abs(value)).buffer)[0];
  const exponent = bits >> 52n;
  const digits = bits & ((1n << 52n) - 1n);
  const size = exponent === 0n ? digits : (digits | (1n << 52n)) << (exponent - 1n);
  return value < 0 ? -size : size;
}

/** The double next to a positive one. */
function neighbour(value: number, step: 1n | -1n): number {
  const bits = new BigUint64Array(Float64Array.of(value).buffer);
  bits[0] += step;
  return new Float64Array(bits.buffer)[0];
}

/** Whether a positive double is the nearest to over / under. */
function isNearest(value: number, over: bigint, under: bigint): boolean {
  const away = (double: number) => {
    const distance = unitsOf(double) * under - (over << 1074n);
    return distance < 0n ? -distance : distance;
  };
  return away(value) <= away(neighbour(value, 1n)) && away(value) <= away(neighbour(value, -1n));
}

const SCALE = 4;
/** Prices in units of 10^-4, some of more digits than a double holds. */
const price = fc.oneof(fc.bigInt({ min: 10_000n, max: 9_999_999n }), fc.bigInt({ min: 10n ** 17n, max: 10n ** 18n }));
const text = (units: bigint) => `${units / 10_000n}.${String(units % 10_000n).padStart(SCALE, "0")}`;
const rows = fc.uniqueArray(
  fc.record({ k: fc.constantFrom("a", "b", "c"), day: fc.integer({ min: 0, max: 60 }), price }),
  { minLength: 1, maxLength: 40, selector: ({ k, day }) => `${k}${day}` },
);
const actions = fc.array(
  fc.record({
    k: fc.constantFrom("a", "b", "z"),
    day: fc.integer({ min: -2, max: 62 }),
    split: fc.option(fc.constantFrom("2", "4", "0.1", "1.5", "3", "0.3333")),
    /** In units of 10^-4, less than any price. */
    dividend: fc.option(fc.bigInt({ min: 0n, max: 2_000n })),
  }),
  { minLength: 1, maxLength: 12 },
);

/** [over, under] of a split. */
const ratio: Record<string, readonly [bigint, bigint]> = {
  "2": [2n, 1n],
  "4": [4n, 1n],
  "0.1": [1n, 10n],
  "1.5": [3n, 2n],
  "3": [3n, 1n],
  "0.3333": [3_333n, 10_000n],
};

describe("prices before splits and dividends", () => {
  it("are the nearest doubles of price · Π 1/split · (1 − dividend/close), volumes of volume · Π split", () => {
    forAll({ numRuns: runs(200), seed: 50 }, rows, actions, (all, events) => {
      const frame = Frame.fromColumns(
        {
          k: all.map(({ k }) => k),
          d: all.map(({ day }) => formatDate(day)),
          close: all.map(({ price }) => text(price)),
          volume: all.map(({ price }) => price),
        },
        { d: "Date", close: `BigDecimal(38,${SCALE})`, volume: "BigDecimal(38,0)" },
      );
      const given = Frame.fromColumns(
        {
          k: events.map(({ k }) => k),
          d: events.map(({ day }) => formatDate(day)),
          split: events.map(({ split }) => split),
          dividend: events.map(({ dividend }) => (dividend === null ? null : text(dividend))),
        },
        { d: "Date", split: "BigDecimal(9,4)", dividend: "BigDecimal(20,4)" },
      );
      const found = frame.adjust(given, { by: "k", columns: "close", volume: "volume" });
      const [closes, volumes] = [found.column("close").toNumbers(), found.column("volume").toNumbers()];
      for (const [i, row] of all.entries()) {
        let [over, under] = [1n, 1n];
        let [more, less] = [1n, 1n];
        const later = events.filter(({ k, day }) => k === row.k && day > row.day);
        for (const day of new Set(later.map((event) => event.day))) {
          const before = all.filter((other) => other.k === row.k && other.day < day).sort((a, b) => b.day - a.day)[0];
          const cash = later.reduce((sum, event) => sum + (event.day === day ? (event.dividend ?? 0n) : 0n), 0n);
          over *= before.price - cash;
          under *= before.price;
          for (const { split } of later.filter((event) => event.day === day && event.split !== null)) {
            const [up, down] = ratio[split as string];
            [over, under, more, less] = [over * down, under * up, more * up, less * down];
          }
        }
        expect(isNearest(closes[i], row.price * over, under * 10n ** BigInt(SCALE))).toBe(true);
        expect(isNearest(volumes[i], row.price * more, less)).toBe(true);
      }
    });
  });

  it("of doubles count as their digits; NaN and null stay, and the order of rows", () => {
    const frame = Frame.fromColumns(
      {
        d: ["2024-01-05", "2024-01-04", "2024-01-03", "2024-01-02"],
        open: [null, 10.1, Number.NaN, 9.9],
        close: [30, 10, 9, 20],
      },
      { d: "Date", open: "double", close: "double" },
    );
    const given = Frame.fromColumns({ d: ["2024-01-05", "2024-01-03"], dividend: [1, 0.2] }, { d: "Date" });
    const found = frame.adjust(given, { columns: ["open", "close"], close: "close" });
    // 0.9 = 1 − 1 / 10, then 0.99 = 1 − 0.2 / 20.
    expect(found.column("close").toArray()).toEqual([30, 9, 8.1, 20 * 0.891]);
    expect(found.column("open").toArray()).toEqual([null, 9.09, null, 8.8209]);
    expect(found.column("d").toArray()).toEqual(frame.column("d").toArray());
  });

  it("are those of an hour before the day of a split; an action before all rows changes nothing", () => {
    const frame = Frame.fromColumns({
      at: [new Date("2024-01-02T20:00:00Z"), new Date("2024-01-03T15:00:00Z")],
      p: [8, 2],
    });
    const given = Frame.fromColumns({ at: ["2024-01-03", "2023-01-01"], split: [4, 100] }, { at: "Date" });
    expect(frame.adjust(given, { columns: "p" }).column("p").toArray()).toEqual([2, 2]);
  });
});

describe("actions that cannot be", () => {
  const frame = Frame.fromColumns(
    { d: ["2024-01-02", "2024-01-03"], open: [10, 11], close: [10, 12] },
    { d: "Date", open: "double", close: "double" },
  );
  const given = (columns: Record<string, (number | null)[]>) =>
    Frame.fromColumns({ d: ["2024-01-03"], ...columns } as never, { d: "Date" } as never) as Frame;
  const codeOf = (call: () => unknown) => {
    try {
      call();
    } catch (error) {
      return (error as { code: string }).code;
    }
    return undefined;
  };

  it("are refused, with the row", () => {
    const bad = [given({ split: [0] }), given({ split: [-2] }), given({ dividend: [-1] }), given({ dividend: [10] })];
    for (const actions of bad) {
      expect(() => frame.adjust(actions, { columns: "close" })).toThrow(
        expect.objectContaining({ code: "BadArgument" }),
      );
      expect(() => frame.adjust(actions, { columns: "close" })).toThrow(expect.objectContaining({ row: 0 }));
    }
    expect(codeOf(() => frame.adjust(given({ x: [1] }), { columns: "close" }))).toBe("UnknownColumn");
    expect(codeOf(() => frame.adjust(given({ split: [2] }), { columns: [] }))).toBe("BadArgument");
    expect(codeOf(() => frame.adjust(given({ split: [2] }), { by: "k" as never, columns: "close" }))).toBe(
      "UnknownColumn",
    );
    expect(codeOf(() => frame.adjust(given({ split: [2] }), { columns: "close", dividend: "divi" }))).toBe(
      "UnknownColumn",
    );
    // Which close a dividend is compared with is not clear.
    expect(codeOf(() => frame.adjust(given({ dividend: [1] }), { columns: ["open", "close"] }))).toBe("BadArgument");
    expect(codeOf(() => frame.adjust(given({ split: [2] }), { columns: ["open", "close"] }))).toBe(undefined);
    expect(codeOf(() => frame.adjust(given({ dividend: [0] }), { columns: "close" }))).toBe(undefined);
  });
});
