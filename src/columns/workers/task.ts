import { closeSync, openSync, readSync } from "node:fs";
import type { MessagePort } from "node:worker_threads";
import { FirstRecord } from "../../format/first-record.js";
import { DIALECT } from "../arrow/csv-dialect.js";
import { type Batching, type CellReport, type CsvOptions, READ_BATCH } from "../arrow/read-options.js";
import type { RawBatch, TextMode } from "../build/builder.js";
import { CsvParser } from "../csv/parser.js";
import { fullBatches, lastBatches } from "../csv/raw-batches.js";
import type { ColumnsTask } from "../table/columns-part.js";
import { ChunkRing } from "./chunk-ring.js";
import { type InflateRequest, inflateTo } from "./inflate.js";
import { MemoryAhead } from "./memory-ahead.js";
import type { ParquetTask } from "./parquet-part.js";
import { BatchSender, type SentBatch } from "./transfer.js";

/** Bytes read at a time; they stay in the processor's cache. */
const BLOCK = 1_048_576;

/** How rows are read: only values that can be sent to a thread. */
export interface ReadTask {
  readonly options: CsvOptions & Batching;
  readonly modes?: readonly (TextMode | undefined)[];
}

/** A part of a CSV file: the rows that start in `start` to `end`. */
export interface PartTask extends ReadTask {
  readonly path: string;
  readonly start: number;
  readonly end: number;
  /** `end` is the end of the file. */
  readonly last: boolean;
  readonly order: readonly number[];
}

/** CSV whose chunks come from another thread; its {@link ReadTask} follows in a message of its own. */
interface CsvStream {
  /** The memory of the {@link ChunkRing} through which the chunks come. */
  readonly ring: SharedArrayBuffer;
  /** No further chunk is accepted while this many batches have not been taken. */
  readonly ahead: number;
  /** Receives the batches ({@link HeldBatches}); without it, they are sent as messages. */
  readonly held?: MessagePort;
  /** Memory for the batches comes from the other end ({@link MemoryAhead}). */
  readonly memory?: MessagePort;
}

/**
 * Messages to a worker thread. `prepare` loads code that only some tasks need. `stream` is followed by `read`, before
 * which `firstCells` may request the cells of the first line; `taken`: the caller has taken a batch of the stream.
 */
export type ThreadRequest =
  | { readonly prepare: "parquet" }
  | { readonly part: PartTask; readonly held: MessagePort }
  | { readonly stream: CsvStream }
  | { readonly firstCells: true }
  | { readonly read: ReadTask }
  | { readonly taken: true }
  | { readonly inflate: InflateRequest }
  | { readonly parquet: ParquetTask }
  | { readonly copy: ColumnsTask };

/** How a read ended. */
export interface ReadEnd {
  /** Offset of the next row: for a part, `end` of the task, or less if a row crosses it. */
  readonly offset: number;
  readonly rows: number;
  readonly reports: readonly CellReport[];
}

/**
 * Messages from a worker thread: the cells of the first line; batches, or the bytes of one that was sent to a port, and
 * the end; or a failure to parse the input, upon which the caller reads the same input and reports the error.
 */
export type ThreadReply =
  | { readonly first: readonly string[] }
  | { readonly batch: SentBatch; readonly offset: number }
  | { readonly batches: readonly SentBatch[]; readonly offset: number }
  | { readonly held: number; readonly offset: number }
  | { readonly end: ReadEnd }
  | { readonly failed: true };

type Send = (reply: ThreadReply, transfer?: readonly ArrayBuffer[]) => void;

/** The task for these options, without functions and Arrow classes. */
export function readTask(options: CsvOptions & Batching, modes: ReadTask["modes"]): ReadTask {
  const { columns, decimals, onBadCell, onPrecisionLoss, batchRows = READ_BATCH.rows, text, firstRow } = options;
  const { maxCellBytes, byPosition } = options;
  const dialect = Object.fromEntries(DIALECT.map((name) => [name, options[name]]));
  const cells = { decimals, onBadCell, onPrecisionLoss, batchRows, text, firstRow };
  const plain = { columns: columns.map(({ name, type }) => ({ name, type })), maxCellBytes, byPosition };
  return { options: { ...cells, ...dialect, ...plain }, ...(modes && { modes }) };
}

