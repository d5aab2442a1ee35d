import { compiledModule, withMemory } from "../../../../wasm/compiled-module.js";
import { binary } from "../../../../wasm/parquet.wasm";
import { ParquetFault } from "../format/fault.js";
import type { Decoders, IntegerLayout, Integers } from "./decoders.js";

type ReadIntegers = (
  from: number,
  end: number,
  count: number,
  words: number,
  narrow: boolean,
  unsigned: boolean,
  out: number,
) => number;

/** What src/wasm/parquet.ts exports; its comments say what each does. */
interface ParquetProgram {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  readonly end: { readonly value: number };
  readonly least: { readonly value: bigint };
  readonly greatest: { readonly value: bigint };
  start(): number;
  hybrid(from: number, end: number, width: number, count: number, out: number): number;
  delta: ReadIntegers;
  widen: ReadIntegers;
  bigEndian(from: number, end: number, width: number, count: number, words: number, out: number): number;
}

/** Bytes around input and output that the program may touch. */
const MARGIN = 64;
const PAGE = 65_536;
/** Larger pages are decoded in JavaScript: the program's memory never shrinks. */
const MOST_BYTES = 268_435_456;

/** The decoders in WebAssembly. */
export class WasmDecoders implements Decoders {
  private readonly inputAt: number;
  private memory: Uint8Array;

  private constructor(
    private readonly program: ParquetProgram,
    private readonly plain: Decoders,
  ) {
    this.inputAt = aligned(program.start()) + MARGIN;
    this.memory = new Uint8Array(program.memory.buffer);
  }

  /** @returns undefined where WebAssembly is missing, forbidden or gets no memory */
  static make(plain: Decoders): WasmDecoders | undefined {
    const module = compiledModule(binary);
    if (module === null) return undefined;
    return withMemory(
      () => new WasmDecoders(new WebAssembly.Instance(module).exports as unknown as ParquetProgram, plain),
    );
  }

  hybrid(bytes: Uint8Array, width: number, count: number): Int32Array {
    const out = this.place(bytes, count * 4);
    if (out === 0) return this.plain.hybrid(bytes, width, count);
    check(this.program.hybrid(this.inputAt, this.inputAt + bytes.length, width, count, out));
    return new Int32Array(this.memory.buffer, out, count);
  }

  delta(bytes: Uint8Array, count: number, layout: IntegerLayout): Integers {
    return this.integers("delta", bytes, count, layout) ?? this.plain.delta(bytes, count, layout);
  }

  widened(bytes: Uint8Array, count: number, layout: IntegerLayout): Integers {
    return this.integers("widen", bytes, count, layout) ?? this.plain.widened(bytes, count, layout);
  }

  private integers(
    name: "delta" | "widen",
    bytes: Uint8Array,
    count: number,
    { words, narrow, unsigned }: IntegerLayout,
  ): Integers | undefined {
    const out = this.place(bytes, count * words * 4);
    if (out === 0) return undefined;
    const { program, inputAt } = this;
    check(program[name](inputAt, inputAt + bytes.length, count, words, narrow, unsigned, out));
    const found = { words: new Int32Array(this.memory.buffer, out, count * words), bytes: program.end.value - inputAt };
    // The program's bounds have a sign.
    if (count === 0 || (unsigned && !narrow)) return found;
    return { ...found, range: { least: Number(program.least.value), most: Number(program.greatest.value) } };
  }

  bigEndian(bytes: Uint8Array, width: number, count: number, words: number): Int32Array {
    const out = this.place(bytes, count * words * 4);
    if (out === 0) return this.plain.bigEndian(bytes, width, count, words);
    check(this.program.bigEndian(this.inputAt, this.inputAt + bytes.length, width, count, words, out));
    return new Int32Array(this.memory.buffer, out, count * words);
  }

  /** Copies the input in. Gives the address of the output, or 0 where there is no memory for both. */
  private place(bytes: Uint8Array, size: number): number {
    const out = aligned(this.inputAt + bytes.length + MARGIN);
    const end = out + size + MARGIN;
    if (end > MOST_BYTES) return 0;
    if (end > this.memory.length) {
      const pages = Math.ceil((Math.max(end, this.memory.length * 1.5) - this.memory.length) / PAGE);
      const { memory } = this.program;
      if (withMemory(() => memory.grow(pages)) === undefined) return 0;
      this.memory = new Uint8Array(memory.buffer);
    }
    this.memory.set(bytes, this.inputAt);
    return out;
  }
}

const aligned = (address: number): number => Math.ceil(address / 64) * 64;

function check(sound: number): void {
  if (!sound) throw new ParquetFault("it is malformed or ends early");
}
