import type { SendableFile } from "../../format/random-access.js";
import { closeSync, openSync, readSync } from "../../platform/node/files.js";
import { type MessagePort, messageChannel, sharesMemory, type TransferListItem } from "../../platform/node/packages.js";
import { DIALECT } from "../arrow/csv-dialect.js";
import { type Batching, type CsvOptions, READ_BATCH } from "../arrow/read-options.js";
import type { RawBatch, TextMode } from "../build/builder.js";
import { fullBatches, lastBatches } from "../build/text-reader.js";
import { CsvParser } from "../csv/parser.js";
import type { ColumnsTask } from "../table/columns-part.js";
import { ChunkRing } from "./chunk-ring.js";
import { type InflateRequest, inflateTo } from "./inflate.js";
import { MemoryAhead } from "./memory-ahead.js";
import type { ParquetTask } from "./parquet-part.js";
import { BatchSender, type GiveBatch, type ReadEnd, type SentBatch } from "./transfer.js";

/** Bytes read at a time; they stay in the processor's cache. */
const BLOCK = 1_048_576;
/** Bytes read at a time from a file of a page, where each read is a request to another process. */
const BLOB_BLOCK = 4_194_304;

/** How rows are read: only values that can be sent to a thread. */
export interface ReadTask {
  readonly options: CsvOptions & Batching;
  readonly modes?: readonly (TextMode | undefined)[];
}

/** A part of a CSV file: the rows that start in `start` to `end`. */
export interface PartTask extends ReadTask {
  readonly file: SendableFile;
  readonly start: number;
  readonly end: number;
  /** `end` is the end of the file. */
  readonly last: boolean;
  readonly order: readonly number[];
}

/** CSV whose chunks come from another thread. */
interface StreamTask extends ReadTask {
  /** The memory of the {@link ChunkRing} through which the chunks come. */
  readonly ring: SharedArrayBuffer;
  /** No further chunk is accepted while this many batches have not been taken; infinity where all are kept. */
  readonly ahead: number;
  /** Memory for the batches comes from the other end ({@link MemoryAhead}). */
  readonly memory?: MessagePort;
}

/**
 * Messages to a worker thread. `prepare` loads code that only some tasks need; `taken`: the caller has taken a batch of
 * the stream.
 */
export type ThreadRequest =
  | { readonly prepare: "parquet" }
  | { readonly part: PartTask }
  | { readonly stream: StreamTask }
  | { readonly taken: true }
  | { readonly inflate: InflateRequest }
  | { readonly parquet: ParquetTask }
  | { readonly copy: ColumnsTask };

/**
 * Messages from a worker thread: batches, none where they follow at the end, and the offset that was reached; all
 * batches, in a port; the end; or a failure to parse the input, upon which the caller reads the same input and reports
 * the error.
 */
export type ThreadReply =
  | { readonly batches: readonly SentBatch[]; readonly offset: number }
  | { readonly held: MessagePort; readonly offset: number }
  | { readonly end: ReadEnd }
  | { readonly failed: true };

type Send = (reply: ThreadReply, transfer?: readonly TransferListItem[]) => void;

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
  let taken = (): void => {};
  const failed = (): void => send({ failed: true });
  return (order) => {
    if ("taken" in order) taken();
    else if ("inflate" in order) inflateTo(order.inflate).catch(failed);
    else if ("part" in order) sendKept((give) => readPart(order.part, give), false, send).catch(failed);
    else if ("stream" in order) {
      const pace = new Pace(order.stream.ahead);
      taken = () => pace.taken();
      const read = (give: GiveBatch): Promise<ReadEnd> => readStream(order.stream, pace, give);
      const isKept = order.stream.ahead === Number.POSITIVE_INFINITY;
      (isKept ? sendKept(read, false, send) : sendRead(read, send)).catch(failed);
    }
    // Threads that read CSV or inflate load nothing of Parquet, nor of tables.
    else if ("prepare" in order)
      import("./parquet-part.js").then(
        ({ prepareDecoders }) => prepareDecoders(),
        () => {},
      );
    else if ("copy" in order)
      import("../table/columns-part.js").then(({ copyColumns }) => copyColumns(order.copy), failed);
    else {
      const { parquet } = order;
      const read = async (give: GiveBatch): Promise<ReadEnd> =>
        (await import("./parquet-part.js")).readGroups(parquet, give);
      (parquet.plan.keepsAll ? sendKept(read, true, send) : sendRead(read, send)).catch(failed);
    }
  };
}

type Read = (give: GiveBatch) => Promise<ReadEnd>;

/** Reads, and sends each batch, or all together where they share buffers; then the end. */
async function sendRead(read: Read, send: Send, share = false): Promise<void> {
  const sender = new BatchSender();
  const shared: SentBatch[] = [];
  const memory = new Set<ArrayBuffer>();
  const end = await read((raw, offset) => {
    const { batch, transfer } = sender.pack(raw);
    if (!share) return send({ batches: [batch], offset }, transfer);
    shared.push(batch);
    for (const buffer of transfer) memory.add(buffer);
    send({ batches: [], offset });
  });
  if (share) send({ batches: shared, offset: end.offset }, [...memory]);
  send({ end });
}

