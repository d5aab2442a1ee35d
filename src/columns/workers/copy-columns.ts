import {
  availableParallelism,
  type MessagePort,
  messageChannel,
  receivedAt,
  sharesMemory,
} from "../../platform/node/packages.js";
import { unsafeBytes } from "../build/buffer-pool.js";
import type { ColumnCopy, ColumnOrder, ColumnReply } from "../table/columns-part.js";
import type { CopyColumns } from "../table/take.js";
import { copyThrough, type GroupedValues, groupValues, type RoutedColumn } from "../table/take-blocks.js";
import { partBuffers } from "../table/take-places.js";
import { hasThreads, type ReaderThread, readerThread, ThreadFailure } from "./thread.js";

/** Fewer bytes are not worth a thread: starting one costs as much as copying 60 MB. */
const LEAST_BYTES = 201_326_592;
/** Columns that the thread has not finished. With more of them, this thread copies columns as well. */
const MOST_PENDING = 2;
const PATIENCE = 10_000;

/** A thread was lost: none is used again. */
let isLost = false;

/**
 * Copies columns of many bytes on two threads: this one takes the first step of a column and another one the second,
 * which writes to fresh memory. This thread waits for the other, without its event loop.
 *
 * @param leastBytes below which this thread copies alone
 * @param patience milliseconds without a reply after which the other thread counts as lost
 */
export const copyOnTwoThreads =
  (leastBytes = LEAST_BYTES, patience = PATIENCE): CopyColumns =>
  (columns) => {
    const bytes = columns.reduce((sum, column) => sum + (column ? column.route.back.length * column.width : 0), 0);
    if (bytes < leastBytes || bytes === 0 || isLost || availableParallelism() < 2 || !(sharesMemory && hasThreads()))
      return [];
    try {
      const second = new SecondThread(columns.find((column) => column !== undefined) as RoutedColumn, patience);
      return second.copy(columns);
    } catch (error) {
      // Atomics.wait is forbidden on the main thread of some programs.
      if (error instanceof ThreadFailure || error instanceof TypeError) return [];
      throw error;
    }
  };

class SecondThread {
  private readonly thread: ReaderThread;
  private readonly port: MessagePort;
  private readonly replies = new Int32Array(new SharedArrayBuffer(4));
  private readonly free: ArrayBuffer[] = [];
  private hasFailed = false;

  constructor(
    { route }: RoutedColumn,
    private readonly patience: number,
  ) {
    this.thread = readerThread();
    const { port1, port2 } = messageChannel();
    this.port = port1;
    const { blocks, starts, back, counts } = route;
    const task = { segments: { blocks, starts, back, counts }, port: port2, replies: this.replies };
    this.thread.send({ copy: task }, [port2]);
  }

  copy(columns: readonly (RoutedColumn | undefined)[]): readonly (readonly ArrayBuffer[] | undefined)[] {
    let received: readonly ColumnCopy[] | undefined;
    try {
      const copies = this.begin(columns);
      received = this.end();
      for (const { column, parts } of received ?? []) copies[column] = parts;
      return copies;
    } finally {
      this.port.close();
      this.thread.release(received !== undefined);
    }
  }

  /** Hands columns to the other thread; copies the next one itself while that thread has enough to do. */
  private begin(columns: readonly (RoutedColumn | undefined)[]): (readonly ArrayBuffer[] | undefined)[] {
    let sent = 0;
    return columns.map((routed, column) => {
      if (routed === undefined) return undefined;
      if (sent - Atomics.load(this.replies, 0) >= MOST_PENDING) {
        const parts = partBuffers(routed.route.back.length, routed.width);
        const buffers = parts.map(({ buffer }) => buffer as ArrayBuffer);
        copyThrough(routed, parts);
        return buffers;
      }
      const values = this.grouped(routed);
      this.send({ column, values }, [values.bytes.buffer as ArrayBuffer]);
      sent++;
      return undefined;
    });
  }

  private grouped(column: RoutedColumn): GroupedValues {
    for (let reply = this.received(); reply !== undefined; reply = this.received()) {
      if ("free" in reply) this.free.push(reply.free);
      else this.hasFailed = true;
    }
    let buffer = this.free.pop();
    return groupValues(column, (length) => {
      if (buffer === undefined || buffer.byteLength < length) buffer = unsafeBytes(length).buffer as ArrayBuffer;
      return new Uint8Array(buffer);
    });
  }

  /** The copies of the other thread; undefined if it failed. */
  private end(): readonly ColumnCopy[] | undefined {
    this.send({ end: true });
    while (!this.hasFailed) {
      const count = Atomics.load(this.replies, 0);
      const reply = this.received();
      if (reply === undefined) {
        isLost = Atomics.wait(this.replies, 0, count, this.patience) === "timed-out";
        if (isLost) return undefined;
      } else if ("copies" in reply) return reply.copies;
      else if ("failed" in reply) return undefined;
    }
    return undefined;
  }

  private send(order: ColumnOrder, transfer: ArrayBuffer[] = []): void {
    this.port.postMessage(order, transfer);
  }

  private received(): ColumnReply | undefined {
    return receivedAt(this.port)?.message as ColumnReply | undefined;
  }
}
