// Block compressions without a stream: Snappy, LZ4 and Zstandard. This is AssemblyScript: TypeScript's grammar,
// WebAssembly's types. Positions are addresses in this memory. Around the input, 32 bytes before it and behind it may
// be read, whatever they are; behind the output, 64 bytes may be written. Every function returns false for bytes that
// are malformed or end early.

export { lz4 } from "./block-codecs/lz4";
export { snappy } from "./block-codecs/snappy";
export { zstd } from "./block-codecs/zstd";

/** Where free memory begins. */
export function start(): usize {
  return __heap_base;
}
