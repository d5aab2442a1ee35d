import { POWERS } from "../../../../value/decimal.js";
import type { ColumnBuilder } from "../../../build/builder.js";
import type { Values } from "../decode/values.js";
import type { Leaf } from "../format/types.js";
import { EachStore, putNulls, type Store, type StoredRows } from "./store.js";
import type { TextStore } from "./text-store.js";
import { nearOf } from "./word-store.js";

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
