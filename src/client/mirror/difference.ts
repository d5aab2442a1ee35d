import type { DataType, RecordBatch } from "../../columns/arrow/arrow.js";
import { RowsDigest } from "../../engine/contract/digest.js";
import type { Batches } from "./place.js";
import { numbersIn, passing, picked } from "./rows.js";

/** Two rows have one key, so that a changed row cannot find its own. */
export class RepeatedKey extends Error {}

/** The rows that a version has and the one before it has not, and the numbers of those that it lacks. */
export interface Difference {
  readonly added: AsyncIterable<RecordBatch>;
  /** Complete once `added` has been read. */
  readonly removed: () => Float64Array;
}

/**
 * Compares all rows of a table with those of the newest version. Equal rows are paired, as many as there are of them.
 *
 * @param copy the rows of the version, with their numbers at the end
 */
export async function wholeDifference(
  copy: Batches,
  rows: number,
  table: Batches,
  types: readonly DataType[],
): Promise<Difference> {
  const known = new Unpaired(types, rows);
  const numbers = new Float64Array(rows);
  for await (const batch of copy) {
    const number = numbersIn(batch);
    for (let i = 0; i < batch.numRows; i++) numbers[known.size + i] = number(i);
    known.add(batch);
  }
  const added = passing(table, (batch) => {
    const partners = known.partners(batch);
    return (i) => partners[i] < 0;
  });
  return { added, removed: () => Float64Array.from(known.left(), (row) => numbers[row]).sort() };
}

/**
 * Replaces the rows with the keys of changed ones; changed rows that are as before are left out.
 *
 * @param copy the rows of the newest version, with their numbers at the end
 * @param changed all of them
 * @param key positions of its columns
 * @throws {RepeatedKey}
 */
export async function keyedDifference(
  copy: Batches,
  changed: readonly RecordBatch[],
  types: readonly DataType[],
  key: readonly number[],
): Promise<Difference> {
  const keys = unpaired(types, changed, key);
  const replaced: RecordBatch[] = [];
  for await (const batch of passing(copy, (each) => keys.finder(each))) replaced.push(batch);
  const replacedKeys = unpaired(types, replaced, key);
  if (keys.hasRepeats() || replacedKeys.hasRepeats()) throw new RepeatedKey();
  return wholeDifference(replaced, replacedKeys.size, changed, types);
}

/** The rows of batches that are compared by some columns. */
export function unpaired(types: readonly DataType[], batches: readonly RecordBatch[], columns: readonly number[]) {
  const count = batches.reduce((sum, { numRows }) => sum + numRows, 0);
  const rows = new Unpaired(types, count, columns);
  for (const batch of batches) rows.add(batch);
  return rows;
}

/**
 * Rows in the order in which they were added, each of which can be paired with an equal one. Rows are equal if the
 * 64-bit hashes of their compared columns are.
 */
class Unpaired {
  size = 0;
  readonly #types: readonly DataType[];
  readonly #columns: readonly number[];
  private readonly a: Uint32Array;
  private readonly b: Uint32Array;
  /** The last row of each bucket of hashes; by row, the one before it: rows without a partner, -1 after the first. */
  private readonly last: Int32Array;
  private readonly before: Int32Array;

  /**
   * @param types of the columns of a table, after which batches may have others
   * @param most the most rows
   * @param columns the positions of those that are compared
   */
  constructor(types: readonly DataType[], most: number, columns: readonly number[] = [...types.keys()]) {
    this.#types = columns.map((at) => types[at]);
    this.#columns = columns;
    this.a = new Uint32Array(most);
    this.b = new Uint32Array(most);
    this.last = new Int32Array(1 << Math.min(30, 33 - Math.clz32(most))).fill(-1);
    this.before = new Int32Array(most);
  }

  add(batch: RecordBatch): void {
    const { a, b } = this.#hashes(batch);
    for (let i = 0; i < batch.numRows; i++) {
      const row = this.size++;
      this.a[row] = a[i];
      this.b[row] = b[i];
      const bucket = this.#bucketOf(a[i], b[i]);
      this.before[row] = this.last[bucket];
      this.last[bucket] = row;
    }
  }

  /** Whether two of the rows are equal. */
  hasRepeats(): boolean {
    for (let row = 0; row < this.size; row++) {
      if (this.#equal(this.before[row], this.a[row], this.b[row]) >= 0) return true;
    }
    return false;
  }

  /** Whether rows of a batch are equal to any. */
  finder(batch: RecordBatch): (i: number) => boolean {
    const { a, b } = this.#hashes(batch);
    return (i) => this.#equal(this.last[this.#bucketOf(a[i], b[i])], a[i], b[i]) >= 0;
  }

  /** Pairs the rows of a batch with equal ones that have no partner; -1 for those that find none. */
  partners(batch: RecordBatch): Int32Array {
    const { a, b } = this.#hashes(batch);
    const partners = new Int32Array(batch.numRows);
    for (let i = 0; i < partners.length; i++) {
      const bucket = this.#bucketOf(a[i], b[i]);
      let after = -1;
      let row = this.last[bucket];
      while (row >= 0 && (this.a[row] !== a[i] || this.b[row] !== b[i])) {
        after = row;
        row = this.before[row];
      }
      partners[i] = row;
      if (row < 0) continue;
      if (after < 0) this.last[bucket] = this.before[row];
      else this.before[after] = this.before[row];
    }
    return partners;
  }

  /** The rows without a partner. */
  *left(): Generator<number> {
    for (const last of this.last) for (let row = last; row >= 0; row = this.before[row]) yield row;
  }

  #hashes(batch: RecordBatch): { readonly a: Uint32Array; readonly b: Uint32Array } {
    const digest = new RowsDigest(this.#types);
    digest.add(picked(batch, this.#columns));
    return digest.lines;
  }

  /** The first equal row from one of its bucket on, or -1. */
  #equal(from: number, a: number, b: number): number {
    let row = from;
    while (row >= 0 && (this.a[row] !== a || this.b[row] !== b)) row = this.before[row];
    return row;
  }

  #bucketOf(a: number, b: number): number {
    return (a ^ Math.imul(b, 0x9e3779b1)) & (this.last.length - 1);
  }
}
