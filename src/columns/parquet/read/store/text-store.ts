import { unscaled } from "../../../../value/decimal.js";
import type { CellPolicy } from "../../../build/bad-cells.js";
import type { ColumnBuilder } from "../../../build/builder.js";
import type { Values } from "../decode/values.js";
import { doubleText, integerText, uuidText } from "../format/leaf-type.js";
import type { Leaf } from "../format/types.js";
import { EachStore } from "./store.js";

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
    const bytes = typeof text === "string" ? Buffer.from(text) : text;
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
