import type { Data } from "../../columns/arrow/arrow.js";

/** The place of the row's number within its batch in {@link Turn.state}. */
export const ROW = 0;
/** The place of the number of the view that may be read; 0 for none. */
export const VIEW = 1;

/** The member of a view that holds its number. */
export const VIEW_NUMBER = Symbol("view");

/** A view of a row. */
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
