import type { Vector } from "../../columns/arrow/arrow.js";

/** What kind of axis a column makes. */
export type Scale = "time" | "number" | "text";

/** A column picked for a channel. */
export interface Channel {
  readonly name: string;
  readonly vector: Vector;
  readonly scale: Scale;
  /** Whole days, without a time of day. */
  readonly days: boolean;
}
