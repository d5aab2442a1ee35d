import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

// The scripts of the measurement are JavaScript without declarations.
const report = "../bench/scale/report.mjs";
const settings = "../bench/scale/settings.mjs";

it("the tables of docs/scale.md are those of the results", async () => {
  const { PAGE, pageWith } = await import(report);
  const { RESULTS } = await import(settings);
  const page = readFileSync(PAGE, "utf8");
  expect(page).toBe(pageWith(page, JSON.parse(readFileSync(RESULTS, "utf8"))));
});
