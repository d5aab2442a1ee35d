import { isAscii, utf8Bytes } from "../../../../platform/node/bytes.js";
import { unscaled } from "../../../../value/decimal.js";
import { invalidUtf8 } from "../../../../value/text.js";
import type { CellPolicy } from "../../../build/bad-cells.js";
import type { ColumnBuilder } from "../../../build/builder.js";
import type { TextDictionary } from "../../../build/dictionary.js";
import type { Texts, Values } from "../decode/values.js";
import type { Grow } from "../format/growth.js";
import { doubleText, integerText, uuidText } from "../format/leaf-type.js";
import type { Leaf } from "../format/types.js";
import { EachStore, type StoredRows } from "./store.js";

/** Words of 32 bits that hold any integer of a leaf. */
function wordsOf({ type, width, meaning }: Leaf): number {
  if (type === "INT32") return meaning.kind === "integer" && !meaning.signed ? 2 : 1;
  if (type === "INT96") return 2;
  if (type === "INT64") return meaning.kind === "integer" && !meaning.signed ? 4 : 2;
  if (type === "FIXED_LEN_BYTE_ARRAY" && width <= 8) return 2;
  return type === "FIXED_LEN_BYTE_ARRAY" && width <= 16 ? 4 : 8;
}

/** Values by their text, as cells of CSV are. */
export class TextStore extends EachStore {
  readonly stride: number;
  private readonly integerText: (value: bigint) => string;
  private readonly isUuid: boolean;

  constructor(
    leaf: Leaf,
    builder: ColumnBuilder,
    private readonly policy: CellPolicy,
  ) {
    super(builder);
    this.stride = wordsOf(leaf);
    this.integerText = integerText(leaf);
    this.isUuid = leaf.meaning.kind === "uuid";
  }

  putOne(values: Values, k: number, row: number): void {
    const text = this.text(values, k);
    // Bytes that are text go as they are, so that those that are not UTF-8 are reported.
    const bytes = typeof text === "string" ? utf8Bytes(text) : text;
    this.policy.write(
      this.builder,
      row,
      new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length),
      0,
      bytes.length,
      0,
    );
  }

  private text(values: Values, k: number): string | Uint8Array {
    switch (values.kind) {
      case "words":
        return this.integerText(unscaled(values.words, k * values.stride, values.stride));
      case "doubles":
        return doubleText(values.doubles[k]);
      case "booleans":
        return values.booleans[k] === 1 ? "true" : "false";
      case "texts": {
        const bytes = values.bytes.subarray(values.starts[k], values.ends[k]);
        return this.isUuid ? uuidText(bytes) : bytes;
      }
      case "numbered":
        return this.text(values.dictionary, values.numbers[k]);
    }
  }
}

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
