import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

// The scripts of the measurements are JavaScript without declarations.
const summary = "../bench/summary.mjs";
const report = "../bench/scale/report.mjs";
const settings = "../bench/scale/settings.mjs";

it("the table of docs/benchmarks.md is that of the results", async () => {
  const { PAGE, pageWith } = await import(summary);
  const page = readFileSync(PAGE, "utf8");
  expect(page).toBe(pageWith(page));
});

it("the tables of large tables are those of their results", async () => {
  const { PAGE, pageWith } = await import(report);
  const { RESULTS } = await import(settings);
  const page = readFileSync(PAGE, "utf8");
  expect(page).toBe(pageWith(page, JSON.parse(readFileSync(RESULTS, "utf8"))));
});
