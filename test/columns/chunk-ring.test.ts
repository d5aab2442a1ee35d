import { Worker } from "node:worker_threads";
import fc from "fast-check";
import { expect, it } from "vitest";
import { ChunkRing, RING_CHUNK } from "../../src/columns/workers/chunk-ring.js";

const turn = () => new Promise((resolve) => setImmediate(resolve));

it("gives what was written in order, in chunks of at most 1 MB, whatever the sizes and pauses", async () => {
  const write = fc.record({
    size: fc.oneof(fc.nat(40), fc.nat(3 * RING_CHUNK), fc.constantFrom(RING_CHUNK, RING_CHUNK + 1, 5 * RING_CHUNK)),
    pause: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(write, { maxLength: 12 }), fc.infiniteStream(fc.nat(4)), async (writes, pauses) => {
      const ring = new ChunkRing();
      const reader = new ChunkRing(ring.memory);
      let seed = 1;
      const parts = writes.map(({ size }) => Buffer.alloc(size, Buffer.from([seed++ & 255, seed & 255, 7])));
      const writing = (async () => {
        for (const [i, part] of parts.entries()) {
          if (writes[i].pause) await turn();
          await ring.write(part);
        }
        await ring.end();
      })();
      const read: Buffer[] = [];
      for (let chunk = await reader.next(); chunk !== undefined; chunk = await reader.next()) {
        expect(chunk.length).toBeLessThanOrEqual(RING_CHUNK);
        // Until it is released, it is the next chunk.
        expect(Buffer.compare((await reader.next()) as Uint8Array, chunk)).toBe(0);
        if (pauses.next().value === 0) await turn();
        read.push(Buffer.from(chunk));
        reader.release();
      }
      await writing;
      expect(await reader.next()).toBeUndefined();
      expect(Buffer.concat(read).equals(Buffer.concat(parts))).toBe(true);
    }),
    { numRuns: 30 },
  );
});

it("holds a writer back while 4 chunks are unread", async () => {
  const ring = new ChunkRing();
  let written = 0;
  const writing = (async () => {
    for (; written < 40; written++) await ring.write(Buffer.from([written]));
    await ring.end();
  })();
  await turn();
  expect(written).toBe(4);
  for (let i = 0; i < 40; i++, ring.release()) expect([...((await ring.next()) as Uint8Array)]).toEqual([i]);
  await writing;
  expect(await ring.next()).toBeUndefined();
});

it("wakes a thread that waits, on either side", async () => {
  const ring = new ChunkRing();
  // A writer on another thread that begins late; the slots of the ring as it lays them out.
  const script = `
    const { workerData: memory } = require("node:worker_threads");
    const words = new Int32Array(memory, 0, 6);
    setTimeout(() => {
      for (let i = 0; i < 100; i++) {
        while (i - Atomics.load(words, 1) >= 4) Atomics.wait(words, 1, Atomics.load(words, 1), 100);
        new Uint8Array(memory, 128 + (i % 4) * ${RING_CHUNK})[0] = i;
        words[2 + (i % 4)] = i === 99 ? 0 : 1;
        Atomics.add(words, 0, 1);
        Atomics.notify(words, 0);
      }
    }, 30);`;
  const worker = new Worker(script, { eval: true, workerData: ring.memory });
  const read: number[] = [];
  for (let chunk = await ring.next(); chunk !== undefined; chunk = await ring.next()) {
    read.push(chunk[0]);
    ring.release();
  }
  expect(read).toEqual(Array.from({ length: 99 }, (_, i) => i));
  await worker.terminate();
});

it("ends a reader that waits when it is closed", async () => {
  const ring = new ChunkRing();
  const waiting = ring.next();
  await turn();
  ring.close();
  expect(await waiting).toBeUndefined();
});

it("lets the writer do something else while it is full, and only then", async () => {
  const ring = new ChunkRing();
  const reader = new ChunkRing(ring.memory);
  let calls = 0;
  const meanwhile = (): boolean => {
    if (++calls === 3) reader.release();
    return true;
  };
  for (let i = 0; i < 4; i++) await ring.write(Buffer.of(i), meanwhile);
  expect(calls).toBe(0);
  await ring.write(Buffer.of(4), meanwhile);
  expect(calls).toBe(3);
  // With nothing else to do, it waits.
  const last = ring.write(Buffer.of(5), () => {
    calls++;
    return false;
  });
  await turn();
  expect(calls).toBe(4);
  reader.release();
  await last;
  expect(await reader.next()).toEqual(Uint8Array.of(2));
});
