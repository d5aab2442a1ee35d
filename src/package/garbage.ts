import { builtin } from "./builtin.js";

/** Collects garbage: all of it, or only young objects, which takes less than a millisecond. */
type Collect = (options?: { readonly type: "minor" }) => void;

let known: Collect | null | undefined;

/** V8's function that collects garbage; undefined where the engine does not expose it. */
export function garbageCollector(): Collect | undefined {
  known ??= (globalThis.gc as Collect | undefined) ?? exposed() ?? null;
  return known ?? undefined;
}

/** Only contexts that begin while the flag is set have the function. */
function exposed(): Collect | undefined {
  const { setFlagsFromString } = builtin("node:v8");
  try {
    setFlagsFromString("--expose-gc");
    return builtin("node:vm").runInNewContext("gc");
  } catch {
    return undefined;
  } finally {
    setFlagsFromString("--no-expose-gc");
  }
}

/** Growth of the process, in bytes, that makes a collection worthwhile. */
const GROWTH = 40 << 20;
/** One collection leaves pages half empty; further ones compact and release them. */
const ROUNDS = 3;

/**
 * Returns a function that releases memory to the system when the process has grown by 40 MB since the last release.
 * Each cell leaves 1 MB or more of compiler garbage, for which V8 lets its heap grow beyond what is in use. Called
 * while the kernel is idle: between busy cells, collecting would take longer than the cells themselves.
 */
export function memoryReleaser(): () => void {
  let floor = process.memoryUsage.rss();
  return () => {
    const now = process.memoryUsage.rss();
    floor = Math.min(floor, now);
    if (now < floor + GROWTH) return;
    for (let round = 0; round < ROUNDS; round++) garbageCollector()?.();
    floor = process.memoryUsage.rss();
  };
}
