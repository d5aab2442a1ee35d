import type { Table } from "../../columns/arrow/arrow.js";
import { takeRows } from "../../columns/table/take.js";
import { grouped } from "../base/number-text.js";
import { channelNamed, channelsOf } from "./choose.js";
import type { UnitContext } from "./marks/mark.js";
import type { PlotOptions } from "./options.js";
import type { Unit } from "./parts/axes.js";
import { type Choice, nameOf } from "./parts/channel.js";
import { labels, largest } from "./parts/data.js";

/** The most facets drawn. */
const MAX_FACETS = 36;
/** Facets in a row if there are few, and if there are more than four. */
const FEW_COLUMNS = 2;
const MANY_COLUMNS = 3;
/** The width of all facets of a row and of the space between two of them, in pixels. */
const ROW_WIDTH = 640;
const FACET_SPACE = 40;

/** The number of facets in a row; 0 without facets. */
export interface Facets {
  readonly columns: number;
}

/** The rows that are drawn, and how: all of them without the option. */
export function facetsOf(
  table: Table,
  options: PlotOptions,
): { readonly drawn: Table; readonly facets: Facets; readonly notes: readonly string[] } {
  if (options.facet === undefined) return { drawn: table, facets: { columns: 0 }, notes: [] };
  const channel = channelNamed(channelsOf(table), options.facet);
  const { codes, words } = labels(channel);
  const columns = options.columns ?? Math.max(1, Math.min(words.length, words.length > 4 ? MANY_COLUMNS : FEW_COLUMNS));
  if (words.length <= MAX_FACETS) return { drawn: table, facets: { columns }, notes: [] };
  const kept = largest({ codes, words }, MAX_FACETS);
  const rows: number[] = [];
  for (const [row, code] of codes.entries()) if (kept.has(code)) rows.push(row);
  const note = `${MAX_FACETS} of ${grouped(words.length)} facets (${channel.name}) drawn: those with the most rows`;
  return { drawn: takeRows(table, Uint32Array.from(rows)), facets: { columns }, notes: [note] };
}

/** The size of the drawing, of each facet if there are several; `own` is that of a mark. */
export function sizeOf({ width, height }: PlotOptions, { columns }: Facets, own: Partial<UnitContext>): UnitContext {
  if (columns === 0) return { width: width ?? own.width ?? ROW_WIDTH, height: height ?? own.height ?? 320 };
  const shared = Math.max(100, Math.floor((ROW_WIDTH - FACET_SPACE * (columns - 1)) / columns));
  const sides = { width: own.width ?? shared, height: own.height ?? (columns > 2 ? 140 : 180) };
  return { width: width ?? sides.width, height: height ?? sides.height };
}

/** Repeats a unit for each value of the facet. */
export function facetedOf({ x, facet }: Choice, unit: Unit, { columns }: Facets, { scales }: PlotOptions): Unit {
  const own = x?.scale === "time" ? { y: "independent" } : { x: "independent", y: "independent" };
  return {
    facet: { field: "facet", type: "nominal", title: nameOf(facet) },
    columns,
    spec: unit,
    ...(scales === "independent" && { resolve: { scale: own } }),
  };
}
