import type { TypeKind } from "../../../../spec/columns.js";
import type { CellPolicy } from "../../../build/bad-cells.js";
import type { ColumnBuilder } from "../../../build/builder.js";
import type { Grow } from "../format/growth.js";
import { serviceType } from "../format/leaf-type.js";
import type { Leaf } from "../format/types.js";
import { BooleanStore, type Store } from "./store.js";
import { StringStore, TextStore } from "./text-store.js";
import { DoubleStore, limitsOf, NearStore, WordStore } from "./word-store.js";

/** How values of a leaf are stored in a column as they are; undefined where they go by their text. */
type DirectStore = (leaf: Leaf, builder: ColumnBuilder, byText: TextStore, grow?: Grow) => Store | undefined;

const text: DirectStore = (leaf, builder, byText, grow) => {
  if (leaf.meaning.kind === "text") return new StringStore(builder, byText, true, grow);
  return leaf.meaning.kind === "bytes" ? new StringStore(builder, byText, false, grow) : undefined;
};

const DIRECT: Readonly<Record<TypeKind, DirectStore>> = {
  text,
  date: (leaf, builder, byText) => (serviceType(leaf) === "Date" ? new WordStore(builder, byText) : undefined),
  // In the unit of the leaf: the column gets Arrow's type of that unit.
  datetime: (leaf, builder, byText) => (serviceType(leaf) === "DateTime" ? new WordStore(builder, byText) : undefined),
  decimal(leaf, builder, byText) {
    const { meaning } = leaf;
    if (builder.buffer === "floats")
      return meaning.kind === "decimal" ? new NearStore(leaf, builder, byText) : undefined;
    const fits = meaning.kind === "decimal" ? meaning.scale === builder.scale : serviceType(leaf) === builder.type;
    return fits ? new WordStore(builder, byText, limitsOf(builder.precision)) : undefined;
  },
  integer: (leaf, builder, byText) => (serviceType(leaf) === "Integer" ? new WordStore(builder, byText) : undefined),
  double: (leaf, builder) => (serviceType(leaf) === "double" ? new DoubleStore(builder) : undefined),
  boolean: (leaf, builder) => (serviceType(leaf) === "Boolean" ? new BooleanStore(builder) : undefined),
  unknown: text,
};

/**
 * How values of a leaf are stored: as they are where leaf and column are of one kind, else by their text, as cells of
 * CSV are. What does not fit goes by its text too, so that one place decides what happens to it.
 *
 * @param grow takes the bytes of texts that repeat
 */
export function storeOf(leaf: Leaf, builder: ColumnBuilder, policy: CellPolicy, grow?: Grow): Store {
  const byText = new TextStore(leaf, builder, policy);
  return DIRECT[builder.kind](leaf, builder, byText, grow) ?? byText;
}
