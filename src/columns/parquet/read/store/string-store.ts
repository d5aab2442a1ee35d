import { isAscii } from "node:buffer";
import { invalidUtf8 } from "../../../../value/text.js";
import type { ColumnBuilder } from "../../../build/builder.js";
import type { TextDictionary } from "../../../build/dictionary.js";
import type { Texts, Values } from "../decode/values.js";
import type { Grow } from "../format/growth.js";
import { EachStore, type StoredRows } from "./store.js";
import type { TextStore } from "./text-store.js";

/** Texts, or other bytes. */
export class StringStore extends EachStore {
  readonly stride = 1;
  /** For the texts of a page's dictionary their numbers in the column's, -1 where not known yet. */
  private numbers = new Int32Array(0);
  private from: Texts | undefined;
  private to: TextDictionary | undefined;
  /** The bytes of the page need no check. */
  private isSound = false;

  constructor(
    builder: ColumnBuilder,
    private readonly byText: TextStore,
    private readonly mustBeUtf8: boolean,
    private readonly grow: Grow | undefined,
  ) {
    super(builder);
  }

  protected override begin(values: Values): void {
    const texts = values.kind === "numbered" ? values.dictionary : values;
    if (texts.kind !== "texts") return;
    this.isSound = !this.mustBeUtf8 || isAscii(texts.bytes);
    if (values.kind === "numbered" && (this.from !== texts || this.to !== this.builder.dictionary)) {
      this.from = texts;
      this.to = this.builder.dictionary;
      this.numbers = new Int32Array(texts.starts.length).fill(-1);
    }
  }

  override put(rows: StoredRows): void {
    const { values, from, count, present, valid, row } = rows;
    if (values.kind === "numbered" && this.builder.mode === "utf8") this.count(values, from, present);
    if (values.kind !== "numbered" || valid !== undefined || this.builder.mode === "utf8") {
      super.put(rows);
      return;
    }
    this.begin(values);
    const { numbers } = this;
    const { words } = this.builder;
    for (let i = row, end = row + count, k = from; i < end; i++, k++) {
      const number = numbers[values.numbers[k]];
      if (number >= 0) words[i] = number;
      else this.putNumbered(values, k, i);
    }
  }

  /** Counts the bytes of texts that a dictionary holds once and the column once for each row. */
  private count({ numbers, dictionary }: Values & { readonly kind: "numbered" }, from: number, present: number): void {
    if (this.grow === undefined) return;
    const { starts, ends } = dictionary;
    let bytes = 0;
    for (let k = from; k < from + present; k++) bytes += ends[numbers[k]] - starts[numbers[k]];
    this.grow(bytes);
  }

  putOne(values: Values, k: number, row: number): void {
    if (values.kind === "texts") this.putText(values, values, k, k, row);
    else if (values.kind === "numbered") this.putNumbered(values, k, row);
    else this.byText.putOne(values, k, row);
  }

  private putNumbered(values: Values & { readonly kind: "numbered" }, k: number, row: number): void {
    const { builder, numbers } = this;
    const number = values.numbers[k];
    if (builder.mode !== "utf8" && numbers[number] >= 0) {
      builder.words[row] = numbers[number];
      return;
    }
    this.putText(values, values.dictionary, number, k, row);
    // A text that is not UTF-8 may have become null.
    const isThere = (builder.validity[row >> 3] & (1 << (row & 7))) !== 0;
    if (builder.mode !== "utf8" && isThere) numbers[number] = builder.words[row];
  }

  private putText(values: Values, { bytes, starts, ends }: Texts, at: number, k: number, row: number): void {
    const start = starts[at];
    const end = ends[at];
    if (this.isSound || invalidUtf8(bytes, start, end) < 0) this.builder.setText(row, bytes, start, end);
    else this.byText.putOne(values, k, row);
  }
}
