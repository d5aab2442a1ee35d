import { compiledModule } from "../../wasm/compiled-module.js";
import { binary } from "../../wasm/row-blocks.wasm";

/** The exports of src/wasm/row-blocks.ts, where they are documented. */
export interface BlockProgram {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  readonly added: { readonly value: number };
  readonly read: { readonly value: number };
  readonly SLOT_BYTES: { readonly value: number };
  readonly SLOT_NUMBER: { readonly value: number };
  readonly NOTE_WORDS: { readonly value: number };
  start(): number;
  setMarks(delimiter: number, quote: number): void;
  setPlaces(ends: number, marks: number, odd: number): void;
  scan(from: number, end: number, rows: number): number;
  scanJson(from: number, end: number, rows: number): number;
  numbers(k: number, rows: number, kind: number, out: number, table: number): number;
  dates(k: number, rows: number, out: number): number;
  texts(
    k: number,
    rows: number,
    out: number,
    slots: number,
    mask: number,
    most: number,
    next: number,
    fresh: number,
  ): number;
  longTexts(k: number, rows: number, out: number, heap: number, length: number, most: number, blank: boolean): number;
}

/** The formats in which `numbers` stores values: 128 bits, 64 bits, or a double. */
export const AS_DECIMAL = 0;
export const AS_INTEGER = 1;
export const AS_FLOAT = 2;

let compiled: WebAssembly.Module | undefined;

/**
 * A new instance of the program with its own memory.
 *
 * @throws {RangeError} if memory is exhausted
 */
export function blockProgram(): BlockProgram {
  compiled ??= compiledModule(binary);
  return new WebAssembly.Instance(compiled).exports as unknown as BlockProgram;
}
