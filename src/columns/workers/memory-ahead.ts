import type { MessagePort } from "node:worker_threads";
import { builtin } from "../../package/builtin.js";
import { unsafeBytes } from "../build/buffer-pool.js";

/** Pages of fresh memory are zeroed by the system when their first byte is written. */
const PAGE_BYTES = 4_096;
/** Bytes that are requested at a time, and those requested and not received at most. */
const REQUEST_BYTES = 4_194_304;
const MAX_PENDING_BYTES = 16_777_216;

/**
 * Buffers for a thread that parses, made by one that has time: the first write to a page costs more than parsing into
 * it. The other thread runs {@link makeMemory} at the other end of the port.
 */
export class MemoryAhead {
  private requested: number[] = [];
  private requestedBytes = 0;
  private pendingBytes = 0;

  constructor(private readonly port: MessagePort) {
    port.unref();
  }

  /** The buffers that have arrived; requests another one of `length` bytes. */
  next(length: number): ArrayBuffer[] {
    const { receiveMessageOnPort } = builtin("node:worker_threads");
    const arrived: ArrayBuffer[] = [];
    for (let mail = receiveMessageOnPort(this.port); mail !== undefined; mail = receiveMessageOnPort(this.port)) {
      arrived.push(...(mail.message as ArrayBuffer[]));
    }
    for (const { byteLength } of arrived) this.pendingBytes -= byteLength;
    if (this.pendingBytes + this.requestedBytes < MAX_PENDING_BYTES) this.request(length);
    return arrived;
  }

  private request(length: number): void {
    this.requested.push(length);
    this.requestedBytes += length;
    if (this.requestedBytes < REQUEST_BYTES) return;
    this.port.postMessage(this.requested);
    this.pendingBytes += this.requestedBytes;
    this.requested = [];
    this.requestedBytes = 0;
  }
}

/** Makes the buffers that the other end of the port requests, whenever this thread waits; they are written to once. */
export function makeMemory(port: MessagePort): void {
  port.on("message", (lengths: readonly number[]) => {
    const buffers = lengths.map((length) => {
      const bytes = unsafeBytes(length);
      for (let at = 0; at < length; at += PAGE_BYTES) bytes[at] = 0;
      return bytes.buffer as ArrayBuffer;
    });
    port.postMessage(buffers, buffers);
  });
}
