import { existsSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { packageRoot } from "../package/package-root.js";
import type { RecordBatch, Table } from "./arrow.js";
import { BatchMaker, textModes, warnUnknownTypes } from "./batches.js";
import { CsvParser } from "./csv-parser.js";
import { type PartResult, type PartTask, unpacked } from "./csv-part.js";
import type { CellReport, CsvOptions } from "./options.js";
import { tableOf } from "./unify.js";

/** Shorter parts do not repay a thread. */
const SHORTEST_PART = 4_194_304;
const BLOCK = 1_048_576;
/** A border between rows is looked for within this many bytes. */
const BORDER_SEARCH = 16_777_216;

/**
 * A CSV file read by several threads, each its own stretch. A border is taken at a line feed and holds when the part before it ends there
 * with a whole row; a part that began inside quotes is read again from where the part before it ended.
 *
 * @returns undefined where one thread must do: a short file, no worker to start, an error in the file (which one thread then names)
 */
export async function csvThreadsTable(path: string, options: CsvOptions): Promise<Table | undefined> {
  const threads = options.threads ?? availableParallelism();
  const worker = workerPath();
  if (threads < 2 || worker === undefined) return undefined;
  const file = await open(path).catch(() => undefined);
  if (file === undefined) return undefined;
  const workers = new Workers(worker);
  const stop = (): void => workers.close();
  try {
    const tasks = await partTasks(file, path, options, threads);
    if (tasks === undefined) return undefined;
    options.signal?.addEventListener("abort", stop);
    const parts = await readParts(tasks, workers);
    if (parts === undefined) return undefined;
    workers.release();
    return joined(parts, options);
  } catch (error) {
    if (options.signal?.aborted) throw options.signal.reason;
    if (error instanceof WorkerFailure) return undefined;
    throw error;
  } finally {
    options.signal?.removeEventListener("abort", stop);
    workers.close();
    await file.close();
  }
}

/** The worker's file in the built package; none in a source tree that was not built. */
function workerPath(): string | undefined {
  const path = join(packageRoot(), "dist/esm/worker.js");
  return existsSync(path) ? path : undefined;
}

/** The parts of a file, one a thread; undefined where there is only one. */
async function partTasks(
  file: FileHandle,
  path: string,
  options: CsvOptions,
  threads: number,
): Promise<PartTask[] | undefined> {
  const { size } = await file.stat();
  const count = Math.min(threads, Math.floor(size / SHORTEST_PART));
  if (count < 2) return undefined;
  const first = await header(file, options);
  if (first === undefined) return undefined;
  const borders = [first.offset];
  for (let i = 1; i < count; i++) {
    const border = await borderAfter(file, Math.floor((size / count) * i), size);
    if (border === undefined) return undefined;
    if (border > borders[borders.length - 1]) borders.push(border);
  }
  borders.push(size);
  const { columns, decimals, onBadCell, onPrecisionLoss, batchRows, text, emptyText, lenient, maxCellBytes } = options;
  const sendable = { columns, decimals, onBadCell, onPrecisionLoss, batchRows, text, emptyText, lenient, maxCellBytes };
  const modes = textModes(options.schema);
  return borders.slice(1).map((end, i) => ({
    path,
    start: borders[i],
    end,
    last: i === borders.length - 2,
    options: sendable,
    order: first.order,
    ...(modes && { modes }),
  }));
}

/** The order of the file's columns and where its rows begin. */
async function header(
  file: FileHandle,
  options: CsvOptions,
): Promise<{ order: readonly number[]; offset: number } | undefined> {
  const block = new Uint8Array(BLOCK);
  const { bytesRead } = await file.read(block, 0, BLOCK, 0);
  const parser = new CsvParser(options);
  parser.feed(block.subarray(0, bytesRead));
  return parser.begin() && parser.order !== undefined ? { order: parser.order, offset: parser.offset } : undefined;
}

/** The position after the first line feed at or after `start`. */
async function borderAfter(file: FileHandle, start: number, size: number): Promise<number | undefined> {
  const block = new Uint8Array(BLOCK);
  for (let at = start; at < Math.min(size, start + BORDER_SEARCH); at += BLOCK) {
    const { bytesRead } = await file.read(block, 0, BLOCK, at);
    const found = block.subarray(0, bytesRead).indexOf(10);
    if (found >= 0) return at + found + 1;
  }
  return undefined;
}

/** All parts at once; those that turn out to have begun inside a row are read again from its start. */
async function readParts(tasks: readonly PartTask[], workers: Workers): Promise<PartResult[] | undefined> {
  const running = tasks.map((task) => workers.run(task));
  for (const part of running) part.catch(() => {});
  const parts: PartResult[] = [];
  let { start } = tasks[0];
  for (let i = 0; i < tasks.length; i++) {
    let part = await running[i];
    if (part.start !== start) {
      if (start > tasks[i].end) return undefined;
      part = await workers.run({ ...tasks[i], start });
    }
    if (part.failed) return undefined;
    parts.push(part);
    start = part.end;
  }
  return parts;
}

function joined(parts: readonly PartResult[], options: CsvOptions): Table {
  warnUnknownTypes(options.columns, options);
  const batches: RecordBatch[] = [];
  let schema = options.schema;
  for (const part of parts) {
    const maker = new BatchMaker(options.columns, options);
    const table = maker.table(unpacked(part));
    schema ??= table.schema;
    batches.push(...table.batches);
  }
  if (options.onReport !== undefined)
    for (const report of joinedReports(parts, options.firstRow)) options.onReport(report);
  return tableOf(batches, schema);
}

/** The reports of all parts as one reader would have made them. */
function joinedReports(parts: readonly PartResult[], firstRow = 0): CellReport[] {
  const all = new Map<string, CellReport>();
  let before = firstRow;
  for (const { reports, rows } of parts) {
    for (const report of reports) {
      const key = `${report.what} ${report.column}`;
      const known = all.get(key);
      const moved = report.examples.map((example) => ({ ...example, row: example.row + before }));
      const examples = [...(known?.examples ?? []), ...moved].slice(0, 5);
      all.set(key, { ...report, count: (known?.count ?? 0) + report.count, examples });
    }
    before += rows;
  }
  return [...all.values()];
}

/** No worker could start, or one ended before its time. */
class WorkerFailure extends Error {}

/** Threads that have nothing to do: they know their code already. They do not keep the process alive. */
const idle: Worker[] = [];

/** A new worker thread, which leaves the idle ones when it ends; whoever gave it a task hears of its errors. */
function started(path: string): Worker {
  const worker = new Worker(path);
  worker.on("error", () => {});
  worker.on("exit", () => {
    const at = idle.indexOf(worker);
    if (at >= 0) idle.splice(at, 1);
  });
  return worker;
}

/** The worker threads of one read. */
class Workers {
  private readonly own: Worker[] = [];
  private readonly free: Worker[] = [];

  constructor(private readonly path: string) {}

  run(task: PartTask): Promise<PartResult> {
    const worker = this.free.pop() ?? idle.pop() ?? started(this.path);
    if (!this.own.includes(worker)) this.own.push(worker);
    worker.ref();
    return new Promise((resolve, reject) => {
      const done = (): void => {
        worker.off("message", onMessage).off("error", onEnd).off("exit", onEnd);
      };
      const onMessage = (result: PartResult): void => {
        done();
        this.free.push(worker);
        resolve(result);
      };
      const onEnd = (): void => {
        done();
        reject(new WorkerFailure("The worker thread ended."));
      };
      worker.on("message", onMessage).on("error", onEnd).on("exit", onEnd);
      worker.postMessage(task);
    });
  }

  /** Keeps the threads for the next read. */
  release(): void {
    for (const worker of this.own.splice(0)) {
      worker.unref();
      idle.push(worker);
    }
  }

  /** Ends the threads that were not released. */
  close(): void {
    for (const worker of this.own.splice(0)) void worker.terminate();
  }
}
