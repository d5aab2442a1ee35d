import type { Table, Vector } from "../../columns/arrow/arrow.js";
import { vectorToNumbers } from "../../columns/arrow/vector-values.js";
import { InputError } from "../../errors/errors.js";
import { shown } from "../../errors/shown.js";
import { base64Text, utf8Bytes } from "../../platform/node/bytes.js";

const BLOCKS = "▁▂▃▄▅▆▇█";

/**
 * Renders numbers as a line of at most `width` small bars, each the mean of an equal share of the values; a share
 * without numbers is a space.
 *
 * @example
 * ```ts
 * import { sparkline } from "arrowbook";
 * sparkline([1, 5, 2, 8]); // "▁▂▅█"
 * ```
 */
export function sparkline(values: Iterable<number | null>, width = 24): string {
  if (
    typeof values === "string" ||
    typeof (values as Partial<Iterable<unknown>> | null | undefined)?.[Symbol.iterator] !== "function"
  ) {
    throw new InputError(`sparkline() expects an array of numbers; got ${shown(values)}.`, {
      code: "BadArgument",
      hint: "Pass an array of numbers.",
    });
  }
  if (!Number.isInteger(width) || width < 1) {
    throw new InputError(`The width of a sparkline must be a whole number of 1 or more; got ${shown(width)}.`, {
      code: "BadArgument",
      hint: "Pass the number of characters.",
    });
  }
  const means = meansOf([...values], width);
  const [low, high] = rangeOf(means);
  const step = (high - low) / (BLOCKS.length - 1);
  return means
    .map((mean) => (Number.isNaN(mean) ? " " : BLOCKS[step > 0 ? Math.round((mean - low) / step) : 3]))
    .join("");
}

/** A column as a small image that untrusted notebooks keep; its alternative text is the {@link sparkline}. */
export function sparklineImage(table: Table, column: string): string {
  const index = table.schema.fields.findIndex((field) => field.name === column);
  const vector = table.getChildAt(index) as Vector;
  const means = meansOf(vectorToNumbers(vector), 96);
  const [low, high] = rangeOf(means);
  const points = means.flatMap((mean, i) =>
    Number.isNaN(mean) ? [] : [`${i},${high > low ? (22 - (20 * (mean - low)) / (high - low)).toFixed(1) : 12}`],
  );
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" width="96" height="24" viewBox="0 0 96 24">' +
    `<polyline points="${points.join(" ")}" fill="none" stroke="#4c78a8" stroke-width="1.5"/></svg>`;
  const source = `data:image/svg+xml;base64,${base64Text(utf8Bytes(svg))}`;
  return `<img src="${source}" width="96" height="24" alt="${sparkline(means)}">`;
}

function meansOf(values: ArrayLike<number | null>, width: number): number[] {
  const shares = Math.min(width, values.length);
  return Array.from({ length: shares }, (_, share) => {
    const from = Math.floor((share * values.length) / shares);
    const end = Math.floor(((share + 1) * values.length) / shares);
    let sum = 0;
    let count = 0;
    for (let i = from; i < end; i++) {
      const value = values[i];
      if (value === null || !Number.isFinite(value)) continue;
      sum += value;
      count++;
    }
    return count === 0 ? Number.NaN : sum / count;
  });
}

function rangeOf(values: readonly number[]): [number, number] {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high];
}
