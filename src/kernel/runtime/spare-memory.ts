import { garbageCollector } from "../../package/garbage.js";

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
