import { BLOCK_ROWS, clearBlock, doubleBlocks, loadBlock, NULL } from "../../columns/table/double-blocks.js";
import { notInlined } from "./not-inlined.js";
import { ROW, type Turn, VIEW, VIEW_NUMBER, type View } from "./turn.js";

const MASK = BLOCK_ROWS - 1;

/**
 * The getter of a column whose values are converted to doubles block by block, when one of them is first read; for rows
 * that come one after the other.
 *
 * @param block the number of the column's block
 */
export function blockGetter(
  column: number,
  block: number,
  turn: Turn,
  hasNulls: boolean,
): (this: View) => number | null {
  const { state } = turn;
  let loaded = -1;
  const load = (view: View): void => {
    if (view[VIEW_NUMBER] !== state[VIEW]) turn.refuse();
    if (loaded === turn.block) return;
    loaded = turn.block;
    loadBlock(turn.columns[column], state[ROW] & ~MASK, block);
    turn.loaded.push(block);
  };
  clearBlock(block);
  const doubles = doubleBlocks() as Float64Array;
  const start = block * BLOCK_ROWS;
  return (hasNulls ? orNull : numbers)(VIEW_NUMBER, state, doubles, start, notInlined(load));
}

// The getters use nothing but parameters that are never assigned: V8 takes these for constants, so that compiled loops
// have the addresses of the state and the block.

function numbers(
  number: typeof VIEW_NUMBER,
  state: Int32Array,
  doubles: Float64Array,
  start: number,
  load: (view: View) => void,
): (this: View) => number {
  return function (this: View): number {
    if (this[number] === state[VIEW]) {
      const value = doubles[start + (state[ROW] & MASK)];
      // biome-ignore lint/suspicious/noSelfCompare: NaN, where the block is not loaded
      if (value === value) return value;
    }
    load(this);
    // Not the result of the call: that would put every number on the heap.
    return doubles[start + (state[ROW] & MASK)];
  };
}

function orNull(
  number: typeof VIEW_NUMBER,
  state: Int32Array,
  doubles: Float64Array,
  start: number,
  load: (view: View) => void,
): (this: View) => number | null {
  return function (this: View): number | null {
    if (this[number] === state[VIEW]) {
      const value = doubles[start + (state[ROW] & MASK)];
      // biome-ignore lint/suspicious/noSelfCompare: NaN, where the block is not loaded
      if (value === value) return value === NULL ? null : value;
    }
    load(this);
    const value = doubles[start + (state[ROW] & MASK)];
    return value === NULL ? null : value;
  };
}
