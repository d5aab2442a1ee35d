import { Random } from "./random.js";
import type { FuzzTarget, Outcome } from "./target.js";

/** A broken promise, and the seed that shows it again. */
export interface Failure {
  readonly seed: number;
  readonly kind: "error" | "slow" | "memory";
  readonly message: string;
}

/** What a run has seen so far. */
export interface Tally {
  inputs: number;
  bytes: number;
  read: number;
  refused: number;
  /** The longest processor time of one input, in milliseconds. */
  slowest: number;
  failures: Failure[];
}

export const newTally = (): Tally => ({ inputs: 0, bytes: 0, read: 0, refused: 0, slowest: 0, failures: [] });

/** The input of a seed. */
export function inputOf(target: FuzzTarget, corpus: readonly Uint8Array[], seed: number): Uint8Array {
  const random = new Random(seed);
  return target.mutate(random.pick(corpus), random);
}

/** Runs one seed and adds what became of it to the tally. */
export async function runSeed(
  target: FuzzTarget,
  corpus: readonly Uint8Array[],
  seed: number,
  tally: Tally,
): Promise<void> {
  const input = inputOf(target, corpus, seed);
  const limit = (target.msPerMegabyte ?? 1000) * Math.max(1, input.length / 1e6);
  tally.inputs++;
  tally.bytes += input.length;
  let { outcome, ms, error } = await timed(target, input);
  // The first time may hold a garbage collection or a compilation that other inputs caused.
  if (ms > limit && error === undefined) ({ outcome, ms, error } = await timed(target, input));
  tally.slowest = Math.max(tally.slowest, ms);
  if (error !== undefined) {
    tally.failures.push({ seed, kind: "error", message: error instanceof Error ? `${error.stack}` : String(error) });
  } else if (ms > limit) {
    const message = `${Math.round(ms)} ms of processor time for ${input.length} bytes; at most ${Math.round(limit)}`;
    tally.failures.push({ seed, kind: "slow", message });
  } else if (outcome !== undefined) tally[outcome]++;
}

async function timed(
  target: FuzzTarget,
  input: Uint8Array,
): Promise<{ outcome?: Outcome; ms: number; error?: unknown }> {
  const start = process.cpuUsage();
  const spent = (): number => {
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  };
  try {
    const outcome = await target.check(input);
    return { outcome, ms: spent() };
  } catch (error) {
    return { ms: spent(), error: error ?? new Error("check() threw nothing") };
  }
}
