import { closeSync, openSync, readSync } from "node:fs";
import type { MessagePort } from "node:worker_threads";
import type { CellReport, CsvOptions } from "../arrow/read-options.js";
import type { RawBatch, TextMode } from "../build/builder.js";
import { CsvParser } from "../csv/parser.js";
import { fullBatches, lastBatches } from "../csv/pieces.js";
import { type InflateOrder, inflateTo } from "./inflate.js";
import { BatchSender, type SentBatch } from "./transfer.js";

/** Bytes read at a time; they stay in the processor's cache. */
const BLOCK = 1_048_576;

/** How rows are read, with nothing in it but what can be sent to a thread. */
export interface ReadTask {
  readonly options: CsvOptions;
  readonly modes?: readonly (TextMode | undefined)[];
}

/** A stretch of a CSV file: the rows that start in `start` to `end`. */
export interface PartTask extends ReadTask {
  readonly path: string;
  readonly start: number;
  readonly end: number;
  /** No bytes follow `end`. */
  readonly last: boolean;
  readonly order: readonly number[];
}

/** CSV whose chunks come from another thread. */
interface StreamTask extends ReadTask {
  /** Where the chunks come from, as {@link inflateTo} sends them. */
  readonly from: MessagePort;
  /** No further chunk is let in while so many batches have not been taken. */
  readonly ahead: number;
}

/** Messages to a worker thread; `taken`: the caller has taken a batch of the stream. */
export type ThreadOrder =
  | { readonly part: PartTask }
  | { readonly stream: StreamTask }
  | { readonly taken: true }
  | { readonly inflate: InflateOrder };

/** How a read came to its end. */
export interface ReadEnd {
  /** Where the next row would start: for a part `end` of the task, or before it when a row lies across. */
  readonly offset: number;
  readonly rows: number;
  readonly reports: readonly CellReport[];
}

/**
 * Messages from a worker thread: batches and the end; or that it could not parse the input: the caller then reads the
 * same and meets the error.
 */
export type ThreadAnswer =
  | { readonly batch: SentBatch; readonly offset: number }
  | { readonly end: ReadEnd }
  | { readonly failed: true };

type Send = (answer: ThreadAnswer, transfer?: readonly ArrayBuffer[]) => void;

/** The task for these options: without functions and Arrow's classes. */
export function readTask(options: CsvOptions, modes: ReadTask["modes"]): ReadTask {
  const { columns, decimals, onBadCell, onPrecisionLoss, batchRows, text, firstRow } = options;
  const { header, emptyText, lenient, maxCellBytes } = options;
  const cells = { decimals, onBadCell, onPrecisionLoss, batchRows, text, firstRow };
  const plain = { columns: columns.map(({ name, type }) => ({ name, type })), lenient: { ...lenient } };
  return { options: { ...cells, ...plain, header, emptyText, maxCellBytes }, ...(modes && { modes }) };
}

/** What a worker thread does: takes orders, one task at a time, and answers by `send`. */
export function threadReader(send: Send): (order: ThreadOrder) => void {
  let onTaken = (): void => {};
  const failed = (): void => send({ failed: true });
  return (order) => {
    if ("taken" in order) onTaken();
    else if ("inflate" in order) inflateTo(order.inflate).catch(failed);
    else if ("stream" in order) onTaken = readStream(order.stream, send);
    else {
      try {
        const { part } = order;
        const reader = taskReader(part, { offset: part.start, order: part.order }, send);
        reader.give(partBatches(part, reader.parser));
        reader.end();
      } catch {
        failed();
      }
    }
  };
}

interface TaskReader {
  readonly parser: CsvParser;
  /** Sends batches; how many there were. */
  give(batches: Iterable<RawBatch>): number;
  end(): void;
}

function taskReader(
  { options, modes }: ReadTask,
  start: { offset: number; order?: readonly number[] },
  send: Send,
): TaskReader {
  const parser = new CsvParser(options, { ...start, ...(modes && { modes }) });
  const sender = new BatchSender();
  let rows = 0;
  return {
    parser,
    give(batches) {
      let count = 0;
      for (const raw of batches) {
        const { batch, transfer } = sender.pack(raw);
        rows += raw.rows;
        count++;
        send({ batch, offset: parser.offset }, transfer);
      }
      return count;
    },
    end: () => send({ end: { offset: parser.offset, rows, reports: parser.policy.reports() } }),
  };
}

/** Reads chunks as they come; gives what is to be called for each batch that was taken. */
function readStream(task: StreamTask, send: Send): () => void {
  const { from, ahead } = task;
  let waiting = 0;
  // Memory of chunks that were read: it goes back for more.
  const held: ArrayBuffer[] = [];
  let over = false;
  const letIn = (): void => {
    if (waiting >= ahead) return;
    for (const memory of held.splice(0)) from.postMessage(memory, [memory]);
  };
  try {
    const reader = taskReader(task, { offset: 0 }, send);
    from.on("message", (chunk: Uint8Array<ArrayBuffer> | null) => {
      if (over) return;
      try {
        if (chunk === null) {
          from.close();
          reader.give(lastBatches(reader.parser));
          reader.end();
        } else {
          waiting += reader.give(fullBatches(reader.parser, chunk));
          held.push(chunk.buffer);
          letIn();
        }
      } catch {
        over = true;
        from.close();
        send({ failed: true });
      }
    });
  } catch {
    send({ failed: true });
  }
  return () => {
    waiting--;
    letIn();
  };
}

function* partBatches({ path, start, end, last }: PartTask, parser: CsvParser): Generator<RawBatch> {
  const file = openSync(path, "r");
  try {
    const block = new Uint8Array(BLOCK);
    for (let at = start; at < end; ) {
      const read = readSync(file, block, 0, Math.min(BLOCK, end - at), at);
      if (read === 0) break;
      at += read;
      yield* fullBatches(parser, block.subarray(0, read));
    }
  } finally {
    closeSync(file);
  }
  if (last) yield* lastBatches(parser);
  else {
    const rest = parser.rest();
    if (rest !== undefined) yield rest;
  }
}
