// Plain CSV by blocks of rows, 16 bytes at a time. This is AssemblyScript: TypeScript's grammar, WebAssembly's types.
// `scan` finds where the cells of some rows end; then each column of the block is read by one call, straight through.
// What a column reader does not handle is not an error: it is marked odd, and the caller reads that cell by other
// means. Positions are addresses in this memory. 64 bytes around the input may be read, whatever they are.
//
// Readers of one column, `k` of `width`, of the block of `rows` rows whose cells end at `ends` as `scan` left it. They
// give how many rows they noted at `odd`; those have no value yet.

export { dates } from "./csv-blocks/dates";
export { longTexts, read } from "./csv-blocks/long-texts";
export { numbers } from "./csv-blocks/numbers";
export { scan } from "./csv-blocks/scan";
export { added, NOTE_WORDS, SLOT_BYTES, SLOT_NUMBER, texts } from "./csv-blocks/texts";

/** Where free memory begins. */
export function start(): usize {
  return __heap_base;
}
