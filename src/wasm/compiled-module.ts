import { programBytes } from "../platform/node/bytes.js";

/** The header of an empty program. */
const EMPTY = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0);

// Said once, when the package is imported, and not by whatever needs a program first.
try {
  new WebAssembly.Module(EMPTY);
} catch (cause) {
  throw new Error(
    "arrowbook needs WebAssembly, which is missing or forbidden in this process. " +
      "Start it without --no-expose-wasm, and in an embedder that lets programs compile.",
    { cause },
  );
}

/** The module of a program as it is stored. */
export function compiledModule(binary: string): WebAssembly.Module {
  return new WebAssembly.Module(programBytes(binary));
}

/** What `make` returns; undefined where WebAssembly gets no memory for it: an instance claims much address space. */
export function withMemory<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** What a program exports that works on memory behind its own data. */
interface MemoryExports {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  /** Where free memory begins. */
  start(): number;
}

/** A program, its memory, and the address from which the requested bytes are free. */
export interface Instance<Exports> {
  readonly run: Exports;
  readonly memory: Uint8Array;
  readonly at: number;
}

const PAGE = 65_536;

/** An instance of a program in base64 with this many bytes of memory; null if memory is exhausted. */
export function instanceWith<Exports>(binary: string, bytes: number): Instance<Exports & MemoryExports> | null {
  const made = withMemory(() => {
    const run = new WebAssembly.Instance(compiledModule(binary)).exports as unknown as Exports & MemoryExports;
    const at = aligned(run.start());
    run.memory.grow(Math.ceil((at + bytes - run.memory.buffer.byteLength) / PAGE));
    return { run, memory: new Uint8Array(run.memory.buffer), at };
  });
  return made ?? null;
}

const aligned = (address: number): number => Math.ceil(address / 64) * 64;

/** Bytes around input and output that a decoder may touch. */
const MARGIN = 64;
/** A program that has more memory than this is not kept: its memory never shrinks. */
const MOST_KEPT = 67_108_864;

/** A program that turns an input into a result whose length is known before. */
export class DecoderProgram<Exports> {
  private module: WebAssembly.Module | undefined;
  private kept: (Exports & MemoryExports) | undefined;
  private memory = new Uint8Array(0);

  /** @param binary the program in base64, compiled when it is first used */
  constructor(private readonly binary: string) {}

  /**
   * Copies an input into the memory of the program and makes room for a result of `size` bytes: the addresses of both.
   * All of it is valid until the next call.
   *
   * @throws {RangeError} where there is no memory for it
   */
  place(input: Uint8Array, size: number) {
    this.module ??= compiledModule(this.binary);
    const run = this.kept ?? (new WebAssembly.Instance(this.module).exports as unknown as Exports & MemoryExports);
    const from = aligned(run.start()) + MARGIN;
    const end = from + input.length;
    const out = aligned(end + MARGIN);
    const held = run.memory.buffer.byteLength;
    const missing = out + size + MARGIN - held;
    if (missing > 0) run.memory.grow(Math.ceil(Math.max(missing, Math.min(held / 2, MOST_KEPT - held)) / PAGE));
    const { buffer } = run.memory;
    if (this.memory.buffer !== buffer) this.memory = new Uint8Array(buffer);
    const { memory } = this;
    memory.set(input, from);
    this.kept = buffer.byteLength <= MOST_KEPT ? run : undefined;
    if (this.kept === undefined) this.memory = new Uint8Array(0);
    return { run, memory, from, end, out };
  }
}
