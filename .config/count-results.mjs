// Adds up the JSON reports in a folder. Prints what failed, then "N passed, N failed" as the last line; a step that
// failed without a failed test counts as one.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const SHOWN_CHARACTERS = 2_000;

const [folder, ...failedSteps] = process.argv.slice(2);
let passed = 0;
let failed = 0;
for (const name of readdirSync(folder).filter((file) => file.endsWith(".json"))) {
  const report = JSON.parse(readFileSync(join(folder, name), "utf8"));
  passed += report.numPassedTests;
  failed += report.numFailedTests;
  for (const failure of failures(report)) console.log(`== failed in ${name}: ${failure.slice(0, SHOWN_CHARACTERS)}`);
}
for (const step of failedSteps) console.log(`== failed step: ${step}`);
failed = Math.max(failed, failedSteps.length);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);

/** Texts of what failed: `failures` of our own suites, or vitest's tests and the files that did not load. */
function failures(report) {
  if (report.failures !== undefined) return report.failures;
  return report.testResults.flatMap(({ name, status, message, assertionResults }) => {
    const tests = assertionResults.filter((test) => test.status === "failed");
    if (tests.length > 0) return tests.map((test) => [name, test.fullName, ...test.failureMessages].join("\n"));
    return status === "failed" ? [`${name}\n${message}`] : [];
  });
}
