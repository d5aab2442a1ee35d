import { Worker } from "node:worker_threads";
import { Field, Int32, makeData, RecordBatch, Schema, Struct, Table } from "apache-arrow";
import { expect, it, vi } from "vitest";
import { takeRows } from "../../src/columns/table/take.js";
import { copyOnTwoThreads } from "../../src/columns/workers/copy-columns.js";
import { readerThread, ThreadFailure } from "../../src/columns/workers/thread.js";

vi.mock("node:os", async (original) => ({ ...(await original<object>()), availableParallelism: () => 2 }));
vi.mock("../../src/columns/workers/thread.js", async (original) => ({
  ...(await original<object>()),
  hasThreads: () => true,
  readerThread: vi.fn(),
}));

const ROWS = 140_000;
const fields = ["a", "b", "c", "d"].map((name) => new Field(name, new Int32()));
const values = fields.map((_, c) => Int32Array.from({ length: ROWS }, (_, i) => Math.imul(i + 1, 7919 + c)));
const children = values.map((data) => makeData({ type: new Int32(), length: ROWS, nullCount: 0, data }));
const struct = makeData({ type: new Struct(fields), length: ROWS, nullCount: 0, children });
const table = new Table(new Schema(fields), new RecordBatch(new Schema(fields), struct));
const places = Int32Array.from({ length: ROWS }, (_, i) => (i * 7919) % ROWS);

/** For a thread that does not reply. */
const SHORT = 500;
/** For a thread that does, however slow the machine is. */
const LONG = 120_000;

/** The columns and rows that are not copied right. */
function wrongCells(patience = LONG): number[][] {
  const taken = takeRows(table, places, copyOnTwoThreads(0, patience));
  return values
    .map((column, c) => {
      const found = taken.getChildAt(c)?.toArray() as Int32Array;
      return [c, places.findIndex((place, i) => found[i] !== column[place])];
    })
    .filter(([, row]) => row >= 0);
}

/** Makes a thread that does this with each order. Returns what is called with whether it may be used again. */
function threadThat(work: string) {
  const release = vi.fn();
  vi.mocked(readerThread).mockImplementation(() => {
    const code = `require("node:worker_threads").parentPort.once("message", ({ copy: { port, replies } }) => {
      const reply = (message) => {
        port.postMessage(message);
        Atomics.add(replies, 0, 1);
        Atomics.notify(replies, 0);
      };
      port.on("message", (order) => { ${work} });
    });`;
    const worker = new Worker(code, { eval: true });
    release.mockImplementation(() => worker.terminate());
    return { send: (order: object, transfer: []) => worker.postMessage(order, transfer), release } as never;
  });
  return release;
}

it.each([
  ["fails", "reply({ failed: true })", false],
  ["fails for a column", "reply('end' in order ? { copies: [] } : { failed: true })", false],
  ["returns no copies", "if ('end' in order) reply({ copies: [] })", true],
])("columns are copied where the thread %s", (_, work, isUsable) => {
  const release = threadThat(work);
  expect(wrongCells()).toEqual([]);
  expect(release.mock.calls).toEqual([[isUsable]]);
});

it("columns are copied where no thread can start", () => {
  vi.mocked(readerThread).mockImplementation(() => {
    throw new ThreadFailure("No thread can start.");
  });
  expect(wrongCells()).toEqual([]);
});

it("a thread that ends is waited for once", () => {
  const release = threadThat("process.exit()");
  expect(wrongCells(SHORT)).toEqual([]);
  expect(release.mock.calls).toEqual([[false]]);
  vi.mocked(readerThread).mockClear();
  expect(wrongCells(SHORT)).toEqual([]);
  expect(readerThread).not.toHaveBeenCalled();
});
