import type { Table } from "../../../columns/arrow/arrow.js";
import type { Scale } from "../../../columns/arrow/types.js";
import type { Unit } from "../parts/axes.js";
import type { Channel, Choice } from "../parts/channel.js";
import type { ChartValues } from "../parts/data.js";

/** The size of the drawing, of a facet if there are several. */
export interface UnitContext {
  readonly width: number;
  readonly height: number;
}

export interface MarkType {
  /** The scales of the default x: the first column of the first of these that exists. */
  readonly xScales: readonly Scale[];
  /** The default y columns. `taken` holds the names of columns with another use. */
  readonly defaultY: (
    channels: readonly Channel[],
    x: Channel | undefined,
    taken: ReadonlySet<string | undefined>,
  ) => readonly Channel[];
  readonly needsY: boolean;
  /** Throws InputError `BadArgument` if the mark cannot draw these y columns. */
  readonly checkY?: (y: readonly Channel[]) => void;
  /** Whether the series are coloured by the key of the table by default. */
  readonly byKey: boolean;
  /** Whether the mark can be one of several layers. */
  readonly isLayer: boolean;
  readonly values: (table: Table, choice: Choice) => ChartValues;
  readonly unit: (choice: Choice, values: ChartValues, context: UnitContext) => Unit;
  /** What the mark draws behind, with a y axis of its own at the right. */
  readonly rightUnit?: (choice: Choice, values: ChartValues, context: UnitContext) => Unit | undefined;
  /** The size of a chart that depends on its values. */
  readonly size?: (values: ChartValues) => Partial<UnitContext>;
  readonly title: (choice: Choice) => string;
}

export const TIME_FIRST: readonly Scale[] = ["time", "text", "number"];

/** The number columns without another use. */
export const freeNumbers: MarkType["defaultY"] = (channels, x, taken) =>
  channels.filter((c) => c.scale === "number" && c !== x && !taken.has(c.name));

/** The first of them. */
export const firstNumber: MarkType["defaultY"] = (...choice) => freeNumbers(...choice).slice(0, 1);
