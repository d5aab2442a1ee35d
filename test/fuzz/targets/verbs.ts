import { CHECKS, runCheck } from "../../differential/checks.js";
import { seedInput, seedOf } from "../seed-input.js";
import type { FuzzTarget, Outcome } from "../target.js";

/** All methods on one random table, beside a plain computation of the same; the input is the seed of the table. */
export const target: FuzzTarget = {
  name: "verbs",
  quick: 3,
  ...seedInput,
  async check(input): Promise<Outcome> {
    const seed = seedOf(input);
    for (const name of Object.keys(CHECKS)) await runCheck(name, seed);
    return "read";
  },
  // A table of more than 65,536 rows takes all methods seconds.
  msPerMegabyte: 120_000,
  maxMemory: 2_048,
};
