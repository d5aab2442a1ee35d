import { vectorToNumbers } from "../../../columns/arrow/vector-values.js";
import { InputError } from "../../../errors/errors.js";
import { grouped } from "../../base/number-text.js";
import { numberAxis, numberTip, seriesColors, type Unit } from "../parts/axes.js";
import { type Bins, type Channel, type Choice, nameOf, tipName } from "../parts/channel.js";
import { type ChartValues, clean, labels, roundStep } from "../parts/data.js";
import type { MarkType, UnitContext } from "./mark.js";

/** The distribution of the numbers of x. */
export const histogram: MarkType = {
  xScales: ["number"],
  defaultY: () => [],
  needsY: false,
  byKey: false,
  isLayer: false,
  values: (_, choice) => histogramValues(choice, choice.x as Channel),
  unit: histogramUnit,
  title: ({ x }) => `distribution of ${x?.name}`,
};

/** The bars of a histogram, for each colour and facet. */
function histogramValues({ color, facet, bins }: Choice, x: Channel): ChartValues {
  const numbers = vectorToNumbers(x.vector);
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  let rows = 0;
  for (const value of numbers) {
    if (!Number.isFinite(value)) continue;
    rows++;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (rows === 0) return { values: [], notes: ["no numbers"], rows };
  const { start, step, last } = binsOf(low, high, bins);
  const colors = color === undefined ? undefined : labels(color);
  const facets = facet === undefined ? undefined : labels(facet);
  const bars = new Map<string, { bin: number; count: number; row: number }>();
  for (let row = 0; row < numbers.length; row++) {
    if (!Number.isFinite(numbers[row])) continue;
    const bin = Math.min(last, Math.floor((numbers[row] - start) / step));
    const key = `${bin} ${colors?.codes[row] ?? 0} ${facets?.codes[row] ?? 0}`;
    const bar = bars.get(key);
    if (bar === undefined) bars.set(key, { bin, count: 1, row });
    else bar.count++;
  }
  const inOrder = [...bars.values()].sort((a, b) => a.bin - b.bin);
  const values = inOrder.map(({ bin, count, row }) => ({
    x: clean(start + bin * step),
    x2: clean(start + (bin + 1) * step),
    y: count,
    ...(colors && { color: colors.words[colors.codes[row]] }),
    ...(facets && { facet: facets.words[facets.codes[row]] }),
  }));
  return {
    values,
    notes: rows < numbers.length ? [`${grouped(numbers.length - rows)} rows without a number`] : [],
    rows,
  };
}

/**
 * The first bound, the width and the number of the last bin: `bins` equal parts of the range, or about 30 with round
 * bounds. The largest value belongs to the last bin.
 */
function binsOf(low: number, high: number, bins: Bins | undefined) {
  const isRange = typeof bins === "number" && high > low;
  if (isRange) return { start: low, step: (high - low) / bins, last: bins - 1 };
  const step = typeof bins === "object" ? bins.width : roundStep((high - low) / 30);
  if ((high - low) / step > MOST_BINS) {
    throw new InputError(`Bins of width ${step} would be more than ${grouped(MOST_BINS)}.`, {
      code: "BadArgument",
      hint: `The values are from ${low} to ${high}: pass a larger width.`,
    });
  }
  return { start: Math.floor(low / step) * step, step, last: Number.POSITIVE_INFINITY };
}

/** The most bins of a histogram, about as many as a wide screen has pixels. */
export const MOST_BINS = 2_000;

function histogramUnit({ x, color, log, percent }: Choice, _: ChartValues, { width }: UnitContext): Unit {
  return {
    mark: { type: "bar", binSpacing: 1 },
    encoding: {
      x: {
        field: "x",
        type: "quantitative",
        bin: { binned: true },
        title: nameOf(x),
        axis: numberAxis(percent, width),
      },
      x2: { field: "x2" },
      y: {
        field: "y",
        type: "quantitative",
        title: "rows",
        ...(log && { scale: { type: "log" }, stack: null }),
        axis: numberAxis(false),
      },
      ...(color && { color: seriesColors(nameOf(color)) }),
      tooltip: [
        ...(color ? [{ field: "color", type: "nominal", title: tipName(color) }] : []),
        numberTip("x", "from", percent ? ".4~%" : undefined),
        numberTip("x2", "to", percent ? ".4~%" : undefined),
        numberTip("y", "rows", ","),
      ],
    },
  };
}
