import { pointMark } from "./points.js";

/** One point per row. */
export const point = pointMark({
  mark: { type: "point", filled: true, size: 24, opacity: 0.6 },
  fromZero: false,
  isStacked: false,
  isPath: false,
});
