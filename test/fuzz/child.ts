import { openSync, writeFileSync, writeSync } from "node:fs";
import { inputOf, newTally, runSeed, type Tally } from "./loop.js";
import type { FuzzTarget } from "./target.js";

/** What `run.mjs` asks of a child process. */
interface Order {
  readonly target: string;
  readonly first: number;
  readonly last: number;
  readonly until: number;
  /** Holds the seed that runs now, for when the process hangs or dies. */
  readonly seedFile: string;
  /** The input of `first` is written here instead of being run. */
  readonly save?: string;
}

/** Runs the seeds of an order and sends the tally to the parent: about once a second, and at the end. */
async function main(): Promise<void> {
  const order = JSON.parse(process.argv[2]) as Order;
  const { target } = (await import(order.target)) as { target: FuzzTarget };
  const corpus = await target.corpus();
  if (order.save !== undefined) return writeFileSync(order.save, inputOf(target, corpus, order.first));
  const maxMemory = target.maxMemory ?? 512;
  const seedFile = openSync(order.seedFile, "w");
  const seedBytes = new DataView(new ArrayBuffer(8));
  let tally = newTally();
  let reported = Date.now();
  for (let seed = order.first; seed <= order.last && Date.now() < order.until; seed++) {
    seedBytes.setFloat64(0, seed, true);
    writeSync(seedFile, seedBytes, 0, 8, 0);
    await runSeed(target, corpus, seed, tally);
    const peak = process.resourceUsage().maxRSS / 1024;
    if (peak > maxMemory) {
      const message = `${Math.round(peak)} MB of memory; at most ${maxMemory}`;
      await send(tally, seed, { seed, kind: "memory", message });
      return;
    }
    if (Date.now() - reported < 1000) continue;
    await send(tally, seed);
    tally = newTally();
    reported = Date.now();
  }
  await send(tally, order.last);
}

function send(tally: Tally, seed: number, overMemory?: Tally["failures"][number]): Promise<void> {
  const peak = process.resourceUsage().maxRSS / 1024;
  return new Promise((resolve) => process.send?.({ tally, seed, peak, overMemory }, () => resolve()));
}

main().then(
  () => process.disconnect?.(),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
