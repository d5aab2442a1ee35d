/**
 * Colours of series that readers with any colour blindness can distinguish, and that are visible on white and on a dark
 * page: those of Okabe and Ito, without black and with a darker yellow, then some of Tol's.
 */
const SERIES = [
  ...["#2b83d6", "#e08a00", "#00a078", "#d9536a", "#a277d1", "#57b8e8"],
  ...["#a69a00", "#8a8a8a", "#c77ba8", "#6b7fd7", "#44aa99", "#b5734a"],
];

/** Colours for rising and falling that readers with red-green colour blindness can distinguish. */
export const UP = "#3390b5";
export const DOWN = "#d8663f";

/** From below the middle to above it; the middle is a light grey. */
const DIVERGING = ["#b5482a", "#e08e6d", "#f3d2c1", "#f4f4f4", "#bfdbe9", "#63a9cb", "#17678c"];

/** The order of colours beside candles, which are blue and orange. */
export const BESIDE_CANDLES = [...SERIES.slice(4), ...SERIES.slice(0, 4)];

/** The configuration of every chart. */
export const CONFIG = {
  axis: {
    labelFontSize: 11,
    titleFontSize: 12,
    gridOpacity: 0.4,
    labelLimit: 160,
    titleLimit: 400,
    labelSeparation: 6,
  },
  title: { fontSize: 14, subtitleFontSize: 11, offset: 8, limit: 640 },
  legend: { labelLimit: 160, titleLimit: 160, symbolOpacity: 1 },
  rule: { color: "#888" },
  header: { labelFontSize: 12, labelFontWeight: "bold", title: null },
  range: { category: SERIES, diverging: DIVERGING, heatmap: { scheme: "viridis" } },
  view: { stroke: null },
  // Vega builds the aria label of a mark from an expression with unescaped column names; the description overrides it.
  mark: { aria: false, color: SERIES[0] },
};
