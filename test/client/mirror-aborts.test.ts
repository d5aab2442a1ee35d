import { expect, it } from "vitest";
import { Mirror } from "../../src/client/mirror/mirror.js";
import type { MirrorQuery, Place } from "../../src/client/mirror/place.js";
import { shared } from "../../src/client/mirror/shared-file.js";
import type { Engine } from "../../src/engine/contract/engine.js";

const STOPPED = new Error("stopped");

it("an abort ends the wait for an engine that another process has open, which is closed once it is open", async () => {
  let open!: (engine: Engine) => void;
  let isClosed = false;
  const opening = new Promise<Engine>((resolve) => {
    open = resolve;
  });
  const withEngine = shared(
    () => "an engine of the test",
    () => opening,
  );
  const [first, second] = [new AbortController(), new AbortController()];
  const one = withEngine(async () => "used", first.signal);
  first.abort(STOPPED);
  await expect(one).rejects.toBe(STOPPED);
  // The next call waits until it is closed.
  const two = withEngine(async () => "used", second.signal);
  second.abort(STOPPED);
  await expect(two).rejects.toBe(STOPPED);
  const three = withEngine(async () => isClosed);
  const close = async (): Promise<void> => {
    isClosed = true;
  };
  open({ close } as Engine);
  expect(await three).toBe(true);
});

it.each([
  ["a statement", (mirror: Mirror, signal: AbortSignal) => mirror.sql("select 1", { signal })],
  ["a plan", (mirror: Mirror, signal: AbortSignal) => mirror.plan({ signal })],
])("an abort of %s ends the wait for its copy", async (_, call) => {
  const place = { manifest: () => new Promise(() => undefined) } as unknown as Place;
  const stop = new AbortController();
  const called = call(new Mirror({ code: "V/T" } as MirrorQuery, place, {}), stop.signal);
  stop.abort(STOPPED);
  await expect(called).rejects.toBe(STOPPED);
});
