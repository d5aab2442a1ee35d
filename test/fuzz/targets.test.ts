import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { isWhole, runs } from "../support/whole.js";
import { newTally, runSeed } from "./loop.js";
import type { FuzzTarget } from "./target.js";

/** `npm test` checks the verbs in test/differential, mirrors in test/client. */
const names = readdirSync(fileURLToPath(new URL("targets", import.meta.url)))
  .map((file) => file.replace(/\.ts$/, ""))
  .filter((name) => isWhole || (name !== "verbs" && name !== "mirror"));

describe("damaged input is refused with an error of this package or read as something usable", () => {
  it.each(names)("%s", { timeout: 900_000 }, async (name) => {
    const { target } = (await import(`./targets/${name}.ts`)) as { target: FuzzTarget };
    expect(target.name).toBe(name);
    const corpus = await target.corpus();
    for (const input of corpus) expect(await target.check(input.slice())).toBe("read");
    const tally = newTally();
    for (let seed = 1; seed <= runs(target.quick, Math.ceil(target.quick / 32)); seed++)
      await runSeed(target, corpus, seed, tally);
    expect(tally.failures).toEqual([]);
    // A generator whose every input is refused at the door, or none, shows nothing; a few inputs may be alike.
    if (isWhole && target.refuses !== false) expect(tally.refused).toBeGreaterThan(0);
    if (isWhole) expect(tally.read).toBeGreaterThan(0);
  });
});
