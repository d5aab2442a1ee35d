import type { Table } from "../../columns/arrow/arrow.js";
import { InputError } from "../../errors/errors.js";
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
  refuseTwoAtRight(options);
  return layers.map((layer: LayerOptions) => {
    const drawing = chooseColumns(table, { ...shared, ...layer }, source);
    shared = { ...shared, x: drawing.choice.x?.name };
    const values = markType(drawing.mark).values(table, drawing.choice);
    return { ...drawing, values, isRight: layer.axis === "right" };
  });
}

/** @throws {InputError} BadArgument for volumes, whose axis is at the right, with another layer there */
function refuseTwoAtRight({ volume, layers = [] }: PlotOptions): void {
  const hasVolume = volume !== undefined || layers.some((layer) => layer.volume !== undefined);
  if (!hasVolume || layers.every(({ axis }) => axis !== "right")) return;
  throw new InputError("plot() cannot draw a volume and another layer at the right.", {
    code: "BadArgument",
    hint: "Omit `volume`, or draw the layer at the left.",
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
  const left: Unit[] = [];
  const right: Unit[] = [];
  let isRightBehind = layers[0].isRight;
  for (const [layer, { mark, choice, values, isRight }] of layers.entries()) {
    const only = layers.length === 1 ? {} : { transform: [{ filter: { field: "layer", equal: layer } }] };
    const unit = { ...only, ...markType(mark).unit(choice, values, size) };
    if (isRight) right.push(mapY(unit, atRight));
    else left.push(unit);
    const behind = markType(mark).rightUnit?.(choice, values, size);
    if (behind === undefined) continue;
    right.unshift({ ...only, ...behind });
    isRightBehind = true;
  }
  if (left.length === 0 || right.length === 0) return layered([...left, ...right]);
  const sides = [layered(left), layered(right)];
  return { layer: isRightBehind ? sides.reverse() : sides, resolve: { scale: { y: "independent" } } };
}

const layered = (units: readonly Unit[]): Unit => (units.length === 1 ? units[0] : { layer: fromOneZero(units) });

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
