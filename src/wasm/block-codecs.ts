// Block compressions whose result is known in length: Snappy, and LZ4 with frames or without. This is
// AssemblyScript: TypeScript's grammar, WebAssembly's types. Positions are addresses in this memory. Around the input,
// 32 bytes before it and behind it may be read, whatever they are; behind the output, 64 bytes may be written. Every
// function returns false, or 0, for bytes that are malformed or end early.

export { lz4 } from "./block-codecs/lz4";
export { lz4Frame } from "./block-codecs/lz4-frame";
export { packSnappy } from "./block-codecs/pack-snappy";
export { snappy } from "./block-codecs/snappy";

/** Where free memory begins. */
export function start(): usize {
  return __heap_base;
}
