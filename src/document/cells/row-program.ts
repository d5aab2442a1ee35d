import { compiledModule, withMemory } from "../../wasm/compiled-module.js";
import { binary } from "../../wasm/row-texts.wasm";

/** What src/wasm/row-texts.ts exports; its comments say what each does. */
interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  start(): number;
  write(rows: number, columns: number, begins: boolean, frame: number, out: number): number;
}

/** The program's kinds of columns. */
export const COLUMN_KINDS = { words: 0, days: 1, times: 2, doubles: 3, truths: 4, entries: 5, texts: 6 } as const;

/** The program, its memory, and the address from which {@link WORK_BYTES} are free. */
export interface RowProgram {
  readonly run: Exports;
  readonly memory: Uint8Array;
  readonly words: Uint32Array;
  readonly at: number;
  /** Whose constants are in the memory. */
  owner?: object;
}

/** Bytes for the constants, columns and text of one call. */
export const WORK_BYTES = 2 << 20;
const PAGE = 65_536;

let program: RowProgram | null | undefined;

/** The writer of rows in WebAssembly; null where it is missing, forbidden or gets no memory. */
export function rowProgram(): RowProgram | null {
  if (program === undefined) program = instantiated() ?? null;
  return program;
}

function instantiated(): RowProgram | undefined {
  const module = compiledModule(binary);
  if (module === null) return undefined;
  return withMemory(() => {
    const run = new WebAssembly.Instance(module).exports as unknown as Exports;
    const at = Math.ceil(run.start() / 64) * 64;
    run.memory.grow(Math.ceil((at + WORK_BYTES - run.memory.buffer.byteLength) / PAGE));
    const { buffer } = run.memory;
    return { run, memory: new Uint8Array(buffer), words: new Uint32Array(buffer), at };
  });
}
