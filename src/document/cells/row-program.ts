import { type Instance, instanceWith } from "../../wasm/compiled-module.js";
import { binary } from "../../wasm/row-texts.wasm";

/** What src/wasm/row-texts.ts exports; its comments say what each does. */
interface Exports {
  write(rows: number, columns: number, begins: boolean, frame: number, out: number): number;
}

export const COLUMN_KINDS = { words: 0, days: 1, times: 2, doubles: 3, truths: 4, entries: 5, texts: 6 } as const;

/** The program, its memory, and the address from which {@link WORK_BYTES} are free. */
export interface RowProgram extends Instance<Exports> {
  readonly words: Uint32Array;
  /** Whose constants are in the memory. */
  owner?: object;
}

/** Bytes for the constants, columns and text of one call. */
export const WORK_BYTES = 2 << 20;

let program: RowProgram | null | undefined;

/** The writer of rows in WebAssembly; null where it gets no memory. */
export function rowProgram(): RowProgram | null {
  if (program === undefined) {
    const made = instanceWith<Exports>(binary, WORK_BYTES);
    program = made && { ...made, words: new Uint32Array(made.memory.buffer) };
  }
  return program;
}
