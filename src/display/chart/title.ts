import type { FrameSource } from "../../spec/frame-source.js";
import { transformType } from "../../spec/vocabulary.js";
import { filterText } from "../base/source-parts.js";
import type { PlotOptions } from "./options.js";

/** What the collapse of a query means for its values (spec 4.2). */
const COLLAPSES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    daily: "daily",
    weekly: "last value of each week",
    monthly: "last value of each month",
    quarterly: "last value of each quarter",
    annual: "last value of each year",
  }),
);

/**
 * Title and caption: the title passed, or what is drawn and where it comes from; a collapsed or transformed query says
 * so.
 */
export function titleOf(
  drawn: string,
  options: PlotOptions,
  source: FrameSource | undefined,
): { readonly title: string; readonly subtitle: string[] } {
  const subtitle: string[] = [];
  const meanings = [
    meaningOf(source?.collapse, (collapse) => COLLAPSES.get(collapse)),
    meaningOf(source?.transform, (transform) => transformType(transform)?.meaning),
  ].filter((meaning) => meaning !== undefined);
  if (meanings.length > 0) subtitle.push(meanings.join(" · "));
  if (source?.filters !== undefined && source.filters.length > 0)
    subtitle.push(source.filters.map(filterText).join(" · "));
  if (options.title !== undefined) return { title: options.title, subtitle };
  const place = source === undefined ? undefined : (source.name ?? source.code);
  return { title: place === undefined ? drawn : `${place}: ${drawn}`, subtitle };
}

/** What an option value of a query means; a value that is not listed is shown as it is. */
const meaningOf = (value: string | undefined, meaning: (value: string) => string | undefined): string | undefined =>
  value === undefined || value === "none" ? undefined : (meaning(value) ?? value);
