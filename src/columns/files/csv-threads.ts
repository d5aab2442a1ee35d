import { anyAccess, type OpenableFile, type RandomAccess, type SendableFile } from "../../format/random-access.js";
import { setMaxListeners } from "../../platform/node/process.js";
import type { RecordBatch, Table } from "../arrow/arrow.js";
import type { Batching, CsvOptions, OnBytes } from "../arrow/read-options.js";
import { joinedReports, type PartReports } from "../build/bad-cells.js";
import { BatchMaker, textModes, warnUnknownTypes } from "../build/batch-maker.js";
import type { RawBatch } from "../build/builder.js";
import { CsvParser } from "../csv/parser.js";
import { tableOf } from "../table/conform.js";
import { type PartTask, readTask } from "../workers/task.js";
import { hasThreads, prepareThreads, THREADS, ThreadFailure } from "../workers/thread.js";
import { threadRead } from "../workers/thread-read.js";
import type { ReadEnd } from "../workers/transfer.js";

/** Shorter parts are not worth a thread. */
const SHORTEST_PART = 4_194_304;
const BLOCK = 1_048_576;
/** Bytes in which the header is looked for first. */
const HEADER = 8_192;
/** How far a row boundary is searched for, in bytes. */
const MAX_BOUNDARY_SEARCH = 16_777_216;

/**
 * Reads a CSV file with several threads, one part each. A boundary is guessed at a line feed and confirmed if the
 * previous part ends there with a complete row; a part that began inside quotes is read again from the actual end of
 * the previous part.
 *
 * @returns undefined if one thread must read the file: it is short, no worker starts, or it contains an error (which
 *   the single thread then reports)
 */
export async function csvThreadsTable(
  source: string | (OpenableFile & { readonly blob: Blob }),
  options: CsvOptions & Batching & OnBytes,
): Promise<Table | undefined> {
  if (THREADS.most < 2 || !hasThreads()) return undefined;
  const access = await anyAccess(source).catch(() => undefined);
  if (access === undefined) return undefined;
  const stop = new AbortController();
  const { signal } = options;
  try {
    const tasks = await partTasks(access, typeof source === "string" ? source : source.blob, options);
    if (tasks === undefined) return undefined;
    const both = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]);
    setMaxListeners(0, both);
    const parts = await readParts(tasks, both, totalBytes(tasks, options));
    return parts && joined(parts, options);
  } catch (error) {
    if (error instanceof ThreadFailure) return undefined;
    throw error;
  } finally {
    stop.abort();
    await access.close();
  }
}

/** One part of the file per thread; undefined if there is only one. */
async function partTasks(
  access: RandomAccess,
  file: SendableFile,
  options: CsvOptions & Batching,
): Promise<PartTask[] | undefined> {
  const { size } = access;
  const count = Math.min(THREADS.most, Math.floor(size / SHORTEST_PART));
  if (count < 2) return undefined;
  prepareThreads(count);
  const first = await header(access, options);
  if (first === undefined) return undefined;
  const boundaries = [first.offset];
  for (let i = 1; i < count; i++) {
    const boundary = await boundaryAfter(access, Math.floor((size / count) * i), size);
    if (boundary === undefined) return undefined;
    if (boundary > boundaries[boundaries.length - 1]) boundaries.push(boundary);
  }
  boundaries.push(size);
  // Rows are numbered within the part.
  const task = readTask({ ...options, firstRow: 0 }, textModes(options.schema));
  return boundaries.slice(1).map((end, i) => ({
    ...task,
    file,
    start: boundaries[i],
    end,
    last: i === boundaries.length - 2,
    order: first.order,
  }));
}

/** The column order of the file and the offset of its first row. */
async function header(
  access: RandomAccess,
  options: CsvOptions & Batching,
): Promise<{ order: readonly number[]; offset: number } | undefined> {
  const block = new Uint8Array(Math.min(BLOCK, access.size));
  await access.read(block, 0);
  const parser = new CsvParser(options);
  // Most headers are in so few bytes that the parser prepares no blocks for them.
  parser.feed(block.subarray(0, HEADER));
  if (!parser.begin() && block.length > HEADER) parser.feed(block.subarray(HEADER));
  const found =
    parser.begin() && parser.order !== undefined ? { order: parser.order, offset: parser.offset } : undefined;
  parser.close();
  return found;
}

/** The position after the first line feed at or after `start`. */
async function boundaryAfter(access: RandomAccess, start: number, size: number): Promise<number | undefined> {
  for (let at = start; at < Math.min(size, start + MAX_BOUNDARY_SEARCH); at += BLOCK) {
    const block = new Uint8Array(Math.min(BLOCK, size - at));
    await access.read(block, at);
    const found = block.indexOf(10);
    if (found >= 0) return at + found + 1;
  }
  return undefined;
}

interface Part {
  readonly raws: readonly RawBatch[];
  readonly end: ReadEnd;
}

/** Called with the position that the reader of a part has reached. */
type OnOffset = (part: PartTask, offset: number) => void;

function totalBytes(tasks: readonly PartTask[], { onBytes }: OnBytes): OnOffset {
  const places = new Map(tasks.map(({ end, start }) => [end, start]));
  const [first, last] = [tasks[0], tasks[tasks.length - 1]];
  return ({ end }, offset) => {
    places.set(end, Math.min(offset, end));
    let bytes = first.start;
    for (const { start, end } of tasks) bytes += (places.get(end) ?? start) - start;
    onBytes?.(bytes, last.end);
  };
}

async function readPart(part: PartTask, signal: AbortSignal, onOffset: OnOffset): Promise<Part> {
  const raws: RawBatch[] = [];
  const end = await threadRead(
    { part },
    signal,
    (raw) => void raws.push(raw),
    (offset) => onOffset(part, offset),
  );
  return { raws, end };
}

/** Reads all parts in parallel; those that turn out to have begun inside a row are read again from its start. */
async function readParts(
  tasks: readonly PartTask[],
  signal: AbortSignal,
  onOffset: OnOffset,
): Promise<Part[] | undefined> {
  const running = tasks.map((task) => readPart(task, signal, onOffset));
  for (const part of running) part.catch(() => {});
  const parts: Part[] = [];
  let { start } = tasks[0];
  for (let i = 0; i < tasks.length; i++) {
    const wrong = tasks[i].start !== start;
    if (wrong && start > tasks[i].end) return undefined;
    // A part that began inside a row may have stopped before its end.
    const part = wrong ? await readPart({ ...tasks[i], start }, signal, onOffset) : await running[i];
    parts.push(part);
    start = part.end.offset;
  }
  return parts;
}

function joined(parts: readonly Part[], options: CsvOptions & Batching): Table {
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
    for (const report of joinedReports(numbered(parts, options.firstRow))) options.onReport(report);
  return tableOf(batches, schema);
}

function numbered(parts: readonly Part[], firstRow = 0): PartReports[] {
  let before = firstRow;
  return parts.map(({ end: { reports, rows } }) => {
    const part = { reports, before };
    before += rows;
    return part;
  });
}
