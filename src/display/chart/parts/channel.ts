import type { Vector } from "../../../columns/arrow/arrow.js";
import type { Scale } from "../../../columns/arrow/types.js";

/** A column selected for a channel. */
export interface Channel {
  readonly name: string;
  readonly vector: Vector;
  readonly scale: Scale;
  /** Dates without a time of day. */
  readonly days: boolean;
}

/** All channels of a chart, passed or defaulted. */
export interface Choice {
  readonly x: Channel | undefined;
  readonly y: readonly Channel[];
  readonly color: Channel | undefined;
  /** The colour comes from the key instead of the caller: if there are very many series, only some are drawn. */
  readonly isKeyColor: boolean;
  readonly facet: Channel | undefined;
  readonly log: boolean;
}
