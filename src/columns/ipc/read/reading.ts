import type { RandomAccess } from "../../../format/random-access.js";
import { unsafeBytes } from "../../build/buffer-pool.js";

/** Bytes of the input that reading needs next; all of them are within the input. */
export interface Range {
  readonly at: number;
  readonly length: number;
}

/** Reading that does not say where bytes come from: it yields each range it needs and receives its bytes. */
export type Reading<T> = Generator<Range, T, Uint8Array>;

/** Runs a reading of bytes in memory, of which it gets views. */
export function fromBytes<T>(reading: Reading<T>, bytes: Uint8Array): T {
  let step = reading.next();
  while (!step.done) {
    const { at, length } = step.value;
    step = reading.next(bytes.subarray(at, at + length));
  }
  return step.value;
}

/** Shorter ranges are read together with what follows them. */
const WINDOW = 65_536;
/** Buffers keep the alignment that they have in the input. */
const ALIGNMENT = 64;

/** Runs readings of a file or other input that is read by range. */
export class RangeReader {
  private window: Uint8Array = new Uint8Array(0);
  private windowAt = 0;
  private readonly windowSize: number;
  /** The end of the range that was read last. */
  position = 0;

  constructor(private readonly access: RandomAccess) {
    this.windowSize = access.mostAtOnce ?? WINDOW;
  }

  async run<T>(reading: Reading<T>): Promise<T> {
    let step = reading.next();
    while (!step.done) step = reading.next(await this.bytes(step.value));
    return step.value;
  }

  private async bytes({ at, length }: Range): Promise<Uint8Array> {
    this.position = at + length;
    const start = at - this.windowAt;
    if (start >= 0 && start + length <= this.window.length) return this.window.subarray(start, start + length);
    const skip = at % ALIGNMENT;
    if (skip + length > this.windowSize) {
      const bytes = unsafeBytes(skip + length).subarray(skip);
      await this.access.read(bytes, at);
      return bytes;
    }
    const { size } = this.access;
    const window = unsafeBytes(Math.min(this.windowSize, size - (at - skip)));
    await this.access.read(window, at - skip);
    this.window = window;
    this.windowAt = at - skip;
    return window.subarray(skip, skip + length);
  }
}
