import { compiledModule } from "../wasm/compiled-module.js";
import { binary } from "../wasm/inflate.wasm";

/** What src/wasm/inflate.ts exports; its comments say what each does. */
export interface InflateProgram {
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

let compiled: WebAssembly.Module | null | undefined;

/**
 * An instance with memory of its own; undefined where WebAssembly is missing or forbidden.
 *
 * @throws {RangeError} without memory
 */
export function inflateProgram(): InflateProgram | undefined {
  if (compiled === undefined) compiled = compiledModule(binary);
  return compiled === null ? undefined : (new WebAssembly.Instance(compiled).exports as unknown as InflateProgram);
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
