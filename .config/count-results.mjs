// Adds up the JSON reports in a folder and prints "N passed, N failed"; a step that failed without a failed test counts
// as one.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const [folder, failedSteps] = process.argv.slice(2);
let passed = 0;
let failed = 0;
for (const name of readdirSync(folder).filter((file) => file.endsWith(".json"))) {
  const report = JSON.parse(readFileSync(join(folder, name), "utf8"));
  passed += report.numPassedTests;
  failed += report.numFailedTests;
}
failed = Math.max(failed, Number(failedSteps));
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);
