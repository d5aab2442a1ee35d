// Operations on the buffers of columns. This is AssemblyScript: TypeScript's grammar, WebAssembly's types. Positions
// are addresses in this memory.

export { add, subtract } from "./columns/add";
export { choose } from "./columns/choose";
export { compareDoubles, compareIntegers } from "./columns/compare";
export { clip, clipDoubles, remainders } from "./columns/limit";
export { multiply } from "./columns/multiply";
export { narrow, pickWidened } from "./columns/narrow";
export { lookUp, pick } from "./columns/pick";
export { doubles, ofBins, spread, tally } from "./columns/statistics";
export { summarize } from "./columns/summarize";

/** Where free memory begins. */
export function start(): usize {
  return __heap_base;
}