/** The main function of a worker thread: handles one task at a time and replies with `send`. */
export function threadReader(send: Send): (order: ThreadRequest) => void {
  let stream: StreamReader | undefined;
  const failed = (): void => send({ failed: true });
  return (order) => {
    if ("taken" in order) stream?.taken();
    else if ("inflate" in order) inflateTo(order.inflate).catch(failed);
    else if ("prepare" in order)
      import("./parquet-part.js").then(
        ({ prepareDecoders }) => prepareDecoders(),
        () => {},
      );
    else if ("parquet" in order) readParquet(order.parquet, send).catch(failed);
    else if ("copy" in order)
      import("../table/columns-part.js").then(({ copyColumns }) => copyColumns(order.copy), failed);
    else if ("stream" in order) stream = streamReader(order.stream, send);
    else if ("firstCells" in order) stream?.sendFirstCells().catch(failed);
    else if ("read" in order) stream?.read(order.read).catch(failed);
    else {
      try {
        const { part, held } = order;
        const reader = taskReader(part, { offset: part.start, order: part.order }, send, held);
        reader.give(partBatches(part, reader.parser));
        reader.end();
      } catch {
        failed();
      }
    }
  };
}

/** Threads that read CSV or inflate load nothing of Parquet. */
async function readParquet(task: ParquetTask, send: Send): Promise<void> {
  const { sendParquet } = await import("./parquet-part.js");
  const end = await sendParquet(task, (batches, offset, transfer) => send({ batches, offset }, transfer));
  send({ end });
}

interface TaskReader {
  readonly parser: CsvParser;
  /** Sends batches; returns their number. */
  give(batches: Iterable<RawBatch>): number;
  end(): void;
}

function taskReader(
  { options, modes }: ReadTask,
  start: { offset: number; order?: readonly number[] },
  send: Send,
  held?: MessagePort,
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
        const { offset } = parser;
        if (held === undefined) send({ batch, offset }, transfer);
        else {
          const bytes = transfer.reduce((sum, { byteLength }) => sum + byteLength, 0);
          held.postMessage(batch, transfer);
          send({ held: bytes, offset });
        }
      }
      return count;
    },
    end: () => send({ end: { offset: parser.offset, rows, reports: parser.batch.policy.reports() } }),
  };
}

interface StreamReader {
  /** Sends the cells of the first line once its end has arrived. */
  sendFirstCells(): Promise<void>;
  /** Reads all chunks, beginning with those that the first line took. */
  read(task: ReadTask): Promise<void>;
  /** The caller has taken a batch. */
  taken(): void;
}

/** Reads chunks as they arrive. */
function streamReader({ ring: chunks, ahead, held, memory }: CsvStream, send: Send): StreamReader {
  const ring = new ChunkRing(chunks);
  const first = new FirstRecord();
  let waiting = 0;
  let resume = (): void => {};
  return {
    async sendFirstCells() {
      for (;;) {
        const chunk = await ring.next();
        const cells = chunk === undefined ? first.end() : first.push(chunk);
        if (cells !== undefined) return send({ first: cells });
        ring.release();
      }
    },
    async read(task) {
      const reader = taskReader(task, { offset: 0 }, send, held);
      if (memory !== undefined) reader.parser.spare.source = new MemoryAhead(memory);
      const give = (chunk: Uint8Array): void => {
        waiting += reader.give(fullBatches(reader.parser, chunk));
      };
      for (const copy of first.chunks) give(copy);
      for (let chunk = await ring.next(); chunk !== undefined; chunk = await ring.next()) {
        give(chunk);
        while (waiting >= ahead) {
          await new Promise<void>((resolve) => {
            resume = resolve;
          });
        }
        ring.release();
      }
      reader.give(lastBatches(reader.parser));
      memory?.close();
      reader.end();
    },
    taken() {
      waiting--;
      resume();
    },
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
