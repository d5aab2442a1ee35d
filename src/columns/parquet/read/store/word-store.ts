import { POWERS } from "../../../../value/decimal.js";
import type { ColumnBuilder } from "../../../build/builder.js";
import type { Range } from "../decode/decoders.js";
import type { Values } from "../decode/values.js";
import type { Leaf } from "../format/types.js";
import { EachStore, putNulls, type Store, type StoredRows } from "./store.js";
import type { TextStore } from "./text-store.js";

const WORD = 2 ** 32;

/** Decimals below a power of ten. Those about as large as it go by their text. */
export function limitsOf(precision: number): Range {
  const below = 10 ** precision * (1 - 2 ** -50);
  return { least: -below, most: below };
}

/** Whether integers are within the limits: by their range where it is known. */
function areWithin(
  { least, most }: Range,
  values: Values & { readonly kind: "words" },
  from: number,
  count: number,
): boolean {
  const { words, stride, range } = values;
  if (range !== undefined) return range.least >= least && range.most <= most;
  for (let i = from * stride, end = (from + count) * stride; i < end; i += stride) {
    const near = nearOf(words, i, stride);
    if (!(near >= least && near <= most)) return false;
  }
  return true;
}

/** About the value of an integer. */
function nearOf(words: Int32Array, at: number, stride: number): number {
  let near = words[at + stride - 1];
  for (let k = stride - 2; k >= 0; k--) near = near * WORD + (words[at + k] >>> 0);
  return near;
}

/** Integers that are stored as they are. */
export class WordStore implements Store {
  readonly stride: number;

  constructor(
    private readonly builder: ColumnBuilder,
    private readonly byText: Store,
    /** What the column takes, where it does not take all. */
    private readonly limits?: Range,
  ) {
    this.stride = builder.stride;
  }

  put(rows: StoredRows): void {
    const { values, from, count, present, valid, first, row } = rows;
    const { stride, builder, limits } = this;
    if (values.kind !== "words" || (limits !== undefined && !areWithin(limits, values, from, present))) {
      this.byText.put(rows);
      return;
    }
    const { words } = builder;
    if (valid === undefined) {
      words.set(values.words.subarray(from * stride, (from + count) * stride), row * stride);
      return;
    }
    let at = row * stride;
    let k = from * stride;
    for (let i = first; i < first + count; i++) {
      if (valid[i] === 1) for (let w = 0; w < stride; w++) words[at++] = values.words[k++];
      else for (let w = 0; w < stride; w++) words[at++] = 0;
    }
    putNulls(rows, builder);
  }
}

/** Doubles that are stored as they are. */
export class DoubleStore implements Store {
  readonly stride = 1;

  constructor(private readonly builder: ColumnBuilder) {}

  put(rows: StoredRows): void {
    const { values, from, count, valid, first, row } = rows;
    if (values.kind !== "doubles") return;
    const { floats } = this.builder;
    if (valid === undefined) floats.set(values.doubles.subarray(from, from + count), row);
    else {
      for (let i = 0, k = from; i < count; i++) floats[row + i] = valid[first + i] === 1 ? values.doubles[k++] : 0;
      putNulls(rows, this.builder);
    }
  }
}

/** Decimals as the nearest doubles: a quotient of two exact doubles is. Others go by their text. */
export class NearStore extends EachStore {
  readonly stride: number;
  private readonly power: number;

  constructor(
    leaf: Leaf,
    builder: ColumnBuilder,
    private readonly byText: TextStore,
  ) {
    super(builder);
    this.stride = byText.stride;
    this.power = leaf.meaning.kind === "decimal" && leaf.meaning.scale <= 22 ? POWERS[leaf.meaning.scale] : Number.NaN;
  }

  putOne(values: Values, k: number, row: number): void {
    const near = values.kind === "words" ? nearOf(values.words, k * this.stride, this.stride) : Number.NaN;
    const value = Number.isSafeInteger(near) ? near / this.power : Number.NaN;
    if (Number.isNaN(value)) this.byText.putOne(values, k, row);
    else this.builder.floats[row] = value;
  }
}
