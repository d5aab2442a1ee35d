import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { metadataCache } from "../../src/client/transport/session.js";

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

it("drops expired values, also those that are not read again", async () => {
  let now = 0;
  const cache = metadataCache(() => now);
  const kept: WeakRef<object>[] = [];
  const remember = (key: string) =>
    cache.remember(key, async () => {
      const value = { key };
      kept.push(new WeakRef(value));
      return value;
    });
  for (let i = 0; i < 100; i++) await remember(`V/T${i}`);
  now = 11 * 60 * 1000;
  await remember("V/LAST");
  await expect
    .poll(
      () => {
        collect();
        return kept.filter((each) => each.deref() !== undefined).length;
      },
      { timeout: 60_000 },
    )
    .toBeLessThanOrEqual(2);
});
