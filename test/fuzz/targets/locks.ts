import { mkdtempSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { acquire } from "../../../src/disk/lock.js";
import type { FuzzTarget, Outcome } from "../target.js";

/** No process has this number: they end at 2^22 on Linux, and elsewhere below. */
const ENDED = 2 ** 30;

const aLink = (path: string): void => symlinkSync(join(path, "nowhere"), path);

/** What an earlier process, or someone else, may have left under the name of a lock. */
const LEFT: readonly ((path: string) => void)[] = [
  () => {},
  (path) => writeFileSync(path, ""),
  (path) => writeFileSync(path, "{ half a holder"),
  (path) => writeFileSync(path, JSON.stringify({ pid: ENDED, host: hostname(), purpose: "q", token: "t" })),
  (path) => writeFileSync(path, JSON.stringify({ pid: process.pid, host: hostname(), purpose: "q", token: "t" })),
  (path) => {
    writeFileSync(path, JSON.stringify({ pid: 1, host: "elsewhere", purpose: "q", token: "t" }));
    utimesSync(path, 0, 0);
  },
  aLink,
];

/**
 * Random schedules of callers who acquire, hold, abort and release a few locks, some of which were left by others. The
 * first bytes say what was left, the others are the schedule: a caller each, with its turns of the event loop.
 */
export const target: FuzzTarget = {
  name: "locks",
  quick: 15,
  refuses: false,
  corpus: () => [new Uint8Array(24)],
  mutate: (_, random) => Uint8Array.from({ length: 4 + random.below(60) }, () => random.below(256)),
  async check(bytes): Promise<Outcome> {
    const folder = mkdtempSync(join(tmpdir(), "arrowbook-fuzz-locks-"));
    try {
      const paths = Array.from({ length: 2 }, (_, i) => join(folder, `${i}.lock`));
      const left = paths.map((_, i) => LEFT[(bytes[i] ?? 0) % LEFT.length]);
      for (const [i, path] of paths.entries()) left[i](path);
      const inside = paths.map(() => 0);
      const used = new Set<string>();
      const caller = async (byte: number): Promise<void> => {
        const which = byte % paths.length;
        for (let i = 0; i < (byte >> 1) % 4; i++) await turn();
        const stop = new AbortController();
        if (byte >= 224) setImmediate(() => stop.abort());
        const wait = (): Promise<void> => turn().then(() => stop.signal.throwIfAborted());
        const lock = await acquire(paths[which], "q", wait).catch((error: unknown) => {
          if (!stop.signal.aborted) throw error;
        });
        if (lock === undefined) return;
        used.add(paths[which]);
        // A link is not a lock: the work continues without one.
        if (++inside[which] > 1 && left[which] !== aLink) throw new Error(`lock ${which} is held twice`);
        for (let i = 0; i < (byte >> 3) % 8; i++) await turn();
        if (!(await lock.isHeld())) throw new Error(`lock ${which} was taken over while it was held`);
        inside[which]--;
        await lock.release();
      };
      await Promise.all(Array.from(bytes.subarray(2), caller));
      const kept = readdirSync(folder).map((name) => join(folder, name));
      for (const path of kept)
        if (!paths.includes(path) || (used.has(path) && left[paths.indexOf(path)] !== aLink))
          throw new Error(`${path} is left in the folder`);
      return "read";
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};
