import { pointMark } from "./points.js";

/** One bar per row; bars of several colours are stacked. */
export const bar = pointMark({ mark: { type: "bar" }, fromZero: true, isStacked: true, isPath: false });
