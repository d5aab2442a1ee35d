import fc from "fast-check";
import { cancelling, check, METHODS, series } from "../../series/exact-windows.js";
import { seedInput, seedOf } from "../seed-input.js";
import type { FuzzTarget, Outcome } from "../target.js";

const inputs = fc.tuple(fc.oneof(series, cancelling), fc.integer({ min: 1, max: 24 }), fc.boolean());

/** Windows of a random series with outliers, beside exact arithmetic; the input is the seed of the series. */
export const target: FuzzTarget = {
  name: "windows",
  quick: 200,
  ...seedInput,
  check(input): Outcome {
    const [[values, size, center]] = fc.sample(inputs, { seed: seedOf(input), numRuns: 1 });
    for (const method of METHODS) check(values, size, method, center);
    return "read";
  },
};
