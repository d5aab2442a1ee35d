// Plain rows of CSV and JSON by blocks, 16 bytes at a time. This is AssemblyScript: TypeScript's grammar,
// WebAssembly's types. `scan` and `scanJson` find where the cells of some rows end; then each column of the block is
// read by one call, straight through. What a column reader does not handle is not an error: it is marked odd, and the
// caller reads that cell by other means. Positions are addresses in this memory. 64 bytes around the input may be read,
// whatever they are.
//
// Readers of one column of the block of `rows` rows that the scan has described: the one whose cell is behind mark `k`
// of a row. They return how many rows they noted as odd; those have no value yet.

export { setMarks, setPlaces } from "./row-blocks/block";
export { dates } from "./row-blocks/dates";
export { longTexts, read } from "./row-blocks/long-texts";
export { numbers } from "./row-blocks/numbers";
export { scan } from "./row-blocks/scan";
export { scanJson } from "./row-blocks/scan-json";
export { added, NOTE_WORDS, SLOT_BYTES, SLOT_NUMBER, texts } from "./row-blocks/texts";

/** Where free memory begins. */
export function start(): usize {
  return __heap_base;
}
