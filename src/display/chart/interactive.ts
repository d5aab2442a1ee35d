import type { ChartSpec } from "./options.js";

type Part = Readonly<Record<string, unknown>>;

/** Dragging without Shift moves an axis, with Shift it selects; the wheel zooms with Ctrl or ⌘, else it scrolls. */
const DRAG = "[pointerdown[!event.shiftKey], window:pointerup] > window:pointermove!";
const SHIFT_DRAG = "[pointerdown[event.shiftKey], window:pointerup] > window:pointermove!";
const WHEEL = "wheel![event.ctrlKey || event.metaKey]";

/** The opacity of what is not selected. */
const FADED = 0.1;
/** Marks that draw one shape of many rows, of which a part cannot have another opacity. */
const PATHS = new Set(["line", "area"]);

/**
 * The specification with what front ends can do beyond a picture: zoom and pan along x (for points also y), a selection
 * by dragging that fades everything outside of it, and a legend whose entries switch series on and off. Double-clicks
 * reset them.
 */
export function interactive(spec: ChartSpec): ChartSpec {
  return selectable(spec, "");
}

/** `suffix` makes the names of the selections of each view of a page its own. */
function selectable(spec: ChartSpec, suffix: string): ChartSpec {
  if (spec["spec"] !== undefined) {
    const { scale = {} } = (spec["resolve"] ?? {}) as { readonly scale?: Part };
    return { ...spec, spec: withSelections(spec["spec"] as Part, suffix, Object.keys(scale)) };
  }
  const side = ["vconcat", "hconcat"].find((name) => name in spec);
  if (side === undefined) return withSelections(spec, suffix);
  const views = spec[side] as readonly ChartSpec[];
  return { ...spec, [side]: views.map((view, i) => selectable(view, `${suffix}_${i}`)) };
}

/** What can be selected in one view, and the names of its selections. */
interface Selections {
  /** The axes of the selection by dragging. */
  readonly axes: readonly string[];
  /** The axes that zoom; none where dragging alone selects. */
  readonly zoomed: readonly string[];
  readonly hasLegend: boolean;
  readonly names: { readonly zoom: string; readonly brush: string; readonly series: string };
}

/** `own` are the axes of which each facet has its own: they are not zoomed, because a zoom is of all facets. */
function withSelections(view: Part, suffix: string, own: readonly string[] = []): Part {
  const units = unitsOf(view);
  const x = units.map(({ encoding }) => encoding["x"] as Part | undefined).find((channel) => channel !== undefined);
  if (x === undefined) return view;
  const canZoom = (x["type"] === "temporal" || x["type"] === "quantitative") && x["bin"] === undefined;
  const isScatter = units.every(({ type }) => type === "point");
  const isGrid = units.some(({ type }) => type === "rect");
  const selections: Selections = {
    axes: isGrid ? ["x", "y"] : ["x"],
    zoomed: canZoom ? (isScatter ? ["x", "y"] : ["x"]).filter((axis) => !own.includes(axis)) : [],
    hasLegend: units.some(({ encoding }) => isSeries(encoding)),
    names: { zoom: `zoom${suffix}`, brush: `brush${suffix}`, series: `series${suffix}` },
  };
  const pending = new Set(["axes", ...(selections.hasLegend ? ["legend"] : [])]);
  return selecting(view, {}, selections, pending);
}

interface InnerUnit {
  readonly type: string;
  readonly encoding: Part;
}

/** The units of a view, with the channels that they inherit. */
function unitsOf(view: Part, inherited: Part = {}): readonly InnerUnit[] {
  const encoding = { ...inherited, ...(view["encoding"] as Part | undefined) };
  const layers = view["layer"] as readonly Part[] | undefined;
  if (layers !== undefined) return layers.flatMap((layer) => unitsOf(layer, encoding));
  return [{ type: typeOf(view), encoding }];
}

const typeOf = ({ mark }: Part): string => String((mark as Part | undefined)?.["type"] ?? mark);

/** Whether a legend lists the series of a unit. */
const isSeries = (encoding: Part): boolean => (encoding["color"] as Part | undefined)?.["field"] === "color";

/**
 * The view with opacities that depend on its selections. The selections themselves are defined once: `pending` holds
 * those that no unit has defined yet.
 */
function selecting(view: Part, inherited: Part, selections: Selections, pending: Set<string>): Part {
  const encoding = { ...inherited, ...(view["encoding"] as Part | undefined) };
  const layers = view["layer"] as readonly Part[] | undefined;
  if (layers !== undefined) {
    return { ...view, layer: layers.map((layer) => selecting(layer, encoding, selections, pending)) };
  }
  if ((view["mark"] as Part)["opacity"] === 0) return view;
  const params = paramsOf(encoding, selections, pending);
  const type = typeOf(view);
  const { brush, series } = selections.names;
  const tests = [
    ...(isSeries(encoding) ? [{ param: series }] : []),
    ...(PATHS.has(type) || type === "text" ? [] : [{ param: brush }]),
  ];
  const opacity =
    tests.length === 0 ? {} : { opacity: { condition: { test: { and: tests }, value: 1 }, value: FADED } };
  const defined = params.length > 0 ? { params } : {};
  const own = { ...(view["encoding"] as Part | undefined), ...opacity };
  if (!PATHS.has(type)) return { ...view, ...defined, encoding: own };
  // A faint path of all rows, and over it the path of those that are selected.
  const { mark, encoding: _, transform = [], ...outer } = view as { transform?: readonly object[] } & Part;
  const chosen = { transform: [...transform, { filter: { param: brush } }], mark, encoding: own };
  return { ...outer, layer: [{ transform, ...defined, ...faint(mark as Part, own) }, chosen] };
}

/** A path of which little is seen, and even less where the legend switches it off. */
function faint(mark: Part, encoding: Part): Part {
  const opacity = encoding["opacity"] as { readonly condition: object } | undefined;
  if (opacity === undefined) return { mark: { ...mark, opacity: 0.25 }, encoding };
  const lower = { condition: { ...opacity.condition, value: 0.25 }, value: FADED };
  return { mark, encoding: { ...encoding, opacity: lower } };
}

function paramsOf(encoding: Part, { axes, zoomed, names }: Selections, pending: Set<string>): readonly object[] {
  const params: object[] = [];
  if (encoding["x"] !== undefined && pending.delete("axes")) {
    const canZoom = zoomed.length > 0;
    if (canZoom) {
      const select = { type: "interval", encodings: zoomed, translate: DRAG, zoom: WHEEL };
      params.push({ name: names.zoom, select, bind: "scales" });
    }
    const on = canZoom ? { on: SHIFT_DRAG, translate: SHIFT_DRAG } : {};
    const encodings = canZoom && zoomed.length > 1 ? zoomed : axes;
    params.push({ name: names.brush, select: { type: "interval", encodings, ...on, zoom: false } });
  }
  if (isSeries(encoding) && pending.delete("legend")) {
    params.push({ name: names.series, select: { type: "point", fields: ["color"], toggle: "true" }, bind: "legend" });
  }
  return params;
}
