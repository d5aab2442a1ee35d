import { setFlagsFromString } from "node:v8";
import vm from "node:vm";

/** Growth of the process that is looked into, in bytes. */
const GROWTH = 40 << 20;
const NOT_BEFORE_MS = 5000;
/** One collection leaves pages half empty; the next ones gather what is left and give them back. */
const ROUNDS = 3;

/** Gives memory back to the system that compiling cells has left behind. */
export interface SpareMemory {
  /** Called after each cell: cheap unless the process has grown. */
  afterCell(): void;
  /** Called when nothing has been asked for a while. */
  whenIdle(): void;
}

/**
 * The compiler makes garbage of 1 MB and more a cell, for which V8 lets its heap grow far beyond what is in use. When the
 * process has grown by 40 MB, at most every five seconds, that room is given back between two cells.
 */
export function spareMemory(): SpareMemory {
  let collect: (() => void) | undefined;
  let floor = Number.POSITIVE_INFINITY;
  let last = 0;

  const giveBack = (): void => {
    if (collect === undefined) {
      setFlagsFromString("--expose-gc");
      collect = vm.runInNewContext("gc") as () => void;
    }
    for (let round = 0; round < ROUNDS; round++) collect();
    last = performance.now();
    floor = process.memoryUsage.rss();
  };

  const look = (quiet: number): void => {
    const now = process.memoryUsage.rss();
    floor = Math.min(floor, now);
    if (now > floor + GROWTH && performance.now() > last + quiet) setImmediate(giveBack);
  };

  return { afterCell: () => look(NOT_BEFORE_MS), whenIdle: () => look(0) };
}
