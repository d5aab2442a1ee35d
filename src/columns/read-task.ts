import { closeSync, openSync, readSync } from "node:fs";
import type { TextMode } from "./builder.js";
import { CsvParser, type RawBatch } from "./csv-parser.js";
import { fullBatches, lastBatches } from "./csv-raw.js";
import type { CellReport, CsvOptions } from "./options.js";
import { BatchSender, type SentBatch } from "./sent-batch.js";

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

/** What a worker thread is sent: a part; or the task of a stream, then its chunks, then that it has ended. */
export type ThreadOrder =
  | { readonly part: PartTask }
  | { readonly stream: ReadTask }
  | { readonly chunk: Uint8Array }
  | { readonly ended: true };

/** How a read came to its end. */
export interface ReadEnd {
  /** Where the next row would start: for a part `end` of the task, or before it when a row lies across. */
  readonly offset: number;
  readonly rows: number;
  readonly reports: readonly CellReport[];
}

/**
 * What a worker thread answers: batches, that a chunk is read, the end; or that something did not fit: whoever asked then reads the same
 * and meets the error.
 */
export type ThreadAnswer =
  | { readonly batch: SentBatch; readonly offset: number }
  | { readonly read: true }
  | { readonly end: ReadEnd }
  | { readonly failed: true };

/** The task for these options: without their functions and Arrow's classes. */
export function readTask(options: CsvOptions, modes: ReadTask["modes"]): ReadTask {
  const { columns, decimals, onBadCell, onPrecisionLoss, batchRows, text, firstRow } = options;
  const { header, emptyText, lenient, maxCellBytes } = options;
  const cells = { columns, decimals, onBadCell, onPrecisionLoss, batchRows, text, firstRow };
  return { options: { ...cells, header, emptyText, lenient, maxCellBytes }, ...(modes && { modes }) };
}

/** What a worker thread does: takes orders, and answers by `send`. */
export function threadReader(
  send: (answer: ThreadAnswer, transfer?: readonly ArrayBuffer[]) => void,
): (order: ThreadOrder) => void {
  let parser: CsvParser | undefined;
  let sender = new BatchSender();
  let rows = 0;
  const begin = ({ options, modes }: ReadTask, place?: Pick<PartTask, "start" | "order">): CsvParser => {
    const start = { offset: place?.start ?? 0, ...(place && { order: place.order }), ...(modes && { modes }) };
    parser = new CsvParser(options, start);
    sender = new BatchSender();
    rows = 0;
    return parser;
  };
  const give = (from: CsvParser, batches: Iterable<RawBatch>): void => {
    for (const raw of batches) {
      const { batch, transfer } = sender.pack(raw);
      rows += raw.rows;
      send({ batch, offset: from.offset }, transfer);
    }
  };
  const end = ({ offset, policy }: CsvParser): void => {
    send({ end: { offset, rows, reports: policy.reports() } });
  };
  const obey = (order: ThreadOrder): void => {
    if ("stream" in order) begin(order.stream);
    else if ("part" in order) {
      const reading = begin(order.part, order.part);
      give(reading, partBatches(order.part, reading));
      end(reading);
    } else if (parser === undefined) return;
    else if ("chunk" in order) {
      give(parser, fullBatches(parser, order.chunk));
      send({ read: true });
    } else {
      give(parser, lastBatches(parser));
      end(parser);
    }
  };
  return (order) => {
    try {
      obey(order);
    } catch {
      parser = undefined;
      send({ failed: true });
    }
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
