// fast-check, but after some time a property needs no more runs, unless an interruption counts as a failure of it.
// `npm run test:all` has all of them.
import { performance } from "node:perf_hooks";
import itself, { PreconditionFailure } from "../../node_modules/fast-check/lib/fast-check.js";

const LIMIT_MS = 400;
const LEAST_RUNS = 5;

function assert(property, parameters) {
  if (parameters?.markInterruptAsFailure) return itself.assert(property, parameters);
  const until = performance.now() + LIMIT_MS;
  const run = property.run.bind(property);
  let runs = 0;
  property.run = (...values) =>
    ++runs > LEAST_RUNS && performance.now() > until ? new PreconditionFailure(true) : run(...values);
  return itself.assert(property, parameters);
}

export * from "../../node_modules/fast-check/lib/fast-check.js";

const brief = { ...itself, assert };

// biome-ignore lint/style/noDefaultExport: as fast-check has one
export { assert, brief as default };
