import { describe, expect, it } from "vitest";
import { isWhole } from "../support/whole.js";
import { CHECKS, runCheck } from "./checks.js";

/*
 * Every method beside a plain computation of the same, on random tables: batches of any size, slices, a dictionary for
 * each batch, all units of time, NaN, infinities and 76 digits. `npm run fuzz -- verbs` runs other seeds.
 */
const SEEDS = Array.from({ length: 12 }, (_, seed) => seed);
/** `npm test` leaves out those that make every file of a long table; the last four have a few long tables. */
const TAKEN = isWhole ? SEEDS : SEEDS.slice(-4);

describe.each(Object.keys(CHECKS))("%s", (name) => {
  it("gives what a plain computation gives", async () => {
    for (const seed of TAKEN) await runCheck(name, seed);
    expect(TAKEN).not.toEqual([]);
  });
});
