import { pointMark } from "./points.js";

/** One filled line per colour. */
export const area = pointMark({
  mark: { type: "area", opacity: 0.6, line: { strokeWidth: 1.5 } },
  fromZero: true,
  isStacked: false,
  isPath: true,
});
