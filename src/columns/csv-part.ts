import { closeSync, openSync, readSync } from "node:fs";
import type { RawColumn, TextMode } from "./builder.js";
import { CsvParser, type RawBatch } from "./csv-parser.js";
import type { DictionaryValues } from "./dictionary.js";
import type { CellReport, CsvOptions } from "./options.js";

/** Bytes read at a time; they stay in the processor's cache. */
const BLOCK = 1_048_576;

/** A stretch of a CSV file for a worker thread: rows that start in `start` to `end`. Everything in it can be sent to a thread. */
export interface PartTask {
  readonly path: string;
  readonly start: number;
  readonly end: number;
  /** No bytes follow `end`. */
  readonly last: boolean;
  readonly options: CsvOptions;
  readonly order: readonly number[];
  readonly modes?: readonly (TextMode | undefined)[];
}

/** A column of a batch with its dictionary by number, because dictionaries are shared between batches. */
type SentColumn = Omit<RawColumn, "dictionary"> & { readonly dictionaryAt?: number };

/** What a worker thread sends back: the batches, or that something did not fit. */
export interface PartResult {
  readonly start: number;
  /** Where the next row starts: `end` of the task, or before it when a row lies across. */
  readonly end: number;
  readonly rows: number;
  readonly batches: readonly { readonly rows: number; readonly columns: readonly SentColumn[] }[];
  readonly dictionaries: readonly DictionaryValues[];
  readonly reports: readonly CellReport[];
  /** The part holds an error; the caller reads again on one thread, which then names the right row. */
  readonly failed?: true;
}

/** Reads a part on the calling thread. `transfer` lists the memory that may change its thread with the result. */
export function readPart(task: PartTask): { result: PartResult; transfer: ArrayBuffer[] } {
  const { start } = task;
  try {
    const { batches, parser } = parsePart(task);
    return packed(start, parser.offset, batches, parser.policy.reports());
  } catch {
    const result = { start, end: start, rows: 0, batches: [], dictionaries: [], reports: [], failed: true } as const;
    return { result, transfer: [] };
  }
}

function parsePart({ path, start, end, last, options, order, modes }: PartTask): {
  batches: RawBatch[];
  parser: CsvParser;
} {
  const parser = new CsvParser(options, { offset: start, order, ...(modes && { modes }) });
  const batches: RawBatch[] = [];
  const drain = (): void => {
    for (let batch = parser.take(); batch !== undefined; batch = parser.take()) batches.push(batch);
  };
  const file = openSync(path, "r");
  try {
    const block = new Uint8Array(BLOCK);
    for (let at = start; at < end; ) {
      const read = readSync(file, block, 0, Math.min(BLOCK, end - at), at);
      if (read === 0) break;
      at += read;
      parser.feed(block.subarray(0, read));
      drain();
    }
  } finally {
    closeSync(file);
  }
  if (last) {
    parser.finish();
    drain();
  } else {
    const rest = parser.rest();
    if (rest !== undefined) batches.push(rest);
  }
  return { batches, parser };
}

function packed(
  start: number,
  end: number,
  batches: readonly RawBatch[],
  reports: readonly CellReport[],
): { result: PartResult; transfer: ArrayBuffer[] } {
  const numbers = new Map<DictionaryValues, number>();
  const sent = batches.map(({ rows, columns }) => ({
    rows,
    columns: columns.map(({ dictionary, ...column }) => {
      if (dictionary === undefined) return column;
      if (!numbers.has(dictionary)) numbers.set(dictionary, numbers.size);
      return { ...column, dictionaryAt: numbers.get(dictionary) };
    }),
  }));
  const dictionaries = [...numbers.keys()].map(({ size, offsets, bytes, byteLength }) => ({
    size,
    offsets: offsets.slice(0, size + 1),
    bytes: bytes.slice(0, byteLength),
    byteLength,
  }));
  const memory = new Set<ArrayBuffer>();
  for (const { columns } of sent) {
    for (const column of columns) {
      for (const array of [column.words, column.floats, column.bytes, column.validity]) {
        if (array !== undefined && array.byteLength > 0) memory.add(array.buffer as ArrayBuffer);
      }
    }
  }
  for (const { offsets, bytes } of dictionaries) memory.add(offsets.buffer).add(bytes.buffer);
  const rows = batches.reduce((sum, batch) => sum + batch.rows, 0);
  return { result: { start, end, rows, batches: sent, dictionaries, reports }, transfer: [...memory] };
}

/** The batches of a part as its reader made them. */
export function unpacked({ batches, dictionaries }: PartResult): RawBatch[] {
  return batches.map(({ rows, columns }) => ({
    rows,
    columns: columns.map(({ dictionaryAt, ...column }) =>
      dictionaryAt === undefined ? column : { ...column, dictionary: dictionaries[dictionaryAt] },
    ),
  }));
}
