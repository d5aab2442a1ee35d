import type { ColumnBuilder } from "../../../build/builder.js";
import type { Values } from "../decode/values.js";

/** Rows of a page that go into rows of a builder. */
export interface StoredRows {
  readonly values: Values;
  /** The first of the values of these rows. */
  readonly from: number;
  /** How many rows, and how many of them have a value. */
  readonly count: number;
  readonly present: number;
  /** For each row from `first` on whether it has a value; undefined where all have. */
  readonly valid: Uint8Array | undefined;
  readonly first: number;
  /** The builder's row of the first. */
  readonly row: number;
}

/** How values of a leaf get into a column. */
export interface Store {
  /** Words of 32 bits that the leaf's integers are wanted in. */
  readonly stride: number;
  /** Stores rows; those without a value become null. @throws {DataError} for a value that does not fit */
  put(rows: StoredRows): void;
}

/** Sets the rows without a value to null. */
export function putNulls({ valid, first, count, row }: StoredRows, builder: ColumnBuilder): void {
  if (valid === undefined) return;
  for (let i = 0; i < count; i++) if (valid[first + i] === 0) builder.setNull(row + i);
}

/** Stores one value after another into rows that have one. */
export abstract class EachStore implements Store {
  abstract readonly stride: number;

  constructor(protected readonly builder: ColumnBuilder) {}

  put(rows: StoredRows): void {
    const { values, from, count, valid, first, row } = rows;
    this.begin(values);
    for (let i = 0, k = from; i < count; i++) {
      if (valid === undefined || valid[first + i] === 1) this.putOne(values, k++, row + i);
      else this.builder.setNull(row + i);
    }
  }

  protected begin(_values: Values): void {}

  protected abstract putOne(values: Values, k: number, row: number): void;
}

/** Truth values. */
export class BooleanStore extends EachStore {
  readonly stride = 1;

  putOne(values: Values, k: number, row: number): void {
    const { bits } = this.builder;
    if (values.kind === "booleans" && values.booleans[k] === 1) bits[row >> 3] |= 1 << (row & 7);
    else bits[row >> 3] &= ~(1 << (row & 7));
  }
}
