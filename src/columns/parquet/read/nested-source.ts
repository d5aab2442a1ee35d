import type { Data } from "../../arrow/arrow.js";
import type { ReadOptions } from "../../arrow/read-options.js";
import { CellPolicy } from "../../build/bad-cells.js";
import { BatchMaker } from "../../build/batch-maker.js";
import { buildersFor } from "../../build/builder.js";
import { type Page, PageReader } from "./decode/pages.js";
import type { Values } from "./decode/values.js";
import type { PlannedGroup } from "./flat-rows.js";
import { foreignType, retyped } from "./foreign-type.js";
import { ParquetFault } from "./format/fault.js";
import type { Grow } from "./format/growth.js";
import { serviceType } from "./format/leaf-type.js";
import { leavesOf } from "./format/schema.js";
import type { Leaf, PageRange, SchemaNode } from "./format/types.js";
import type { GroupBytes } from "./group-bytes.js";
import { type LeafSlots, nestedColumn } from "./nested.js";
import { storeOf } from "./store/store-of.js";

/** The pages of a nested column's leaves in a row group. */
type LeafPages = ReadonlyMap<Leaf, readonly Page[]>;

/**
 * Reads a nested column of a row group.
 *
 * @throws {ParquetFault}, {DataError}
 */
export async function readNested(
  node: SchemaNode,
  { pages: ranges, rows }: PlannedGroup,
  bytes: GroupBytes,
  options: ReadOptions,
  grow: Grow,
): Promise<Data> {
  const pages = new Map<Leaf, readonly Page[]>();
  for (const leaf of leavesOf(node)) {
    const range = ranges.get(leaf.index) as PageRange;
    const { stride } = storeIn(leaf, options);
    const reader = new PageReader(bytes.reader(range), range, leaf, { stride, grow });
    const found: Page[] = [];
    const keep = (page: Page): void => void found.push({ ...page, values: ownValues(page.values) });
    while (await reader.next(keep));
    pages.set(leaf, found);
  }
  const column = assembled(node, pages, options, grow);
  if (column.length !== rows) throw new ParquetFault(`it has ${column.length} of ${rows} rows`);
  return column;
}

/** A nested column without rows. */
export const emptyNested = (node: SchemaNode, options: ReadOptions): Data =>
  assembled(node, new Map(leavesOf(node).map((leaf) => [leaf, []])), options);

/** Integers are valid until the next page is decoded, but for those in memory of their own. */
function ownValues(values: Values): Values {
  if (values.kind === "words") return { ...values, words: values.words.slice() };
  return values.kind === "numbered" ? { ...values, numbers: values.numbers.slice() } : values;
}

function assembled(node: SchemaNode, pages: LeafPages, options: ReadOptions, grow?: Grow): Data {
  const slots = new Map<Leaf, LeafSlots>();
  for (const [leaf, found] of pages) slots.set(leaf, slotsOf(leaf, found));
  return nestedColumn(node, {
    slots: (leaf) => slots.get(leaf) as LeafSlots,
    values: (leaf, least) => valuesOf(leaf, pages.get(leaf) ?? [], least, options, grow),
  });
}

function slotsOf({ maxDefinition }: Leaf, pages: readonly Page[]): LeafSlots {
  const length = pages.reduce((sum, { slots }) => sum + slots, 0);
  const definitions = new Int32Array(length);
  const repetitions = new Int32Array(length);
  let at = 0;
  for (const page of pages) {
    if (page.definitions === undefined) definitions.fill(maxDefinition, at, at + page.slots);
    else definitions.set(page.definitions, at);
    if (page.repetitions !== undefined) repetitions.set(page.repetitions, at);
    at += page.slots;
  }
  return { definitions, repetitions };
}

/** Text is Utf8 inside of other columns. */
const storeIn = (leaf: Leaf, options: ReadOptions) => {
  const inner: ReadOptions = { ...options, text: "utf8", schema: undefined };
  const spec = { name: leaf.path.join("."), type: serviceType(leaf) };
  const [builder] = buildersFor([spec], inner, { modes: ["utf8"], expected: 1 });
  const policy = new CellPolicy(inner);
  return { spec, inner, builder, policy, stride: storeOf(leaf, builder, policy).stride };
};

function valuesOf(
  leaf: Leaf,
  pages: readonly Page[],
  least: number,
  options: ReadOptions,
  grow: Grow | undefined,
): Data {
  const { spec, inner, builder, policy } = storeIn(leaf, options);
  const store = storeOf(leaf, builder, policy, grow);
  const counts = pages.map(({ definitions, slots }) =>
    definitions === undefined ? slots : definitions.reduce((sum, level) => sum + Number(level >= least), 0),
  );
  const total = counts.reduce((sum, count) => sum + count, 0);
  builder.reserve(total);
  let row = 0;
  for (const [p, { definitions, values }] of pages.entries()) {
    const count = counts[p];
    const valid = definitions && definedSlots(definitions, least, leaf.maxDefinition, count);
    const present = valid?.reduce((sum, bit) => sum + bit, 0) ?? count;
    if (present === 0) for (let i = 0; i < count; i++) builder.setNull(row + i);
    else store.put({ values, from: 0, count, present, valid, first: 0, row });
    row += count;
  }
  policy.report();
  const batch = new BatchMaker([spec], inner).batch({ rows: total, columns: [builder.take(total, true)] });
  const [data] = batch.data.children;
  const type = foreignType(leaf);
  return type === undefined ? data : retyped(data, type);
}

/** For each slot of level `least` or higher whether it has a value. */
function definedSlots(definitions: Int32Array, least: number, most: number, count: number): Uint8Array {
  const valid = new Uint8Array(count);
  let at = 0;
  for (const level of definitions) if (level >= least) valid[at++] = Number(level === most);
  return valid;
}
