import { type AnyFile, nameOfFile } from "../../format/random-access.js";
import { basename } from "../../platform/node/files.js";
import type { FrameSource } from "../../spec/frame-source.js";

/** The source of a frame from the other module format of this package. */
export function sourceOfForeign(given: unknown): FrameSource | undefined {
  const { table, source } = given as { table?: unknown; source?: Partial<FrameSource> };
  return table !== undefined && typeof source?.code === "string" ? (source as FrameSource) : undefined;
}

/** The source of a file, by its name; undefined for bytes. */
export function sourceOfPath(source: AnyFile): FrameSource | undefined {
  return source instanceof Uint8Array ? undefined : { code: basename(nameOfFile(source, "")) };
}

/**
 * The source of rows derived from those of a frame: if their number differs, they are neither complete nor truncated by
 * the service.
 */
export function sourceOfMade(rows: Counted, from: Counted & { readonly source?: FrameSource }) {
  if (from.source?.complete === undefined || rows.numRows === from.numRows) return from.source;
  const { complete, ...rest } = from.source;
  return rest;
}

/** The source of rows that are computed from those of a frame: what described its rows does not describe them. */
export function sourceOfComputed(source: FrameSource | undefined): FrameSource | undefined {
  if (source === undefined) return undefined;
  const { code, refreshed_at, url } = source;
  return { code, ...(refreshed_at && { refreshed_at }), ...(url && { url }), computed: true };
}

interface Counted {
  readonly numRows: number;
}
