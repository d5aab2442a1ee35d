import type { Table } from "../../columns/arrow/arrow.js";
import type { FrameSource } from "../../spec/frame-source.js";
import { transformType } from "../../spec/vocabulary.js";
import { heldFilter } from "../base/held-filter.js";
import { filterText, isSelected } from "../base/source-parts.js";
import type { PlotOptions } from "./options.js";

/** The meaning of a collapse for the values (spec 4.2). */
const COLLAPSES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    daily: "daily",
    weekly: "last value of each week",
    monthly: "last value of each month",
    quarterly: "last value of each quarter",
    annual: "last value of each year",
  }),
);

/** Title and caption: the title passed, or what is drawn and its source, including collapse and transform. */
export function titleOf(
  drawn: string,
  options: PlotOptions,
  source: FrameSource | undefined,
  table: Table,
): { readonly title: string; readonly subtitle: string[] } {
  const subtitle: string[] = [];
  const meanings = [
    meaningOf(source?.collapse, (collapse) => COLLAPSES.get(collapse)),
    meaningOf(source?.transform, (transform) => transformType(transform)?.meaning),
  ].filter((meaning) => meaning !== undefined);
  if (meanings.length > 0) subtitle.push(meanings.join(" · "));
  if (source?.filters !== undefined && source.filters.length > 0)
    subtitle.push(
      source.filters
        .map((filter) => filterText(heldFilter(filter, isSelected(source) ? table : undefined)))
        .join(" · "),
    );
  if (source?.computed) subtitle.push(`computed from ${source.code}`);
  if (options.title !== undefined) return { title: options.title, subtitle };
  const place = source === undefined || source.computed ? undefined : (source.name ?? source.code);
  return { title: place === undefined ? drawn : `${place}: ${drawn}`, subtitle };
}

/** The meaning of an option value of a query; unlisted values are shown unchanged. */
const meaningOf = (value: string | undefined, meaning: (value: string) => string | undefined): string | undefined =>
  value === undefined || value === "none" ? undefined : (meaning(value) ?? value);
