import { base64Text, utf8Bytes } from "../../platform/node/bytes.js";
import { grouped } from "../base/number-text.js";
import { type ColumnSummary, MOST_DISTINCT } from "./column-summary.js";

/** A summary as it is shown: a picture of bars, lines of text below it, and all of it for a screen reader. */
export interface SummaryView {
  /** Heights from 0 to 1. */
  readonly bars: readonly number[];
  readonly lines: readonly string[];
  readonly label: string;
}

const LONGEST_TEXT = 24;

/** @param total rows of the column, of which the summary may have read a sample */
export function summaryView(name: string, summary: ColumnSummary, total: number): SummaryView {
  const { rows, nulls, range, bars, top } = summary;
  const counts = bars ?? top?.map(([, count]) => count) ?? [];
  const most = Math.max(1, ...counts);
  const isSample = rows < total;
  const [first] = top ?? [];
  const values = first === undefined ? range?.map(short).join(" … ") : `${short(first[0])} ${percent(first[1], rows)}`;
  const missing = nulls === 0 ? undefined : isSample ? `${percent(nulls, rows)} null` : `${grouped(nulls)} null`;
  const different = distinctText(summary, isSample);
  const sample = isSample ? `sample of ${grouped(rows)}` : undefined;
  const frequent = top?.slice(0, 5).map(([text, count]) => `${short(text)} ${percent(count, rows)}`);
  const isCounted = bars !== undefined || top !== undefined;
  const label = [
    range !== undefined
      ? `${short(range[0])} to ${short(range[1])}`
      : isCounted && nulls === rows
        ? "no values"
        : undefined,
    frequent && frequent.length > 0 ? `most frequent ${frequent.join(", ")}` : undefined,
    bars && `histogram of ${bars.length} bars: ${bars.map(grouped).join(" ")}`,
    missing ?? "no nulls",
    different,
    isSample ? `of a sample of ${grouped(rows)} of ${grouped(total)} rows` : undefined,
  ];
  const below = [missing, different].filter((text) => text !== undefined).join(" · ");
  return {
    bars: counts.map((count) => count / most),
    lines: [values, below, sample].filter((line): line is string => line !== undefined && line !== ""),
    label: `${name}: ${label.filter((part) => part !== undefined).join("; ")}`,
  };
}

function distinctText({ distinct, top, bars }: ColumnSummary, isSample: boolean): string | undefined {
  if (distinct !== undefined) return `${isSample ? "≥ " : ""}${grouped(distinct)} distinct`;
  return top === undefined && bars === undefined ? undefined : `> ${grouped(MOST_DISTINCT)} distinct`;
}

function percent(count: number, rows: number): string {
  const share = (100 * count) / rows;
  return share > 0 && share < 1 ? "< 1%" : share > 99 && share < 100 ? "> 99%" : `${Math.round(share)}%`;
}

const short = (text: string): string => {
  const line = text === "" ? '""' : text.replace(/\s+/g, " ");
  return line.length > LONGEST_TEXT ? `${line.slice(0, LONGEST_TEXT - 1)}…` : line;
};

const [BAR, HEIGHT] = [5, 24];

/** The bars as an image that untrusted notebooks keep; undefined without bars. */
export function summaryImage(bars: SummaryView["bars"]): string | undefined {
  if (bars.length === 0) return undefined;
  const shapes = bars.map((share, i) => {
    const height = share === 0 ? 0 : Math.max(1, share * HEIGHT);
    return `<rect x="${i * BAR}" y="${(HEIGHT - height).toFixed(1)}" width="${BAR - 1}" height="${height.toFixed(1)}"/>`;
  });
  const size = `width="${bars.length * BAR}" height="${HEIGHT}"`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" ${size} fill="#4c78a8">${shapes.join("")}</svg>`;
  return `data:image/svg+xml;base64,${base64Text(utf8Bytes(svg))}`;
}