/** Bytes of the batches that are sent together at first; twice as many each time. */
const FIRST_BYTES = 67_108_864;

/**
 * As {@link sendRead} where all batches are kept. They stay in a port until there are many: V8 marks the receiver's
 * heap once for every 64 MB that arrive, but once for any number that arrives together.
 *
 * @param share the batches share buffers, so that they are sent as one message
 */
async function sendKept(read: Read, share: boolean, send: Send): Promise<void> {
  if (!sharesMemory) return sendRead(read, send, share);
  const sender = new BatchSender();
  const shared: SentBatch[] = [];
  const memory = new Set<ArrayBuffer>();
  let { port1, port2 } = messageChannel();
  let bytes = 0;
  let limit = FIRST_BYTES;
  try {
    const end = await read((raw, offset) => {
      const { batch, transfer } = sender.pack(raw);
      for (const buffer of transfer) bytes += share ? 0 : buffer.byteLength;
      if (share) {
        shared.push(batch);
        for (const buffer of transfer) memory.add(buffer);
      } else port1.postMessage([batch], transfer);
      if (bytes < limit) return send({ batches: [], offset });
      port1.close();
      send({ held: port2, offset }, [port2]);
      ({ port1, port2 } = messageChannel());
      bytes = 0;
      limit *= 2;
    });
    if (share) port1.postMessage(shared, [...memory]);
    send({ held: port2, offset: end.offset }, [port2]);
    send({ end });
  } finally {
    port1.close();
  }
}

async function readPart(task: PartTask, give: GiveBatch): Promise<ReadEnd> {
  const { file, start, end, last, order } = task;
  const parser = parserOf(task, { offset: start, order });
  const giveAll = (batches: Iterable<RawBatch>): void => {
    for (const raw of batches) give(raw, parser.offset);
  };
  const blocks = typeof file === "string" ? pathBlocks(file, start, end) : blobBlocks(file, start, end);
  for await (const block of blocks) giveAll(fullBatches(parser, block));
  const rest = last ? undefined : parser.rest();
  giveAll(last ? lastBatches(parser) : rest === undefined ? [] : [rest]);
  return endOf(parser);
}

function* pathBlocks(path: string, start: number, end: number): Generator<Uint8Array> {
  const file = openSync(path, "r");
  try {
    const block = new Uint8Array(BLOCK);
    for (let at = start; at < end; ) {
      const read = readSync(file, block, 0, Math.min(BLOCK, end - at), at);
      if (read === 0) break;
      at += read;
      yield block.subarray(0, read);
    }
  } finally {
    closeSync(file);
  }
}

/** Each block is read while the one before it is parsed. */
async function* blobBlocks(blob: Blob, start: number, end: number): AsyncGenerator<Uint8Array> {
  const read = (at: number) => blob.slice(at, Math.max(at, Math.min(end, at + BLOB_BLOCK))).arrayBuffer();
  let next = read(start);
  for (let at = start; at < end; at += BLOB_BLOCK) {
    const block = new Uint8Array(await next);
    next = read(at + BLOB_BLOCK);
    // An error of a block read ahead is thrown when that block is awaited.
    next.catch(() => {});
    yield block;
  }
}

/** Reads chunks as they arrive. */
async function readStream(task: StreamTask, pace: Pace, give: GiveBatch): Promise<ReadEnd> {
  const { ring: chunks, memory } = task;
  const ring = new ChunkRing(chunks);
  const parser = parserOf(task, { offset: 0 });
  if (memory !== undefined) parser.spare.source = new MemoryAhead(memory);
  const giveAll = (batches: Iterable<RawBatch>): void => {
    for (const raw of batches) {
      give(raw, parser.offset);
      pace.given();
    }
  };
  for (let chunk = await ring.next(); chunk !== undefined; chunk = await ring.next()) {
    giveAll(fullBatches(parser, chunk));
    await pace.wait();
    ring.release();
  }
  giveAll(lastBatches(parser));
  memory?.close();
  return endOf(parser);
}

/** Suspends a reader while this many batches have not been taken. */
class Pace {
  private waiting = 0;
  private resume = (): void => {};

  constructor(private readonly ahead: number) {}

  given(): void {
    this.waiting++;
  }

  taken(): void {
    this.waiting--;
    this.resume();
  }

  async wait(): Promise<void> {
    while (this.waiting >= this.ahead) {
      await new Promise<void>((resolve) => {
        this.resume = resolve;
      });
    }
  }
}

function parserOf({ options, modes }: ReadTask, start: { offset: number; order?: readonly number[] }): CsvParser {
  return new CsvParser(options, { ...start, ...(modes && { modes }) });
}

function endOf({ batch: { policy }, offset }: CsvParser): ReadEnd {
  return { offset, rows: policy.rowsBefore, reports: policy.reports() };
}
