import { compiledModule } from "../../wasm/compiled-module.js";
import { binary } from "../../wasm/csv-blocks.wasm";

/** What src/wasm/csv-blocks.ts exports; its comments say what each does. */
export interface CsvProgram {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  readonly added: { readonly value: number };
  readonly read: { readonly value: number };
  readonly SLOT_BYTES: { readonly value: number };
  readonly SLOT_NUMBER: { readonly value: number };
  readonly NOTE_WORDS: { readonly value: number };
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
    most: number,
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

/**
 * An instance of the program with memory of its own; undefined where WebAssembly is missing or forbidden.
 *
 * @throws {RangeError} without memory
 */
export function csvProgram(): CsvProgram | undefined {
  if (compiled === undefined) compiled = compiledModule(binary);
  return compiled === null ? undefined : (new WebAssembly.Instance(compiled).exports as unknown as CsvProgram);
}
