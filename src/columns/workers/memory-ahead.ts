import { type MessagePort, receivedAt } from "../../platform/node/packages.js";
import { unsafeBytes } from "../build/buffer-pool.js";

/** Pages of fresh memory are zeroed by the system when their first byte is written. */
const PAGE_BYTES = 4_096;
/** Bytes that are requested at a time, and those requested and not received at most. */
const REQUEST_BYTES = 4_194_304;
const MAX_PENDING_BYTES = 16_777_216;

/**
 * Buffers for a thread that parses, made by one that has time: the first write to a page costs more than parsing into
 * it. The other thread has a {@link MemoryMaker} at the other end of the port.
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
    const arrived: ArrayBuffer[] = [];
    for (let mail = receivedAt(this.port); mail !== undefined; mail = receivedAt(this.port)) {
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

/** Makes the buffers that the other end of the port requests, one at a time; they are written to once. */
export class MemoryMaker {
  private lengths: number[] = [];

  constructor(private readonly port: MessagePort) {}

  /** Makes the next buffer; false if none is requested. */
  makeNext(): boolean {
    if (this.lengths.length === 0) {
      const mail = receivedAt(this.port);
      if (mail === undefined) return false;
      this.lengths = mail.message as number[];
    }
    const bytes = unsafeBytes(this.lengths.shift() as number);
    for (let at = 0; at < bytes.length; at += PAGE_BYTES) bytes[at] = 0;
    this.port.postMessage([bytes.buffer], [bytes.buffer as ArrayBuffer]);
    return true;
  }
}
