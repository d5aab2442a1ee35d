import { scrub } from "../../../errors/secrets.js";
import { cutTo } from "../../base/width.js";
import type { Channel } from "./channel.js";

export const nameOf = (channel: Channel | undefined): string => drawable(channel?.name ?? "row", 80);

/**
 * A name as the title of a line in a tooltip. Vega-Lite writes these titles into an expression and escapes only the
 * quote, so that a backslash would break out of it: backslashes and quotes are replaced by signs that look like them.
 */
export const tipName = (channel: Channel | undefined): string => tipText(nameOf(channel));
export const tipText = (text: string): string =>
  text
    .replace(/\\/g, "\u29f5")
    .replace(/"/g, "\u2033")
    .replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029]/g, " ");

/**
 * A text as the chart shows it: no key in it, not too long; Vega fails on the names of Object's own members unless a
 * space follows.
 */
export function drawable(text: string, limit: number): string {
  const cut = cutTo(scrub(text), limit);
  return cut in {} ? `${cut} ` : cut;
}
