import { columnChecks } from "./column-checks.js";
import { fileChecks } from "./file-checks.js";
import { functionChecks } from "./function-checks.js";
import { type Checks, givenOf } from "./given.js";
import { groupChecks } from "./group-checks.js";
import { rowChecks } from "./row-checks.js";
import { seriesChecks } from "./series-checks.js";
import { summaryChecks } from "./summary-checks.js";

/** A check for every method of frames and columns that computes. */
export const CHECKS: Checks = {
  ...rowChecks,
  ...seriesChecks,
  ...summaryChecks,
  ...groupChecks,
  ...fileChecks,
  ...named("column.", { ...columnChecks, ...functionChecks }),
};

/** Runs the check of a method on the table of a seed; an error names both. */
export async function runCheck(name: string, seed: number): Promise<void> {
  try {
    await CHECKS[name](givenOf(seed));
  } catch (error) {
    throw new Error(`${name}, seed ${seed}: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}

function named(before: string, checks: Checks): Checks {
  return Object.fromEntries(Object.entries(checks).map(([name, check]) => [before + name, check]));
}
