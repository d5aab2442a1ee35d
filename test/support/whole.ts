import { it } from "vitest";

/** Whether this is `npm run test:all`, which runs every test in full; `npm test` is its quick part. */
export const isWhole = process.env["ARROWBOOK_TESTS"] === "all";

/** How many inputs a generated test takes: `all` of them, or in `npm test` the first of them. */
export const runs = (all: number, quick = Math.ceil(all / 8)): number => (isWhole ? all : Math.min(all, quick));

/** A test that takes long, for `npm run test:all`; `npm test` has a shorter one of the same promise. */
export const longIt = it.runIf(isWhole);
