import fc from "fast-check";
import { expect, it } from "vitest";
import { Frame } from "../../src/frame/frame.js";
import { type Column, when } from "../../src/index.js";
import { forAll } from "../support/for-all.js";
import { runs } from "../support/whole.js";

const ROWS = 40;
const CELLS = {
  double: ["0.5", "-2.25", "100"],
  "BigDecimal(12,2)": ["0.50", "-2.25", "100.00"],
  "BigDecimal(50,2)": ["0.50", "-2.25", "100.00"],
  Integer: ["5", "-2", "9000000000"],
  Date: ["2024-02-29", "1969-12-31", "0001-01-01"],
  Boolean: ["true", "false", "true"],
} as const;

/** A column whose chunks have the given lengths, as far as they go. */
function column(cells: readonly (string | null)[], type: string, lengths: readonly number[]) {
  const parts: Frame[] = [];
  let from = 0;
  for (const length of [...lengths, cells.length]) {
    const part = cells.slice(from, from + length);
    if (part.length > 0) parts.push(Frame.fromColumns({ v: part }, { v: "String" }).cast({ v: type }));
    from += length;
  }
  return Frame.concat(parts).column("v");
}

const lengths = fc.array(fc.integer({ min: 1, max: 19 }), { maxLength: 5 });
const cells = <T>(values: readonly T[]) =>
  fc.array(fc.option(fc.constantFrom(...values)), { minLength: ROWS, maxLength: ROWS });
const whole = <T>(values: readonly T[]) => fc.array(fc.constantFrom(...values), { minLength: ROWS, maxLength: ROWS });

it.each(Object.entries(CELLS))(
  "when() between columns and constants of %s, in chunks of any length",
  (type, values) => {
    const truths = cells(["true", "false"]);
    const list = fc.oneof(cells(values), whole(values));
    forAll(
      runs(200, 40),
      fc.tuple(truths, truths, list, list),
      fc.tuple(lengths, lengths, lengths, lengths),
      fc.option(fc.constantFrom(...values)),
      ([first, second, a, b], [k, l, m, n], constant) => {
        const found = when(column(first, "Boolean", k) as Column<boolean | null>)
          .then(column(a, type, l))
          .when(column(second, "Boolean", m) as Column<boolean | null>)
          .then(constant === null ? null : (column([constant], type, []).get(0) as never))
          .otherwise(column(b, type, n));
        const expected = first.map((truth, i) => (truth === "true" ? a[i] : second[i] === "true" ? constant : b[i]));
        expect(found.toStrings()).toEqual(column(expected, type, []).toStrings());
      },
    );
  },
);
