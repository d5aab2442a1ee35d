import { basename } from "node:path";
import type { Table } from "../../columns/arrow/arrow.js";
import type { FrameSource } from "../../spec/frame-source.js";

/** What a frame of the other half of the package says of where it comes from. */
export function sourceOfForeign(given: unknown): FrameSource | undefined {
  const { table, source } = given as { table?: unknown; source?: Partial<FrameSource> };
  return table !== undefined && typeof source?.code === "string" ? (source as FrameSource) : undefined;
}

/** The name of a file; nothing for bytes. */
export function sourceOfPath(source: unknown): FrameSource | undefined {
  return typeof source === "string" ? { code: basename(source) } : undefined;
}

/** The source of a table made of another one: other rows are no longer all the service has, nor cut by it. */
export function sourceOfMade(table: Table, from: { readonly table: Table; readonly source?: FrameSource }) {
  if (from.source?.complete === undefined || table.numRows === from.table.numRows) return from.source;
  const { complete, ...rest } = from.source;
  return rest;
}
