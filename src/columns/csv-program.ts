import { binary } from "../wasm/csv-blocks.wasm";

/** What src/wasm/csv-blocks.ts exports; its comments say what each does. */
export interface CsvProgram {
  readonly memory: WebAssembly.Memory;
  readonly added: { readonly value: number };
  start(): number;
  scan(from: number, end: number, width: number, rows: number, ends: number): number;
  numbers(
    ends: number,
    k: number,
    width: number,
    rows: number,
    kind: number,
    out: number,
    table: number,
    odd: number,
  ): number;
  dates(ends: number, k: number, width: number, rows: number, out: number, odd: number): number;
  texts(
    ends: number,
    k: number,
    width: number,
    rows: number,
    out: number,
    slots: number,
    mask: number,
    next: number,
    fresh: number,
    odd: number,
  ): number;
  longTexts(
    ends: number,
    k: number,
    width: number,
    rows: number,
    out: number,
    heap: number,
    length: number,
    most: number,
    blank: boolean,
    odd: number,
  ): number;
}

/** How `numbers` stores: 128 bits, 64 bits, or a double. */
export const AS_DECIMAL = 0;
export const AS_INTEGER = 1;
export const AS_FLOAT = 2;

let compiled: WebAssembly.Module | null | undefined;

/** An instance of the program with memory of its own; undefined where WebAssembly is missing or forbidden, or gets no memory. */
export function csvProgram(): CsvProgram | undefined {
  try {
    if (compiled === undefined) {
      const missing = typeof WebAssembly === "undefined";
      compiled = missing ? null : new WebAssembly.Module(Buffer.from(binary, "base64"));
    }
    return compiled === null ? undefined : (new WebAssembly.Instance(compiled).exports as unknown as CsvProgram);
  } catch (error) {
    // WebAssembly claims much address space, and may be refused it.
    if (!(error instanceof WebAssembly.CompileError || error instanceof RangeError)) throw error;
    compiled = null;
    return undefined;
  }
}
