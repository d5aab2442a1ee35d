import fc from "fast-check";
import { Frame } from "../../src/frame/frame.js";

/** A column of decimals or integers as the tests compute it: units, and digits after the point. */
export interface Model {
  readonly type: string;
  readonly precision: number;
  readonly scale: number;
  readonly units: readonly (bigint | null)[];
}

/** Units with so many digits after the point, as the service writes them. */
export function spelt(units: bigint, scale: number): string {
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, "0");
  const sign = units < 0n ? "-" : "";
  return scale === 0 ? sign + digits : `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

export const texts = ({ units, scale }: Pick<Model, "units" | "scale">): (string | null)[] =>
  units.map((value) => (value === null ? null : spelt(value, scale)));

const INT64 = 2n ** 63n;

/** Values of very different sizes, at the borders of doubles and of 64 bits, and nulls. */
function unitsUpTo(limit: bigint): fc.Arbitrary<bigint | null> {
  const bounded = (value: bigint): bigint => (value > limit ? limit : value < -limit ? -limit : value);
  const near = fc.constantFrom(
    0n,
    1n,
    5n,
    10n,
    2n ** 31n,
    2n ** 32n,
    2n ** 52n,
    2n ** 53n,
    2n ** 63n,
    10n ** 18n,
    limit,
  );
  const border = fc.tuple(near, fc.bigInt({ min: -3n, max: 3n }), fc.boolean());
  return fc.oneof(
    { weight: 2, arbitrary: fc.constant(null) },
    { weight: 3, arbitrary: fc.bigInt({ min: -100n, max: 100n }).map(bounded) },
    { weight: 3, arbitrary: fc.bigInt({ min: -limit, max: limit }) },
    { weight: 4, arbitrary: border.map(([at, off, minus]) => bounded(minus ? -at + off : at + off)) },
  );
}

export function decimals(rows: number, most = 76): fc.Arbitrary<Model> {
  return fc
    .integer({ min: 1, max: most })
    .chain((precision) =>
      fc.record({ precision: fc.constant(precision), scale: fc.integer({ min: 0, max: precision }) }),
    )
    .chain(({ precision, scale }) =>
      fc
        .array(unitsUpTo(10n ** BigInt(precision) - 1n), { minLength: rows, maxLength: rows })
        .map((units) => ({ type: `BigDecimal(${precision},${scale})`, precision, scale, units })),
    );
}

const integers = (rows: number): fc.Arbitrary<Model> =>
  fc
    .array(unitsUpTo(INT64 - 1n), { minLength: rows, maxLength: rows })
    .map((units) => ({ type: "Integer", precision: 19, scale: 0, units }));

export const numbers = (rows: number, most?: number): fc.Arbitrary<Model> =>
  fc.oneof({ weight: 3, arbitrary: decimals(rows, most) }, { weight: 1, arbitrary: integers(rows) });

/** A frame of columns, cut into batches at these rows. */
export function frameOf(columns: Readonly<Record<string, Model>>, cuts: readonly number[] = []): Frame {
  const specs = Object.entries(columns).map(([name, { type }]) => ({ name, type }));
  const cells = Object.entries(columns).map(([name, model]) => [name, texts(model)] as const);
  const rows = cells[0][1].map((_, i) => Object.fromEntries(cells.map(([name, column]) => [name, column[i]])));
  const at = [...new Set([0, ...cuts.filter((cut) => cut < rows.length), rows.length])].sort((a, b) => a - b);
  const parts = at.slice(1).map((end, i) => Frame.fromRows(rows.slice(at[i], end), specs));
  return parts.length === 0 ? Frame.fromRows([], specs) : (Frame.concat(parts) as Frame);
}

export const codeOf = (run: () => unknown): unknown => {
  try {
    run();
  } catch (error) {
    return (error as { code?: string }).code;
  }
  return "no error";
};
