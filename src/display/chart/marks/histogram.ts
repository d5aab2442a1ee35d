import { vectorToNumbers } from "../../../columns/arrow/vector-values.js";
import { grouped } from "../../base/number-text.js";
import { numberAxis, numberTip, seriesColors, type Unit } from "../parts/axes.js";
import { type Channel, type Choice, nameOf } from "../parts/channel.js";
import { type ChartValues, clean, labels, roundStep } from "../parts/data.js";
import type { MarkType } from "./mark.js";

/** The distribution of the numbers of x. */
export const histogram: MarkType = {
  xScales: ["number"],
  defaultY: () => [],
  needsY: false,
  byKey: false,
  values: (_, choice) => histogramValues(choice, choice.x as Channel),
  unit: histogramUnit,
  title: ({ x }) => `distribution of ${x?.name}`,
};

/** The bars of a histogram: about 30 bins with round bounds, for each colour and facet. */
function histogramValues({ color, facet }: Choice, x: Channel): ChartValues {
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
  const step = roundStep((high - low) / 30);
  const first = Math.floor(low / step);
  const colors = color === undefined ? undefined : labels(color);
  const facets = facet === undefined ? undefined : labels(facet);
  const bars = new Map<string, { bin: number; count: number; row: number }>();
  for (let row = 0; row < numbers.length; row++) {
    if (!Number.isFinite(numbers[row])) continue;
    const bin = Math.floor(numbers[row] / step) - first;
    const key = `${bin} ${colors?.codes[row] ?? 0} ${facets?.codes[row] ?? 0}`;
    const bar = bars.get(key);
    if (bar === undefined) bars.set(key, { bin, count: 1, row });
    else bar.count++;
  }
  const inOrder = [...bars.values()].sort((a, b) => a.bin - b.bin);
  const values = inOrder.map(({ bin, count, row }) => ({
    x: clean((first + bin) * step),
    x2: clean((first + bin + 1) * step),
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

function histogramUnit({ x, color, log }: Choice): Unit {
  return {
    mark: { type: "bar", binSpacing: 1 },
    encoding: {
      x: { field: "x", type: "quantitative", bin: { binned: true }, title: nameOf(x), axis: numberAxis(false) },
      x2: { field: "x2" },
      y: {
        field: "y",
        type: "quantitative",
        title: "rows",
        ...(log && { scale: { type: "log" }, stack: null }),
        axis: numberAxis(false),
      },
      ...(color && { color: seriesColors(nameOf(color)) }),
      tooltip: [numberTip("x", "from"), numberTip("x2", "to"), numberTip("y", "rows", ",")],
    },
  };
}
