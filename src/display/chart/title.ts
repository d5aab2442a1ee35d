import type { FrameSource } from "../../spec/frame-source.js";
import { filterText } from "../base/source-parts.js";
import type { PlotOptions } from "./options.js";

/** What the options of a query mean for its values (spec 4.2). */
const TRANSFORMS: Readonly<Record<string, string>> = {
  diff: "change from the row before",
  rdiff: "relative change from the row before",
  rdiff_from: "relative change until the newest row",
  cumul: "running sum",
  normalize: "first row as 100",
};

const COLLAPSES: Readonly<Record<string, string>> = {
  daily: "daily",
  weekly: "last value of each week",
  monthly: "last value of each month",
  quarterly: "last value of each quarter",
  annual: "last value of each year",
};

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
  const words = [wordOf(COLLAPSES, source?.collapse), wordOf(TRANSFORMS, source?.transform)].filter(
    (w) => w !== undefined,
  );
  if (words.length > 0) subtitle.push(words.join(" · "));
  if (source?.filters !== undefined && source.filters.length > 0)
    subtitle.push(source.filters.map(filterText).join(" · "));
  if (options.title !== undefined) return { title: options.title, subtitle };
  const place = source === undefined ? undefined : (source.name ?? source.code);
  return { title: place === undefined ? drawn : `${place}: ${drawn}`, subtitle };
}

const wordOf = (words: Readonly<Record<string, string>>, word: string | undefined): string | undefined => {
  if (word === undefined || word === "none") return undefined;
  return Object.hasOwn(words, word) ? words[word] : word;
};
