import { ArrowbookError } from "../errors/errors.js";
import { compiledModule, withMemory } from "../wasm/compiled-module.js";
import { binary } from "../wasm/inflate.wasm";

/** What src/wasm/inflate.ts exports; its comments say what each does. */
interface InflateProgram {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  readonly input: { readonly value: number };
  readonly output: { readonly value: number };
  readonly unused: { readonly value: number };
  readonly fault: { readonly value: number };
  readonly NEEDS_INPUT: { readonly value: number };
  readonly NEEDS_ROOM: { readonly value: number };
  readonly ENDED: { readonly value: number };
  start(): number;
  reset(): void;
  inflate(from: number, fromEnd: number, to: number, toEnd: number, begin: number): number;
}

let compiled: WebAssembly.Module | undefined;

/**
 * An instance with memory of its own.
 *
 * @throws {RangeError} without memory
 */
export function inflateProgram(): InflateProgram {
  compiled ??= compiledModule(binary);
  return new WebAssembly.Instance(compiled).exports as unknown as InflateProgram;
}

/** Faults of a deflate stream by the program's number, in zlib's wording. */
export const FAULTS: readonly string[] = [
  "",
  "invalid block type",
  "invalid stored block lengths",
  "too many length or distance symbols",
  "invalid code lengths set",
  "invalid bit length repeat",
  "invalid code -- missing end-of-block",
  "invalid literal/lengths set",
  "invalid distances set",
  "invalid literal/length code",
  "invalid distance code",
  "invalid distance too far back",
];

/** Bytes inflated at a time: they stay in the processor's cache for the caller. */
export const CHUNK = 1 << 20;
/** Compressed bytes that are copied into the program's memory at a time. */
const INPUT = 1 << 18;
/** Output that a match may refer to. */
const WINDOW = 1 << 15;
const PAGE = 1 << 16;

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
   * @throws {ArrowbookError} NoMemory
   */
  static take(chunkSize = CHUNK): Inflater {
    const inflater = idle.pop() ?? withMemory(() => new Inflater(inflateProgram()));
    if (inflater === undefined) throw new ArrowbookError("There is no memory to inflate with.", { code: "NoMemory" });
    inflater.chunkSize = chunkSize;
    inflater.restart();
    return inflater;
  }

  /** Hands the inflater back: its memory serves other streams. */
  release(): void {
    if (idle.length < MOST_IDLE && !idle.includes(this)) idle.push(this);
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

/** The contents of raw deflate that is complete, in chunks. */
export function inflatedRaw(bytes: Uint8Array): readonly Uint8Array[] {
  const inflater = Inflater.take();
  try {
    return Array.from(inflater.push(bytes), (chunk) => chunk.slice());
  } finally {
    inflater.release();
  }
}
