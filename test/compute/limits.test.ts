import { expect, it } from "vitest";
import { type Column, Frame } from "../../src/index.js";

const SCALE = 100n;
/** Units within 64 bits, beyond them, beyond 2^53, and none. */
const UNITS = [7n, -7n, 0n, null, 2n ** 63n - 1n, -(2n ** 63n), 2n ** 63n, -(2n ** 100n) - 5n, 2n ** 54n + 1n];
const text = (units: bigint | null): string | null => {
  if (units === null) return null;
  const size = String(units < 0n ? -units : units).padStart(3, "0");
  return `${units < 0n ? "-" : ""}${size.slice(0, -2)}.${size.slice(-2)}`;
};
const column = (units: readonly (bigint | null)[]) =>
  Frame.fromRows(
    units.map((unit) => ({ v: text(unit) })),
    [{ name: "v", type: "BigDecimal(38,2)" }],
  );

it("computes remainders of decimals within and beyond 64 bits", () => {
  const rows = Array.from({ length: 20_000 }, (_, i) => UNITS[(i * 7) % UNITS.length]);
  const divisors = rows.map((_, i) => UNITS[(i * 5 + 3) % UNITS.length]);
  const frame = column(rows);
  const byConstant = frame.column("v").mod(3).toStrings();
  expect(byConstant).toEqual(rows.map((units) => text(units === null ? null : units % (3n * SCALE))));
  const byColumn = frame.column("v").mod(column(divisors).column("v")).toStrings();
  const wanted = rows.map((units, i) => {
    const divisor = divisors[i];
    return text(units === null || divisor === null || divisor === 0n ? null : units % divisor);
  });
  expect(byColumn).toEqual(wanted);
});

it("clips decimals within and beyond 64 bits", () => {
  const clipped = column(UNITS).column("v").clip("-0.05", "90000000000000.00").toStrings();
  const [low, high] = [-5n, 9_000_000_000_000_000n];
  expect(clipped).toEqual(
    UNITS.map((units) => text(units === null ? null : units < low ? low : units > high ? high : units)),
  );
  const above = column(UNITS).column("v").clip(0).toStrings();
  expect(above).toEqual(UNITS.map((units) => text(units === null ? null : units < 0n ? 0n : units)));
});

it("computes remainders of doubles as % does, zeros with their sign", () => {
  const special = [0, -0, 7, -7, 6.999999999999999, 2 ** 52, -(2 ** 52), 2 ** 53, 1e300, 5e-324, Infinity];
  const values = [...special, ...Array.from({ length: 2_000 }, (_, i) => Math.sin(i) * 10 ** (i % 18))];
  const frame = Frame.fromColumns({ v: Float64Array.from(values) });
  for (const divisor of [1, 7, -7, 3e10, 2 ** 52, 0.1, 2 ** 53, Infinity]) {
    expect([...frame.column("v").mod(divisor)]).toEqual(values.map((value) => value % divisor));
  }
});

it("sums decimals beyond 2^53 exactly, along the rows of a group", () => {
  const rows = Array.from({ length: 50 }, (_, i) => (i % 9 === 3 ? null : 2n ** 52n + BigInt(i)));
  const frame = column(rows).with({ group: rows.map((_, i) => i % 2) });
  const sums = [0n, 0n];
  const wanted = rows.map((units, i) => {
    sums[i % 2] += units ?? 0n;
    return units === null ? null : text(sums[i % 2]);
  });
  const found = frame.groupBy("group").with({ sum: ["v", "cumsum"] });
  expect(found.column("sum").toStrings()).toEqual(wanted);
});

it.each(["BigDecimal(18,0)", "BigDecimal(30,0)", "Integer"])("clips %s to bounds that doubles do not hold", (type) => {
  const clipped = Frame.fromColumns({ v: ["5", "100000000000000003"] }, { v: type }).column(
    "v",
  ) as unknown as Column<number>;
  expect(clipped.clip(100_000_000_000_000_001n, null).toStrings()).toEqual([
    "100000000000000001",
    "100000000000000003",
  ]);
  expect(clipped.clip(null, -100_000_000_000_000_001n).toStrings()).toEqual([
    "-100000000000000001",
    "-100000000000000001",
  ]);
});
