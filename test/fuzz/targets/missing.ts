import fc from "fast-check";
import { check, tables, verbs } from "../../series/missing-values.js";
import { seedInput, seedOf } from "../seed-input.js";
import type { FuzzTarget, Outcome } from "../target.js";

/** Every verb on a random table with NaN and with nulls in its place; the input is the seed of the table. */
export const target: FuzzTarget = {
  name: "missing",
  quick: 5,
  ...seedInput,
  check(input): Outcome {
    const [values] = fc.sample(tables, { seed: seedOf(input), numRuns: 1 });
    for (const name of Object.keys(verbs)) check(name, values);
    return "read";
  },
};
