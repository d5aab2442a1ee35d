/** The module of a program in base64; null where WebAssembly is missing or forbidden. */
export function compiledModule(binary: string): WebAssembly.Module | null {
  if (typeof WebAssembly === "undefined") return null;
  try {
    return new WebAssembly.Module(Buffer.from(binary, "base64"));
  } catch (error) {
    if (error instanceof WebAssembly.CompileError) return null;
    throw error;
  }
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

/** An instance of a program in base64 with so many bytes of memory to work on; null where it cannot be made. */
export function instanceWith<Exports>(binary: string, bytes: number): Instance<Exports & MemoryExports> | null {
  const module = compiledModule(binary);
  if (module === null) return null;
  const made = withMemory(() => {
    const run = new WebAssembly.Instance(module).exports as unknown as Exports & MemoryExports;
    const at = Math.ceil(run.start() / 64) * 64;
    run.memory.grow(Math.ceil((at + bytes - run.memory.buffer.byteLength) / PAGE));
    return { run, memory: new Uint8Array(run.memory.buffer), at };
  });
  return made ?? null;
}
