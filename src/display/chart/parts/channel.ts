import type { Vector } from "../../../columns/arrow/arrow.js";
import type { Scale } from "../../../columns/arrow/types.js";

/** A column picked for a channel. */
export interface Channel {
  readonly name: string;
  readonly vector: Vector;
  readonly scale: Scale;
  /** Whole days, without a time of day. */
  readonly days: boolean;
}

/** Every channel of a chart, chosen or defaulted. */
export interface Choice {
  readonly x: Channel | undefined;
  readonly y: readonly Channel[];
  readonly color: Channel | undefined;
  /** The colour is the key's, not named by the caller: of very many series some are drawn. */
  readonly isKeyColor: boolean;
  readonly facet: Channel | undefined;
  readonly log: boolean;
}
