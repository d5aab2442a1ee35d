import type { Table } from "../../../columns/arrow/arrow.js";
import type { Scale } from "../../../columns/arrow/types.js";
import type { Unit } from "../parts/axes.js";
import type { Channel, Choice } from "../parts/channel.js";
import type { ChartValues } from "../parts/data.js";

/** How the space and the query of a chart bear on its unit. */
export interface UnitContext {
  /** Pixels. */
  readonly width: number;
  /** The values of y are shares. */
  readonly percent: boolean;
}

/** Everything a chart needs of one mark. */
export interface MarkType {
  /** What x shows where it is left out: the first column of the first of these scales. */
  readonly xScales: readonly Scale[];
  /** The y columns where they are left out. `taken` holds the names of columns with another use. */
  readonly defaultY: (
    channels: readonly Channel[],
    x: Channel | undefined,
    taken: ReadonlySet<string | undefined>,
  ) => readonly Channel[];
  /** Whether there is nothing to draw without a y column. */
  readonly needsY: boolean;
  /** Throws InputError `BadArgument` for y columns the mark cannot draw. */
  readonly checkY?: (y: readonly Channel[]) => void;
  /** Whether the key of the table colours the series where no colour is named. */
  readonly byKey: boolean;
  readonly values: (table: Table, choice: Choice) => ChartValues;
  /** The mark and encoding of its Vega-Lite spec. */
  readonly unit: (choice: Choice, values: ChartValues, context: UnitContext) => Unit;
  /** What is drawn, for the title. */
  readonly title: (choice: Choice) => string;
}

/** Dates first, then names, then numbers. */
export const TIME_FIRST: readonly Scale[] = ["time", "text", "number"];
