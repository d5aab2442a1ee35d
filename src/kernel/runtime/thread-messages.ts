import type { MessagePort } from "node:worker_threads";
import type { Content, Message } from "../protocol/message.js";

/** What the socket thread calls in the thread that runs cells. */
export interface CellCalls {
  request(origin: number, message: Message): void;
  /** Called repeatedly, with one number, until the interrupt is acknowledged. */
  interrupt(id: number): void;
  shutdown(): void;
  /** All output has been sent: the process may end. */
  exit(): void;
}

/** What the thread that runs cells calls in the socket thread. */
export interface SocketCalls {
  publish(message: Message): void;
  reply(origin: number, message: Message): void;
  /** The interrupt was acknowledged: the thread is not stuck. */
  interrupted(): void;
  closed(): void;
  /** Asks the client of `origin` for a line of input; it is delivered through the shared buffer. */
  askInput(origin: number, message: Message): void;
  /** Node writes a report into this folder when the memory of the process is full. */
  watchFatalReport(folder: string): void;
}

export interface SocketThreadData {
  readonly role: "sockets";
  readonly connectionFile: string;
  /** Content of `kernel_info_reply`, which the control channel sends even while a cell runs. */
  readonly kernelInfo: Content;
  /** The memory through which a line of input reaches the thread that runs cells. */
  readonly input: SharedArrayBuffer;
  /** What the thread that runs cells runs, and the interrupt that it acknowledged. */
  readonly interrupts: SharedArrayBuffer;
  /** The channel to the thread of the compiler, which answers the requests about code. */
  readonly language: MessagePort;
}

/**
 * One line of input on its way from the socket thread to the thread that runs cells, which waits for it: the state,
 * the length, then the text in UTF-8.
 */
const HEAD_BYTES = 8;
const MOST_BYTES = 1 << 20;
const STATE = 0;
const LENGTH = 1;

const WAITING = 0;
const ARRIVED = 1;
const CANCELLED = 2;

/** Creates the memory that both threads share. */
export function inputBuffer(): SharedArrayBuffer {
  return new SharedArrayBuffer(HEAD_BYTES + MOST_BYTES);
}

/** Prepares for the next line; called before it is requested. */
export function expectInput(buffer: SharedArrayBuffer): void {
  Atomics.store(new Int32Array(buffer, 0, 2), STATE, WAITING);
}

/** Blocks until the line has arrived; undefined if it was cancelled. */
export function awaitInput(buffer: SharedArrayBuffer): string | undefined {
  const head = new Int32Array(buffer, 0, 2);
  while (Atomics.load(head, STATE) === WAITING) Atomics.wait(head, STATE, WAITING);
  if (Atomics.load(head, STATE) === CANCELLED) return undefined;
  // A copy: decoders refuse shared memory.
  return new TextDecoder().decode(new Uint8Array(buffer, HEAD_BYTES, head[LENGTH]).slice());
}

/** Passes a line to the waiting thread; of a line longer than 1 MB the rest is dropped. */
export function deliverInput(buffer: SharedArrayBuffer, line: string): void {
  const head = new Int32Array(buffer, 0, 2);
  const bytes = new TextEncoder().encode(line).subarray(0, MOST_BYTES);
  new Uint8Array(buffer, HEAD_BYTES).set(bytes);
  head[LENGTH] = bytes.length;
  settle(head, ARRIVED);
}

/** Ends the wait without a line. */
export function cancelInput(buffer: SharedArrayBuffer): void {
  settle(new Int32Array(buffer, 0, 2), CANCELLED);
}

function settle(head: Int32Array, state: number): void {
  if (Atomics.compareExchange(head, STATE, WAITING, state) === WAITING) Atomics.notify(head, STATE);
}
