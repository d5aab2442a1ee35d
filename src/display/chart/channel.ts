import type { Vector } from "../../columns/arrow/arrow.js";
import type { Scale } from "../../columns/arrow/types.js";

/** A column picked for a channel. */
export interface Channel {
  readonly name: string;
  readonly vector: Vector;
  readonly scale: Scale;
  /** Whole days, without a time of day. */
  readonly days: boolean;
}
