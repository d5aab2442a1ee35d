import { type Data, DataType, type Table } from "../../columns/arrow/arrow.js";
import { decimalNumber, POWERS } from "../../value/decimal.js";

/** The place of the row's number within its batch in {@link Turn.state}. */
export const ROW = 0;
/** The place of the number of the view that may be read; 0 for none. */
export const VIEW = 1;

/** The member of a view that holds its number. */
export const VIEW_NUMBER = Symbol("view");

export interface View {
  readonly [VIEW_NUMBER]: number;
}

/** What the views of a table read: the row of a batch, and the only view of it that is valid. */
export interface Turn {
  /** Integers: storing the view itself would have V8's collector record each store. */
  readonly state: Int32Array;
  /** Those of the batch. */
  columns: readonly Data[];
  /** Throws for a view that is not valid. */
  readonly refuse: () => never;
}

/** More than 64 bytes, which V8 allocates outside its heap: compiled code then has their address. */
export const newState = (): Int32Array => new Int32Array(32);

/** Powers of ten up to this are exact doubles. */
const MOST_EXACT_POWER = 22;
/** Bits of the upper halves of values below 2^53 in size. */
const HIGH_BITS = 21;
const TWO_32 = 4_294_967_296;

/**
 * The getter of a column of doubles or of decimals of 128 bits that has no nulls; undefined for other columns. It reads
 * the buffers itself and gives nothing but numbers, so that a compiled callback keeps them in registers: a reader
 * called through a variable puts every number on the heap.
 */
export function numberGetter(table: Table, column: number, turn: Turn): ((this: View) => number) | undefined {
  const { type } = table.schema.fields[column];
  const isDouble = DataType.isFloat(type) && type.precision === 2;
  const isDecimal =
    DataType.isDecimal(type) && type.bitWidth === 128 && type.scale >= 0 && type.scale <= MOST_EXACT_POWER;
  if (!isDouble && !isDecimal) return undefined;
  if (table.batches.some(({ data }) => data.children[column].nullCount > 0)) return undefined;
  return isDecimal ? decimalGetter(column, type.scale, turn) : doubleGetter(column, turn);
}

// The getters and what they call are small: V8 compiles only so much into the loop over the rows. What is rare is a
// function of its own.

function doubleGetter(column: number, turn: Turn): (this: View) => number {
  const { state } = turn;
  let from: readonly Data[] = [];
  let values = new Float64Array(0);
  const enter = (view: View): void => {
    if (view[VIEW_NUMBER] !== state[VIEW]) turn.refuse();
    from = turn.columns;
    values = from[column].values as Float64Array<ArrayBuffer>;
  };
  return function (this: View): number {
    if (this[VIEW_NUMBER] !== state[VIEW] || turn.columns !== from) enter(this);
    return values[state[ROW]];
  };
}

function decimalGetter(column: number, scale: number, turn: Turn): (this: View) => number {
  const { state } = turn;
  const power = POWERS[scale];
  let from: readonly Data[] = [];
  let parts = new Int32Array(0);
  const enter = (view: View): void => {
    if (view[VIEW_NUMBER] !== state[VIEW]) turn.refuse();
    from = turn.columns;
    const { buffer, byteOffset, length } = from[column].values as Uint32Array<ArrayBuffer>;
    parts = new Int32Array(buffer, byteOffset, length);
  };
  return function (this: View): number {
    if (this[VIEW_NUMBER] !== state[VIEW] || turn.columns !== from) enter(this);
    const at = state[ROW] * 4;
    const high = parts[at + 1];
    const sign = high >> 31;
    // Not zero for 2^53 and more in size.
    const rest = (parts[at + 2] ^ sign) | (parts[at + 3] ^ sign) | ((high ^ sign) >> HIGH_BITS);
    if (rest !== 0) return decimalNumber(parts, at, 4, scale);
    return (high * TWO_32 + (parts[at] >>> 0)) / power;
  };
}
