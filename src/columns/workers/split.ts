import { setMaxListeners } from "node:events";
import { type FileHandle, open } from "node:fs/promises";
import { availableParallelism } from "node:os";
import type { RecordBatch, Table } from "../arrow/arrow.js";
import type { CellReport, CsvOptions, OnBytes } from "../arrow/read-options.js";
import { BatchMaker, textModes, warnUnknownTypes } from "../build/batch-maker.js";
import type { RawBatch } from "../build/builder.js";
import { CsvParser } from "../csv/parser.js";
import { tableOf } from "../table/conform.js";
import { type PartTask, type ReadEnd, readTask } from "./task.js";
import { hasThreads, readerThread, ThreadFailure } from "./thread.js";
import { BatchReceiver } from "./transfer.js";

/** Shorter parts do not repay a thread. */
const SHORTEST_PART = 4_194_304;
const BLOCK = 1_048_576;
/** A border between rows is looked for within this many bytes. */
const BORDER_SEARCH = 16_777_216;

/**
 * A CSV file read by several threads, each its own stretch. A border is taken at a line feed and holds when the part
 * before it ends there with a whole row; a part that began inside quotes is read again from where the part before it
 * ended.
 *
 * @returns undefined where one thread must do: a short file, no worker to start, an error in the file (which one thread
 *   then names)
 */
export async function csvThreadsTable(path: string, options: CsvOptions & OnBytes): Promise<Table | undefined> {
  const threads = options.threads ?? availableParallelism();
  if (threads < 2 || !hasThreads()) return undefined;
  const file = await open(path).catch(() => undefined);
  if (file === undefined) return undefined;
  const stop = new AbortController();
  const { signal } = options;
  try {
    const tasks = await partTasks(file, path, options, threads);
    if (tasks === undefined) return undefined;
    const both = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]);
    setMaxListeners(0, both);
    const parts = await readParts(tasks, both, bytesOfAll(tasks, options));
    return parts && joined(parts, options);
  } catch (error) {
    if (error instanceof ThreadFailure) return undefined;
    throw error;
  } finally {
    stop.abort();
    await file.close();
  }
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
  // Rows are counted within the part.
  const task = readTask({ ...options, firstRow: 0 }, textModes(options.schema));
  return borders.slice(1).map((end, i) => ({
    ...task,
    path,
    start: borders[i],
    end,
    last: i === borders.length - 2,
    order: first.order,
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
  const found =
    parser.begin() && parser.order !== undefined ? { order: parser.order, offset: parser.offset } : undefined;
  parser.close();
  return found;
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

interface Part {
  readonly raws: readonly RawBatch[];
  readonly end: ReadEnd;
}

/** Called with the position that the reader of a part has reached. */
type OnPlace = (part: PartTask, offset: number) => void;

/** The bytes that the readers of all parts have read together. */
function bytesOfAll(tasks: readonly PartTask[], { onBytes }: OnBytes): OnPlace {
  const places = new Map(tasks.map(({ end, start }) => [end, start]));
  const [first, last] = [tasks[0], tasks[tasks.length - 1]];
  return ({ end }, offset) => {
    places.set(end, Math.min(offset, end));
    let bytes = first.start;
    for (const { start, end } of tasks) bytes += (places.get(end) ?? start) - start;
    onBytes?.(bytes, last.end);
  };
}

async function readPart(part: PartTask, signal: AbortSignal, onPlace: OnPlace): Promise<Part> {
  const thread = readerThread(signal);
  const receiver = new BatchReceiver();
  const raws: RawBatch[] = [];
  let whole = false;
  try {
    thread.send({ part });
    for (;;) {
      const answer = await thread.answer();
      if ("batch" in answer) {
        raws.push(receiver.unpack(answer.batch));
        onPlace(part, answer.offset);
      } else {
        whole = true;
        return { raws, end: answer.end };
      }
    }
  } finally {
    thread.release(whole);
  }
}

/** All parts at once; those that turn out to have begun inside a row are read again from its start. */
async function readParts(
  tasks: readonly PartTask[],
  signal: AbortSignal,
  onPlace: OnPlace,
): Promise<Part[] | undefined> {
  const running = tasks.map((task) => readPart(task, signal, onPlace));
  for (const part of running) part.catch(() => {});
  const parts: Part[] = [];
  let { start } = tasks[0];
  for (let i = 0; i < tasks.length; i++) {
    const wrong = tasks[i].start !== start;
    if (wrong && start > tasks[i].end) return undefined;
    // A part that began inside a row may not even have been read to its end.
    const part = wrong ? await readPart({ ...tasks[i], start }, signal, onPlace) : await running[i];
    parts.push(part);
    start = part.end.offset;
  }
  return parts;
}

function joined(parts: readonly Part[], options: CsvOptions): Table {
  warnUnknownTypes(options.columns, options);
  const batches: RecordBatch[] = [];
  let schema = options.schema;
  for (const part of parts) {
    const maker = new BatchMaker(options.columns, options);
    const table = maker.table(part.raws);
    schema ??= table.schema;
    batches.push(...table.batches);
  }
  if (options.onReport !== undefined)
    for (const report of joinedReports(parts, options.firstRow)) options.onReport(report);
  return tableOf(batches, schema);
}

/** The reports of all parts as one reader would have made them. */
function joinedReports(parts: readonly Part[], firstRow = 0): CellReport[] {
  const all = new Map<string, CellReport>();
  let before = firstRow;
  for (const { end } of parts) {
    for (const report of end.reports) {
      const key = `${report.what} ${report.column}`;
      const known = all.get(key);
      const moved = report.examples.map((example) => ({ ...example, row: example.row + before }));
      const examples = [...(known?.examples ?? []), ...moved].slice(0, 5);
      all.set(key, { ...report, count: (known?.count ?? 0) + report.count, examples });
    }
    before += end.rows;
  }
  return [...all.values()];
}
