import { vectorToNumbers } from "../../../columns/arrow/vector-values.js";
import type { Channel } from "../parts/channel.js";
import { freeNumbers, pointMark } from "./points.js";

/** One line per y column and colour. */
export const line = pointMark(
  { mark: { type: "line", strokeWidth: 1.5 }, fromZero: false, isStacked: false, isPath: true },
  (channels, x, taken) => {
    const numbers = freeNumbers(channels, x, taken);
    const isAlone = [...taken].every((name) => name === undefined);
    return isAlone ? alike(numbers).slice(0, MAX_LINES) : numbers.slice(0, 1);
  },
);

/** The most lines drawn by default. */
const MAX_LINES = 8;

/**
 * The columns whose numbers are of similar size to the first one's, so that no line flattens the others (such as a
 * volume beside prices).
 */
function alike(channels: readonly Channel[]): Channel[] {
  const sizes = channels.map(({ vector }) => {
    let largest = 0;
    for (const value of vectorToNumbers(vector)) if (Math.abs(value) > largest) largest = Math.abs(value);
    return largest;
  });
  return channels.filter((_, i) => sizes[i] <= 30 * sizes[0] && sizes[0] <= 30 * sizes[i]);
}
