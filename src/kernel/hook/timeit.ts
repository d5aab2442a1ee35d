import { showAs } from "../../display/base/show.js";
import { InputError } from "../../errors/errors.js";
import { shown } from "../../errors/shown.js";
import { isPromise } from "./kernel-hooks.js";

/** Runs of {@link timeit}; each has as many calls as fit into a fraction of a second. */
const RUNS = 7;
const RUN_MS = 100;
const MOST_CALLS = 1_000_000;

/** The time of one call of a function, in milliseconds. */
export class Timing {
  constructor(
    /** The mean over the runs. */
    readonly mean: number,
    /** The standard deviation over the runs. */
    readonly deviation: number,
    /** The fastest run. */
    readonly best: number,
    readonly runs: number,
    /** Calls in each run. */
    readonly calls: number,
  ) {
    Object.freeze(this);
  }

  /** `1.23 ms ± 45.6 µs per call (7 runs of 100 calls, best 1.20 ms)`. */
  toString(): string {
    const { mean, deviation, best, runs, calls } = this;
    const count = `${runs} runs of ${calls === 1 ? "1 call" : `${calls} calls`}`;
    return `${duration(mean)} ± ${duration(deviation)} per call (${count}, best ${duration(best)})`;
  }
}

/**
 * Measures a function: {@link RUNS} runs, of as many calls as take about 0.1 s. A function that returns a promise is
 * awaited, and so is the result.
 *
 * @example
 * ```ts no-run
 * timeit(() => frame.sort("close"))
 * await timeit(() => service.table("MARKET/PRICES").page())
 * ```
 */
export function timeit(work: () => PromiseLike<unknown>): Promise<Timing>;
export function timeit(work: () => unknown): Timing;
export function timeit(work: () => unknown): Timing | Promise<Timing> {
  if (typeof work !== "function") {
    throw new InputError(`timeit() expects a function; got ${shown(work)}.`, {
      code: "BadArgument",
      hint: "Pass a function: timeit(() => …).",
    });
  }
  const began = performance.now();
  const first = work();
  if (isPromise(first)) return timeAsync(work as () => PromiseLike<unknown>, first, began);
  const run = (calls: number): number => {
    const start = performance.now();
    for (let i = 0; i < calls; i++) work();
    return performance.now() - start;
  };
  let calls = 1;
  for (let took = performance.now() - began; took < RUN_MS && calls < MOST_CALLS; took = run(calls)) {
    calls = moreCalls(calls, took);
  }
  return timingOf(
    Array.from({ length: RUNS }, () => run(calls)),
    calls,
  );
}

async function timeAsync(
  work: () => PromiseLike<unknown>,
  first: PromiseLike<unknown>,
  began: number,
): Promise<Timing> {
  await first;
  const calls = moreCalls(1, Math.max(performance.now() - began, 0.01));
  const times: number[] = [];
  for (let i = 0; i < RUNS; i++) {
    const start = performance.now();
    for (let call = 0; call < calls; call++) await work();
    times.push(performance.now() - start);
  }
  return timingOf(times, calls);
}

/** More calls for a run that took `took` milliseconds: about as many as fill the time of a run, ten times at most. */
function moreCalls(calls: number, took: number): number {
  const wanted = Math.round((calls * RUN_MS) / Math.max(took, 1e-3));
  return Math.max(1, Math.min(wanted, calls * 10, MOST_CALLS));
}

function timingOf(times: readonly number[], calls: number): Timing {
  const each = times.map((time) => time / calls);
  const mean = each.reduce((sum, time) => sum + time, 0) / each.length;
  const variance = each.reduce((sum, time) => sum + (time - mean) ** 2, 0) / each.length;
  return new Timing(mean, Math.sqrt(variance), Math.min(...each), times.length, calls);
}

const UNITS = [
  [1000, "s"],
  [1, "ms"],
  [1e-3, "µs"],
  [1e-6, "ns"],
] as const;

/** Three significant digits. The unit is chosen for the rounded value: 0.9996 ms is `1.00 ms`, not `1.00e+3 µs`. */
function duration(milliseconds: number): string {
  const rounded = Number(milliseconds.toPrecision(3));
  const [size, name] = UNITS.find(([unit]) => rounded >= unit) ?? UNITS[UNITS.length - 1];
  const value = rounded / size;
  return `${value < 1000 ? value.toPrecision(3) : value.toFixed(0)} ${name}`;
}

showAs<Timing>(Timing.prototype, {
  bundle: (timing) => ({ "text/plain": timing.toString() }),
  text: (timing) => timing.toString(),
});
