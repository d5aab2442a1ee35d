import type { Vector } from "../../../columns/arrow/arrow.js";
import type { Scale } from "../../../columns/arrow/types.js";
import { scrub } from "../../../errors/secrets.js";
import { cutTo } from "../../base/width.js";

export interface Channel {
  readonly name: string;
  readonly vector: Vector;
  readonly scale: Scale;
  /** Dates without a time of day. */
  readonly days: boolean;
}

/** The number of bins of equal width, or the width of each. */
export type Bins = number | { readonly width: number };

/** All channels of a chart, passed or defaulted. */
export interface Choice {
  readonly x: Channel | undefined;
  readonly y: readonly Channel[];
  readonly color: Channel | undefined;
  /** The colour comes from the key instead of the caller: if there are very many series, only some are drawn. */
  readonly isKeyColor: boolean;
  readonly facet: Channel | undefined;
  /** The volume of a candle. */
  readonly volume: Channel | undefined;
  readonly log: boolean;
  /** The values of y are fractions. */
  readonly percent: boolean;
  /** The numbers of x are fractions. */
  readonly percentX: boolean;
  /** Dates are at their distance in time, instead of one beside the other. */
  readonly gaps: boolean;
  readonly bins: Bins | undefined;
  /** The value in the middle of a diverging colour scale. */
  readonly middle: number | undefined;
  /** Numbers in the cells of a grid; undefined where they fit. */
  readonly labels: boolean | undefined;
  /** The values of y are returns instead of prices. */
  readonly returns: boolean;
  /** The layer is one of several: its series have names of their own in the legend. */
  readonly isLayer: boolean;
}

export const nameOf = (channel: Channel | undefined): string => drawable(channel?.name ?? "row", 80);

/**
 * A name as the title of a tooltip line. Vega-Lite inserts these titles into an expression and escapes only the quote,
 * so that a backslash would break out of the string: backslashes and quotes are replaced by lookalikes.
 */
export const tipName = (channel: Channel | undefined): string => tipText(nameOf(channel));
export const tipText = (text: string): string =>
  text
    .replace(/\\/g, "\u29f5")
    .replace(/"/g, "\u2033")
    .replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029]/g, " ");

/**
 * A text as the chart shows it: keys removed, truncated. Vega fails on the names of Object's members unless a space
 * follows.
 */
export function drawable(text: string, limit: number): string {
  const cut = cutTo(scrub(text), limit);
  return cut in {} ? `${cut} ` : cut;
}
