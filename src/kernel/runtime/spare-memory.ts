import { setFlagsFromString } from "node:v8";
import vm from "node:vm";

/** Growth of the process that is worth a collection, in bytes. */
const GROWTH = 40 << 20;
/** One collection leaves pages half empty; the next ones gather what is left and give them back. */
const ROUNDS = 3;

/**
 * Makes a function that gives memory back to the system when the process has grown by 40 MB since it last did. The
 * compiler makes garbage of 1 MB and more a cell, for which V8 lets its heap grow beyond what is in use. Called while
 * nothing is asked of the kernel: between busy cells collecting would cost more time than the cells themselves.
 */
export function spareMemory(): () => void {
  let collect: (() => void) | undefined;
  let floor = process.memoryUsage.rss();
  return () => {
    const now = process.memoryUsage.rss();
    floor = Math.min(floor, now);
    if (now < floor + GROWTH) return;
    if (collect === undefined) {
      setFlagsFromString("--expose-gc");
      collect = vm.runInNewContext("gc") as () => void;
    }
    for (let round = 0; round < ROUNDS; round++) collect();
    floor = process.memoryUsage.rss();
  };
}
