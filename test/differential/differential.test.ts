import { describe, expect, it } from "vitest";
import { runs } from "../support/whole.js";
import { CHECKS, runCheck } from "./checks.js";

/*
 * Every method beside a plain computation of the same, on random tables: batches of any size, slices, a dictionary for
 * each batch, all units of time, NaN, infinities and 76 digits. `npm run fuzz -- verbs` runs other seeds.
 */
const SEEDS = runs(12, 1);

describe.each(Object.keys(CHECKS))("%s", (name) => {
  it("gives what a plain computation gives", async () => {
    for (let seed = 0; seed < SEEDS; seed++) await runCheck(name, seed);
    expect(SEEDS).toBeGreaterThan(0);
  });
});
