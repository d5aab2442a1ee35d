import type { ChartSpec } from "./options.js";

/** The text colour of the page, in SVG at any time, on a canvas at the time of drawing. */
const INK = "currentColor";
/** Visible on a light and on a dark page. */
const LINE = "#888";
const GRID = "rgba(136, 136, 136, 0.5)";

const TEXT = { labelColor: INK, titleColor: INK };

const COLORS: Readonly<Record<string, object>> = {
  title: { color: INK, subtitleColor: INK },
  axis: { ...TEXT, domainColor: LINE, tickColor: LINE, gridColor: GRID },
  header: TEXT,
  legend: TEXT,
  text: { color: INK },
  style: { "guide-label": { fill: INK }, "guide-title": { fill: INK } },
};

/**
 * A Vega-Lite specification whose text has the colour of the page around it, without a panel, so that a chart follows
 * the theme of the page that shows it. Colours that the specification sets itself are kept. vega-embed, which front
 * ends use, is asked for SVG: a canvas keeps the colour with which it was drawn.
 */
export function inPageColors(spec: ChartSpec): ChartSpec {
  const config = members(spec["config"]);
  const usermeta = members(spec["usermeta"]);
  const parts = Object.entries(COLORS).map(([part, colors]) => [part, { ...colors, ...members(config[part]) }]);
  return {
    background: "transparent",
    ...spec,
    usermeta: { ...usermeta, embedOptions: { renderer: "svg", ...members(usermeta["embedOptions"]) } },
    config: { ...config, ...Object.fromEntries(parts) },
  };
}

/** A stored specification may hold anything. */
function members(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
