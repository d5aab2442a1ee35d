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
  if (keys.hasRepeats || replacedKeys.hasRepeats) throw new RepeatedKey();
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
  /** Whether two rows are equal. */
  hasRepeats = false;
  readonly #types: readonly DataType[];
  readonly #columns: readonly number[];
  private readonly a: Uint32Array;
  private readonly b: Uint32Array;
  /**
   * Open addressing, by hash: the last row without a partner; below -1 where all have one, with one of them; -1 for a
   * free slot. The length is a power of two, at most half full.
   */
  private readonly slots: Int32Array;
  /** By row, the equal one without a partner that was added before it, or -1. */
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
    this.slots = new Int32Array(1 << Math.min(30, 33 - Math.clz32(most))).fill(-1);
    this.before = new Int32Array(most);
  }

  add(batch: RecordBatch): void {
    const { a, b } = this.#hashes(batch);
    for (let i = 0; i < batch.numRows; i++) {
      const row = this.size++;
      this.a[row] = a[i];
      this.b[row] = b[i];
      const slot = this.#slotOf(a[i], b[i]);
      const equal = this.slots[slot];
      this.hasRepeats ||= equal !== -1;
      this.before[row] = Math.max(equal, -1);
      this.slots[slot] = row;
    }
  }

  /** Whether rows of a batch are equal to any. */
  finder(batch: RecordBatch): (i: number) => boolean {
    const { a, b } = this.#hashes(batch);
    return (i) => this.slots[this.#slotOf(a[i], b[i])] !== -1;
  }

  /** Pairs the rows of a batch with equal ones that have no partner; -1 for those that find none. */
  partners(batch: RecordBatch): Int32Array {
    const { a, b } = this.#hashes(batch);
    const partners = new Int32Array(batch.numRows);
    for (let i = 0; i < partners.length; i++) {
      const slot = this.#slotOf(a[i], b[i]);
      const row = this.slots[slot];
      partners[i] = Math.max(row, -1);
      if (row >= 0) this.slots[slot] = this.before[row] >= 0 ? this.before[row] : -2 - row;
    }
    return partners;
  }

  /** The rows without a partner. */
  *left(): Generator<number> {
    for (const last of this.slots) for (let row = last; row >= 0; row = this.before[row]) yield row;
  }

  #hashes(batch: RecordBatch): { readonly a: Uint32Array; readonly b: Uint32Array } {
    const digest = new RowsDigest(this.#types);
    digest.add(picked(batch, this.#columns));
    return digest.lines;
  }

  #slotOf(a: number, b: number): number {
    const slots = this.slots;
    const mask = slots.length - 1;
    for (let slot = (a ^ Math.imul(b, 0x9e3779b1)) & mask; ; slot = (slot + 1) & mask) {
      const found = slots[slot];
      const row = found < -1 ? -2 - found : found;
      if (row === -1 || (this.a[row] === a && this.b[row] === b)) return slot;
    }
  }
}
