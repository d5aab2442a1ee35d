import { type Data, type DataType, Field, List, Map_, makeData, Struct } from "../../arrow/arrow.js";
import { ParquetFault } from "./format/fault.js";
import type { Leaf, SchemaNode } from "./format/types.js";

/** The slots of a leaf in a row group: the levels of each value and null, in order. */
export interface LeafSlots {
  readonly definitions: Int32Array;
  readonly repetitions: Int32Array;
}

/** The parts of nested columns. */
export interface NestedSource {
  slots(leaf: Leaf): LeafSlots;
  /** The leaf's values at the slots whose definition level is `least` or higher, as a column. */
  values(leaf: Leaf, least: number): Data;
}

/**
 * The levels around a node: entries begin at slots that repeat no deeper, and exist where the definition level is high
 * enough.
 */
interface Level {
  readonly repeats: number;
  readonly definition: number;
}

/**
 * A nested column of a row group, put together from the levels of its leaves.
 *
 * @throws {ParquetFault} where the leaves do not fit together
 */
export function nestedColumn(node: SchemaNode, source: NestedSource): Data {
  checkSlots(node, [], source);
  return columnOf(node, { repeats: 0, definition: 0 }, source);
}

/**
 * Checks that the levels of each leaf form lists, and that the leaves of a group agree on where it begins and is null.
 *
 * @param lists definition levels of the entries of the lists around the node, outermost first
 * @returns the slots of the first leaf of the node
 */
function checkSlots(node: SchemaNode, lists: readonly number[], source: NestedSource): LeafSlots {
  const around = node.repetition === "repeated" ? [...lists, node.definition] : lists;
  if (node.leaf !== undefined) {
    const slots = source.slots(node.leaf);
    checkLists(slots, around, node);
    return slots;
  }
  const [first, ...others] = node.children.map((child) => checkSlots(child, around, source));
  if (first === undefined) throw new ParquetFault(`the group ${JSON.stringify(node.name)} has no columns`);
  for (const other of others) demand(areAlike(first, other, node), node);
  return first;
}

/** A slot that continues a list follows one with an entry of that list, and has one. */
function checkLists({ definitions, repetitions }: LeafSlots, lists: readonly number[], { name }: SchemaNode): void {
  for (let i = 0; i < repetitions.length; i++) {
    const level = repetitions[i];
    if (level === 0) continue;
    const entry = lists[level - 1];
    if (i > 0 && definitions[i - 1] >= entry && definitions[i] >= entry) continue;
    throw new ParquetFault(`value ${i} of ${JSON.stringify(name)} continues a list that has not begun`);
  }
}

/** Whether two leaves of a group have its entries at the same levels. */
function areAlike(one: LeafSlots, other: LeafSlots, { repeats, definition }: SchemaNode): boolean {
  const length = other.repetitions.length;
  let k = 0;
  for (let i = 0; i < one.repetitions.length; i++) {
    if (one.repetitions[i] > repeats) continue;
    while (k < length && other.repetitions[k] > repeats) k++;
    if (k === length || one.repetitions[i] !== other.repetitions[k]) return false;
    if (Math.min(one.definitions[i], definition) !== Math.min(other.definitions[k], definition)) return false;
    k++;
  }
  while (k < length && other.repetitions[k] > repeats) k++;
  return k === length;
}

function columnOf(node: SchemaNode, outer: Level, source: NestedSource): Data {
  // Without an annotation, a node that repeats is a list whose elements are the node.
  if (node.repetition === "repeated") return listOf(node, node, outer, source, itemField(required(node)));
  if (node.leaf !== undefined) return source.values(node.leaf, outer.definition);
  const [only] = node.children;
  if (node.group === "list" && node.children.length === 1 && only.repetition === "repeated") {
    return listOf(node, only, outer, source, itemField(elementOf(node, only)));
  }
  if (
    node.group === "map" &&
    node.children.length === 1 &&
    only.repetition === "repeated" &&
    only.children.length === 2
  ) {
    return listOf(node, only, outer, source, undefined);
  }
  // A map without values: a set of its keys.
  if (
    node.group === "map" &&
    node.children.length === 1 &&
    only.repetition === "repeated" &&
    only.children.length === 1
  )
    return listOf(node, only, outer, source, itemField(only.children[0]));
  return structOf(node, outer, source);
}

