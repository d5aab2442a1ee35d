import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import { Data, Field, Float64, type RecordBatch, Schema } from "../../src/columns/arrow/arrow.js";
import { recordBatch } from "../../src/columns/arrow/record-batch.js";
import { SpentBatches } from "../../src/columns/io/spent-batches.js";

const ROWS = 1 << 19;
const BYTES = ROWS * 8;
const schema = new Schema([new Field("x", new Float64())]);
const newBatch = (): RecordBatch =>
  recordBatch(
    schema,
    [new Data(new Float64(), 0, ROWS, 0, [undefined, new Float64Array(ROWS), new Uint8Array(0)])],
    ROWS,
  );

it("keeps a few batches in memory while the consumer drops each", async () => {
  const spent = new SpentBatches();
  const before = process.memoryUsage().arrayBuffers;
  let most = 0;
  for (let i = 0; i < 60; i++) {
    spent.add(newBatch());
    await setImmediate();
    most = Math.max(most, process.memoryUsage().arrayBuffers - before);
  }
  expect(most).toBeLessThan(8 * BYTES);
});
