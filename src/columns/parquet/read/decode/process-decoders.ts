import type { Decoders } from "./decoders.js";
import { PlainDecoders } from "./plain-decoders.js";
import { WasmDecoders } from "./wasm-decoders.js";

const plain = new PlainDecoders();
let fast: WasmDecoders | undefined | null = null;

/** The decoders of this process: in WebAssembly, or in JavaScript where it is missing, forbidden or gets no memory. */
export function decoders(): Decoders {
  if (fast === null) fast = WasmDecoders.make(plain);
  return fast ?? plain;
}
