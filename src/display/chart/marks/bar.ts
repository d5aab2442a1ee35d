import { pointMark } from "./points.js";

/** A bar for each row, those of several colours one on the other. */
export const bar = pointMark({ mark: { type: "bar" }, fromZero: true, isStacked: true, isPath: false });
