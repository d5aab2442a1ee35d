import type { Table } from "../../columns/arrow/arrow.js";
import type { FrameSource } from "../../spec/frame-source.js";
import { chooseColumns, type Drawing } from "./choose.js";
import type { UnitContext } from "./marks/mark.js";
import { markType } from "./marks/marks.js";
import type { LayerOptions, PlotOptions } from "./options.js";
import type { Unit } from "./parts/axes.js";
import type { ChartValues, Datum } from "./parts/data.js";

export interface Layer extends Drawing {
  readonly values: ChartValues;
  readonly isRight: boolean;
}

/** The layers of a chart; one without `layers` has one. */
export function drawLayers(table: Table, options: PlotOptions, source: FrameSource | undefined): readonly Layer[] {
  const { layers = [{}] } = options;
  const isCandles = [options, ...layers].some(({ mark }) => mark === "candlestick");
  // Every layer is over the x of the first one.
  let shared: PlotOptions = { gaps: !isCandles, ...options };
  return layers.map((layer: LayerOptions) => {
    const drawing = chooseColumns(table, { ...shared, ...layer }, source);
    shared = { ...shared, x: drawing.choice.x?.name };
    const values = markType(drawing.mark).values(table, drawing.choice);
    return { ...drawing, values, isRight: layer.axis === "right" };
  });
}

export function drawnTitle(layers: readonly Layer[]): string {
  return [...new Set(layers.map(({ mark, choice }) => markType(mark).title(choice)))].join(" and ");
}

/**
 * The data of all layers, each with the number of its layer if there are several; for an axis without gaps, x is the
 * position of the date among all dates.
 */
export function valuesOf(layers: readonly Layer[]): {
  readonly values: readonly Datum[];
  readonly dates?: readonly number[];
} {
  const all: readonly Datum[] =
    layers.length === 1
      ? layers[0].values.values
      : layers.flatMap(({ values }, layer) => values.values.map((datum) => ({ ...datum, layer })));
  const { x, gaps } = layers[0].choice;
  if (gaps || x?.scale !== "time") return { values: all };
  const dates = [...new Set(all.map((datum) => datum["x"] as number))].sort((a, b) => a - b);
  const places = new Map(dates.map((date, place) => [date, place]));
  return {
    values: all.map((datum) => ({ ...datum, x: places.get(datum["x"] as number) as number, date: datum["x"] })),
    dates,
  };
}

/** One layer as its unit; several above each other, those at the right with a scale of their own. */
export function unitOf(layers: readonly Layer[], size: UnitContext): Unit {
  const units = layers.map(({ mark, choice, values }, layer) => {
    const unit = markType(mark).unit(choice, values, size);
    return layers.length === 1 ? unit : { transform: [{ filter: { field: "layer", equal: layer } }], ...unit };
  });
  const left = units.filter((_, i) => !layers[i].isRight);
  const right = units.filter((_, i) => layers[i].isRight).map((unit) => mapY(unit, atRight));
  if (units.length === 1) return [...left, ...right][0];
  if (left.length === 0 || right.length === 0) return { layer: fromOneZero([...left, ...right]) };
  const sides = [{ layer: fromOneZero(left) }, { layer: fromOneZero(right) }];
  return { layer: layers[0].isRight ? sides.reverse() : sides, resolve: { scale: { y: "independent" } } };
}

/** The y axis at the right, without lines across those of the left axis. */
const atRight = (y: Unit): Unit => ({ ...y, axis: { ...(y["axis"] as Unit), orient: "right", grid: false } });

/** Units of one axis, which begins at zero if that of any unit does. */
function fromOneZero(units: readonly Unit[]): readonly Unit[] {
  let isZero = false;
  const scaleOf = (y: Unit) => y["scale"] as Unit | undefined;
  for (const unit of units) {
    mapY(unit, (y) => {
      isZero ||= scaleOf(y)?.["zero"] === true;
      return y;
    });
  }
  if (!isZero) return units;
  return units.map((unit) => mapY(unit, (y) => ({ ...y, scale: { ...scaleOf(y), zero: true } })));
}

/** The same unit with another y channel, in all its layers. */
function mapY(unit: Unit, change: (y: Unit) => Unit): Unit {
  const encoding = unit["encoding"] as Readonly<Record<string, Unit>> | undefined;
  const layer = unit["layer"] as readonly Unit[] | undefined;
  const y = encoding?.["y"];
  return {
    ...unit,
    ...(y && { encoding: { ...encoding, y: change(y) } }),
    ...(layer && { layer: layer.map((part) => mapY(part, change)) }),
  };
}
