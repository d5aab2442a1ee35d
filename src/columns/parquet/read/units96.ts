import type { RandomAccess } from "../../../format/random-access.js";
import { PageReader } from "./decode/pages.js";
import { BeyondUnit } from "./format/fault.js";
import { checkGrowth, type GrowthLimit } from "./format/growth.js";
import type { Footer, Leaf, SchemaNode } from "./format/types.js";
import { GroupBytes } from "./group-bytes.js";

/**
 * The footer with the unit of timestamps of 96 bits: nanoseconds as they are stored, or microseconds where a column has
 * dates that nanoseconds in 64 bits do not hold, such as 9999-12-31.
 *
 * @param isRead whether a column is read, by its name
 */
export async function withUnits96(
  file: RandomAccess,
  footer: Footer,
  isRead: (name: string) => boolean,
  limit: GrowthLimit,
): Promise<Footer> {
  const read = footer.leaves.filter(({ type, path }) => type === "INT96" && isRead(path[0]));
  checkGrowth(footer, read, [...footer.groups.keys()], limit);
  const wide = new Set<Leaf>();
  for (const leaf of read) if (!(await fitsNanos(file, footer, leaf))) wide.add(leaf);
  if (wide.size === 0) return footer;
  const leafOf = (leaf: Leaf): Leaf =>
    wide.has(leaf) ? { ...leaf, meaning: { kind: "timestamp", unit: "MICROS", utc: true } } : leaf;
  const nodeOf = (node: SchemaNode): SchemaNode => ({
    ...node,
    children: node.children.map(nodeOf),
    ...(node.leaf && { leaf: leafOf(node.leaf) }),
  });
  return { ...footer, columns: footer.columns.map(nodeOf), leaves: footer.leaves.map(leafOf) };
}

/** Whether all values of a column are within the range of nanoseconds. */
async function fitsNanos(file: RandomAccess, { groups }: Footer, leaf: Leaf): Promise<boolean> {
  try {
    for (const { chunks } of groups) {
      const chunk = chunks[leaf.index];
      if (chunk === undefined) continue;
      const bytes = new GroupBytes(file, [chunk]);
      const pages = new PageReader(bytes.reader(chunk), chunk, leaf, { stride: 2 });
      while ((await pages.next()) !== undefined);
      await bytes.release();
    }
  } catch (error) {
    // Other faults are met again when the column is read, which names it.
    return !(error instanceof BeyondUnit);
  }
  return true;
}
