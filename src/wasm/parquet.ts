// The encodings of integers in Parquet's pages. This is AssemblyScript: TypeScript's grammar, WebAssembly's types.
// Positions are addresses in this memory. Around the input, 32 bytes before it and behind it may be read, whatever they
// are; behind the output, 64 bytes may be written. Every function returns false for bytes that are malformed or end
// early.

export { bigEndian } from "./parquet/big-endian";
export { delta, end } from "./parquet/delta";
export { hybrid } from "./parquet/hybrid";
export { greatest, least } from "./parquet/range";
export { widen } from "./parquet/widen";

/** Where free memory begins. */
export function start(): usize {
  return __heap_base;
}