/** The node as an entry of its list. */
const required = (node: SchemaNode): SchemaNode => ({ ...node, repetition: "required" });

/** The element of a list: the only child of the group that repeats, or, as older writers have it, that group itself. */
function elementOf(list: SchemaNode, group: SchemaNode): SchemaNode {
  const isOld = group.children.length !== 1 || group.name === "array" || group.name === `${list.name}_tuple`;
  return isOld ? required(group) : group.children[0];
}

/** @param item field of the elements; undefined for a map, whose entries are pairs */
function listOf(
  node: SchemaNode,
  repeated: SchemaNode,
  outer: Level,
  source: NestedSource,
  item: ((source: NestedSource, inner: Level) => readonly [Field, Data]) | undefined,
): Data {
  const { definitions, repetitions } = source.slots(leafOf(repeated));
  const bits = new Uint8Array((definitions.length + 7) >> 3);
  const offsets = new Int32Array(definitions.length + 1);
  let length = 0;
  let count = 0;
  let nullCount = 0;
  const isNullable = node !== repeated && node.repetition === "optional";
  for (let i = 0; i < definitions.length; i++) {
    const definition = definitions[i];
    if (repetitions[i] <= outer.repeats && definition >= outer.definition) {
      offsets[length] = count;
      if (isNullable && definition < node.definition) nullCount++;
      else bits[length >> 3] |= 1 << (length & 7);
      length++;
    }
    if (repetitions[i] <= repeated.repeats && definition >= repeated.definition) count++;
  }
  offsets[length] = count;
  const inner: Level = { repeats: repeated.repeats, definition: repeated.definition };
  const common = {
    length,
    nullCount,
    nullBitmap: nullCount > 0 ? bits : undefined,
    valueOffsets: offsets.slice(0, length + 1),
  };
  if (item === undefined) {
    const entries = entriesOf(repeated, inner, source);
    demand(entries.length === count, node);
    const type = new Map_(new Field("entries", entries.type as Struct<{ key: DataType; value: DataType }>, false));
    return makeData({ ...common, type, child: entries } as never);
  }
  const [field, child] = item(source, inner);
  demand(child.length === count, node);
  return makeData({ ...common, type: new List(field), child });
}

const itemField =
  (element: SchemaNode) =>
  (source: NestedSource, inner: Level): readonly [Field, Data] => {
    const child = columnOf(element, inner, source);
    return [new Field("item", child.type as DataType, element.repetition !== "required"), child];
  };

/** Pairs of a map: their names are Arrow's. */
function entriesOf(group: SchemaNode, inner: Level, source: NestedSource): Data {
  const [key, value] = group.children.map((child) => columnOf(child, inner, source));
  demand(key.length === value.length, group);
  const fields = [new Field("key", key.type as DataType, false), new Field("value", value.type as DataType, true)];
  return makeData({ type: new Struct(fields), length: key.length, nullCount: 0, children: [key, value] });
}

function structOf(node: SchemaNode, outer: Level, source: NestedSource): Data {
  const { definitions, repetitions } = source.slots(leafOf(node));
  const bits = new Uint8Array((definitions.length + 7) >> 3);
  let length = 0;
  let nullCount = 0;
  for (let i = 0; i < definitions.length; i++) {
    if (repetitions[i] > outer.repeats || definitions[i] < outer.definition) continue;
    if (node.repetition === "optional" && definitions[i] < node.definition) nullCount++;
    else bits[length >> 3] |= 1 << (length & 7);
    length++;
  }
  const children = node.children.map((child) => columnOf(child, outer, source));
  for (const child of children) demand(child.length === length, node);
  const fields = node.children.map(
    ({ name, repetition }, i) => new Field(name, children[i].type as DataType, repetition !== "required"),
  );
  return makeData({
    type: new Struct(fields),
    length,
    nullCount,
    nullBitmap: nullCount > 0 ? bits : undefined,
    children,
  });
}

function demand(fits: boolean, { name }: SchemaNode): void {
  if (!fits) throw new ParquetFault(`the parts of the nested column ${JSON.stringify(name)} do not fit together`);
}

/** The first leaf of a node: its levels are those of the node. */
function leafOf(node: SchemaNode): Leaf {
  let at = node;
  while (at.leaf === undefined) {
    if (at.children.length === 0) throw new ParquetFault(`the group ${JSON.stringify(node.name)} has no columns`);
    at = at.children[0];
  }
  return at.leaf;
}
