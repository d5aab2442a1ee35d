import { withMemory } from "../wasm/compiled-module.js";
import { FAULTS, type InflateProgram, inflateProgram } from "./inflate-program.js";

/** Bytes inflated at a time: they stay in the processor's cache for the caller. */
export const CHUNK = 1 << 20;
/** Compressed bytes that are copied into the program's memory at a time. */
const INPUT = 1 << 18;
/** Output that a match may refer to. */
const WINDOW = 1 << 15;
const PAGE = 1 << 16;

/** Inflaters that were released. */
const idle: Inflater[] = [];
const MOST_IDLE = 2;

/**
 * Inflates raw deflate (RFC 1951) in WebAssembly, one part of a stream after another, on the calling thread: in about
 * half of zlib's time (docs/decisions.md). It refuses what zlib refuses.
 */
export class Inflater {
  /** The stream's last block is complete: no further byte is consumed. */
  ended = false;
  /** Bytes consumed since the stream began. */
  consumed = 0;
  private readonly inputAt: number;
  private readonly windowAt: number;
  private readonly chunkAt: number;
  private readonly memory: Uint8Array;
  private chunkSize = CHUNK;
  /** Where the output begins that matches may refer to, and where it continues. */
  private history = 0;
  private output = 0;

  private constructor(private readonly program: InflateProgram) {
    this.inputAt = Math.ceil(program.start() / 64) * 64;
    this.windowAt = this.inputAt + INPUT;
    this.chunkAt = this.windowAt + WINDOW;
    const missing = Math.ceil((this.chunkAt + CHUNK - program.memory.buffer.byteLength) / PAGE);
    if (missing > 0) program.memory.grow(missing);
    this.memory = new Uint8Array(program.memory.buffer);
  }

  /**
   * An inflater at the start of a stream, to be handed back by {@link Inflater.release}.
   *
   * @param chunkSize bytes of each chunk, at most {@link CHUNK}
   * @returns undefined where WebAssembly is missing, forbidden or gets no memory
   */
  static take(chunkSize = CHUNK): Inflater | undefined {
    const inflater =
      idle.pop() ??
      withMemory(() => {
        const program = inflateProgram();
        return program && new Inflater(program);
      });
    inflater?.begin(chunkSize);
    return inflater;
  }

  /** Hands the inflater back: its memory serves other streams. */
  release(): void {
    if (idle.length < MOST_IDLE && !idle.includes(this)) idle.push(this);
  }

  private begin(chunkSize: number): void {
    this.chunkSize = chunkSize;
    this.restart();
  }

  /** Begins another stream. */
  restart(): void {
    this.program.reset();
    this.ended = false;
    this.consumed = 0;
    this.history = this.chunkAt;
    this.output = this.chunkAt;
  }

  /**
   * Inflates the next bytes of the stream: one chunk after another of the chosen size, and at the end of the stream the
   * rest. A chunk is only valid until the next one is requested. Bytes after the stream's end are not consumed.
   *
   * @throws {Error} with zlib's wording when the stream is invalid
   */
  *push(bytes: Uint8Array): Generator<Uint8Array> {
    for (let at = 0; at < bytes.length && !this.ended; at += INPUT) {
      yield* this.pushPart(bytes.subarray(at, at + INPUT));
    }
  }

  private *pushPart(bytes: Uint8Array): Generator<Uint8Array> {
    const { program, memory, inputAt, chunkAt, chunkSize } = this;
    memory.set(bytes, inputAt);
    const inputEnd = inputAt + bytes.length;
    const chunkEnd = chunkAt + chunkSize;
    let input = inputAt;
    for (;;) {
      const state = program.inflate(input, inputEnd, this.output, chunkEnd, this.history);
      input = program.input.value;
      this.output = program.output.value;
      if (state === program.NEEDS_INPUT.value) break;
      this.ended = state === program.ENDED.value;
      if (!this.ended && state !== program.NEEDS_ROOM.value) throw new Error(FAULTS[program.fault.value]);
      if (this.output > chunkAt) yield memory.subarray(chunkAt, this.output);
      if (this.ended) break;
      this.keepWindow();
    }
    this.consumed += input - inputAt - (this.ended ? program.unused.value : 0);
  }

  /** Moves the end of the output in front of the next chunk. */
  private keepWindow(): void {
    const length = Math.min(WINDOW, this.output - this.history);
    this.history = this.chunkAt - length;
    this.memory.copyWithin(this.history, this.output - length, this.output);
    this.output = this.chunkAt;
  }
}
