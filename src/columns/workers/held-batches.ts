import type { MessagePort } from "node:worker_threads";
import { builtin } from "../../package/builtin.js";
import type { RawBatch } from "../build/builder.js";
import { BatchReceiver, type SentBatch } from "./transfer.js";

/** Bytes of the batches that are received together at first; twice as many each time. */
const FIRST_BYTES = 67_108_864;

/**
 * Batches that a thread sends and that are all kept. They stay in a port until many have arrived: V8 marks the heap
 * once for every 64 MB that it receives, but once for any number that arrives together.
 */
export class HeldBatches {
  /** The end for the sending thread. */
  readonly port: MessagePort;
  private readonly own: MessagePort;
  private readonly receiver = new BatchReceiver();
  private bytes = 0;
  private limit = FIRST_BYTES;

  constructor() {
    const { port1, port2 } = new (builtin("node:worker_threads").MessageChannel)();
    this.own = port1;
    this.port = port2;
  }

  /** A batch of so many bytes was sent. Returns all that are held if they are enough, otherwise none. */
  add(bytes: number): RawBatch[] {
    this.bytes += bytes;
    if (this.bytes < this.limit) return [];
    this.bytes = 0;
    this.limit *= 2;
    return this.rest();
  }

  /** All that are held. */
  rest(): RawBatch[] {
    const { receiveMessageOnPort } = builtin("node:worker_threads");
    const raws: RawBatch[] = [];
    for (let mail = receiveMessageOnPort(this.own); mail !== undefined; mail = receiveMessageOnPort(this.own)) {
      raws.push(this.receiver.unpack(mail.message as SentBatch));
    }
    return raws;
  }

  /** Frees what is held. */
  close(): void {
    this.own.close();
  }
}
