import { type DataType, type RecordBatch, Schema } from "../../columns/arrow/arrow.js";
import { recordBatch } from "../../columns/arrow/record-batch.js";
import { takeBatch } from "../../columns/table/take.js";
import { RowsDigest } from "../../engine/contract/digest.js";
import { numbersIn } from "./rows.js";

/** Two rows have one key, so that a changed row cannot find its own. */
export class RepeatedKey extends Error {}

/** The rows that a version has and the one before it has not, and the numbers of those that it lacks. */
export interface Difference {
  readonly added: AsyncIterable<RecordBatch>;
  /** Complete once `added` has been read. */
  readonly removed: () => number[];
}

type Batches = AsyncIterable<RecordBatch> | Iterable<RecordBatch>;

/**
 * Compares all rows of a table with those of the newest version. Equal rows are paired, as many as there are of them.
 * Rows are equal if their 64-bit hashes are.
 *
 * @param copy the rows of the version, with their numbers at the end
 */
export async function wholeDifference(
  copy: Batches,
  rows: number,
  table: Batches,
  types: readonly DataType[],
): Promise<Difference> {
  const known = new HashTable(rows);
  const numbers = new Float64Array(rows);
  for await (const batch of copy) {
    const number = numbersIn(batch);
    const { a, b } = hashes(batch, types);
    for (let i = 0; i < batch.numRows; i++) numbers[known.add(a[i], b[i])] = number(i);
  }
  const added = async function* (): AsyncGenerator<RecordBatch> {
    for await (const batch of table) {
      const kept: number[] = [];
      const { a, b } = hashes(batch, types);
      for (let i = 0; i < batch.numRows; i++) if (known.take(a[i], b[i]) < 0) kept.push(i);
      if (kept.length > 0) yield takeBatch(batch, Uint32Array.from(kept));
    }
  };
  return { added: added(), removed: () => [...known.left()].map((at) => numbers[at]).sort((x, y) => x - y) };
}

/**
 * Replaces the rows with the keys of changed ones; changed rows that are as before are left out.
 *
 * @param copy the rows of the newest version, with their numbers at the end
 * @param changed all of them
 * @throws {RepeatedKey}
 */
export async function keyedDifference(
  copy: Batches,
  changed: readonly RecordBatch[],
  types: readonly DataType[],
  key: readonly number[],
): Promise<Difference> {
  const keys = new HashTable(changed.reduce((sum, { numRows }) => sum + numRows, 0));
  const keyTypes = key.map((at) => types[at]);
  const places: (readonly [lines: Hashes, row: number])[] = [];
  for (const batch of changed) {
    const own = hashes(picked(batch, key), keyTypes);
    const line = hashes(batch, types);
    for (let i = 0; i < batch.numRows; i++) {
      if (keys.find(own.a[i], own.b[i]) >= 0) throw new RepeatedKey();
      keys.add(own.a[i], own.b[i]);
      places.push([line, i]);
    }
  }
  const [isFound, isSame] = [new Uint8Array(places.length), new Uint8Array(places.length)];
  const removed: number[] = [];
  for await (const batch of copy) {
    const found: (readonly [row: number, at: number])[] = [];
    const own = hashes(picked(batch, key), keyTypes);
    for (let i = 0; i < batch.numRows; i++) {
      const at = keys.find(own.a[i], own.b[i]);
      if (at < 0) continue;
      if (isFound[at]) throw new RepeatedKey();
      isFound[at] = 1;
      found.push([i, at]);
    }
    if (found.length === 0) continue;
    const number = numbersIn(batch);
    const { a, b } = hashes(
      takeBatch(
        batch,
        Uint32Array.from(found, ([row]) => row),
      ),
      types,
    );
    for (const [i, [row, at]] of found.entries()) {
      const [changedTo, line] = places[at];
      if (changedTo.a[line] === a[i] && changedTo.b[line] === b[i]) isSame[at] = 1;
      else removed.push(number(row));
    }
  }
  const added = async function* (): AsyncGenerator<RecordBatch> {
    let at = 0;
    for (const batch of changed) {
      const kept: number[] = [];
      for (let i = 0; i < batch.numRows; i++) if (!isSame[at++]) kept.push(i);
      if (kept.length > 0) yield takeBatch(batch, Uint32Array.from(kept));
    }
  };
  return { added: added(), removed: () => removed.sort((x, y) => x - y) };
}

/** The batch with these columns. */
export function picked({ schema, data, numRows }: RecordBatch, columns: readonly number[]): RecordBatch {
  const fields = columns.map((at) => schema.fields[at]);
  return recordBatch(
    new Schema(fields),
    columns.map((at) => data.children[at]),
    numRows,
  );
}

interface Hashes {
  readonly a: Uint32Array;
  readonly b: Uint32Array;
}

/** The 64-bit hashes of rows by the first columns: as many as there are types. */
export function hashes(batch: RecordBatch, types: readonly DataType[]): Hashes {
  const digest = new RowsDigest(types);
  digest.add(batch.data.children.length === types.length ? batch : picked(batch, [...types.keys()]));
  return digest.lines;
}

/** Entries by 64-bit hashes, which may repeat; numbered from 0 in the order in which they are added. */
export class HashTable {
  readonly #heads: Int32Array;
  readonly #next: Int32Array;
  readonly #a: Uint32Array;
  readonly #b: Uint32Array;
  #size = 0;

  /** @param most the most entries */
  constructor(most: number) {
    this.#heads = new Int32Array(1 << Math.min(30, 33 - Math.clz32(most))).fill(-1);
    this.#next = new Int32Array(most);
    this.#a = new Uint32Array(most);
    this.#b = new Uint32Array(most);
  }

  add(a: number, b: number): number {
    const at = this.#size++;
    const bucket = this.#bucket(a, b);
    this.#a[at] = a;
    this.#b[at] = b;
    this.#next[at] = this.#heads[bucket];
    this.#heads[bucket] = at;
    return at;
  }

  /** An entry with this hash; -1 if there is none. */
  find(a: number, b: number): number {
    let at = this.#heads[this.#bucket(a, b)];
    while (at >= 0 && (this.#a[at] !== a || this.#b[at] !== b)) at = this.#next[at];
    return at;
  }

  /** Finds an entry and takes it out. */
  take(a: number, b: number): number {
    const bucket = this.#bucket(a, b);
    let before = -1;
    let at = this.#heads[bucket];
    while (at >= 0 && (this.#a[at] !== a || this.#b[at] !== b)) {
      before = at;
      at = this.#next[at];
    }
    if (at < 0) return at;
    if (before < 0) this.#heads[bucket] = this.#next[at];
    else this.#next[before] = this.#next[at];
    return at;
  }

  /** The entries that were not taken out. */
  *left(): Generator<number> {
    for (const head of this.#heads) for (let at = head; at >= 0; at = this.#next[at]) yield at;
  }

  #bucket(a: number, b: number): number {
    return (a ^ Math.imul(b, 0x9e3779b1)) & (this.#heads.length - 1);
  }
}
