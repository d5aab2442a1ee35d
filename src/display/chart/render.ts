import { missingPackage } from "../../errors/errors.js";
import { loadPackage } from "../../platform/node/packages.js";
import { wellFormedXml } from "../base/escape.js";
import type { ChartSpec } from "./options.js";

/** The part of vega 5 in use: a dataflow that runs without a page, and a synchronous SVG renderer. */
interface Vega {
  parse(spec: object): object;
  View: new (runtime: object, options: { readonly renderer: "none" }) => VegaView;
  SVGStringRenderer: new () => VegaRenderer;
}

interface VegaView {
  run(): unknown;
  finalize(): unknown;
  padding(): { readonly left: number; readonly right: number; readonly top: number; readonly bottom: number };
  scenegraph(): { readonly root: object };
  background(): string | null;
  readonly _viewWidth: number;
  readonly _viewHeight: number;
  readonly _origin: readonly [number, number];
}

interface VegaRenderer {
  initialize(el: null, width: number, height: number, origin: readonly [number, number], scale: number): VegaRenderer;
  background(color: string): VegaRenderer;
  render(root: object): VegaRenderer;
  svg(): string;
}

let vega: { readonly vega: Vega; compile(spec: object): { spec: object } } | undefined;

function loadVega(): NonNullable<typeof vega> {
  try {
    vega ??= {
      vega: loadPackage("vega") as Vega,
      compile: (loadPackage("vega-lite") as { compile(spec: object): { spec: object } }).compile,
    };
    return vega;
  } catch (cause) {
    throw missingPackage("Drawing a chart requires the packages vega and vega-lite.", "vega@5 vega-lite@5", cause);
  }
}

/**
 * Renders a Vega-Lite 5 spec as SVG on a white background.
 *
 * @throws {InputError} MissingPackage
 */
export function renderSvg(spec: ChartSpec): string {
  const { vega, compile } = loadVega();
  const quiet = { warn: ignore, info: ignore, debug: ignore, error: ignore, level: () => quiet };
  const compiled = (compile as (spec: object, options: object) => { spec: object })(drawnSpec(spec), { logger: quiet });
  const view = new vega.View(vega.parse(compiled.spec), { renderer: "none" });
  view.run();
  const { left, right, top, bottom } = view.padding();
  const width = Math.max(0, view._viewWidth + left + right);
  const height = Math.max(0, view._viewHeight + top + bottom);
  const origin = [left + view._origin[0], top + view._origin[1]] as const;
  const renderer = new vega.SVGStringRenderer().initialize(null, width, height, origin, 1).background("white");
  const svg = renderer.render(view.scenegraph().root).svg();
  view.finalize();
  return wellFormedXml(svg);
}

const ignore = (): void => {};

/**
 * Prepares the specification for drawing: copies the data objects, because Vega adds a member to each of them, and
 * removes tooltips, which an image cannot show and whose expressions take time.
 */
function drawnSpec(spec: ChartSpec): ChartSpec {
  return Object.fromEntries(
    Object.entries(spec)
      .filter(([name]) => name !== "tooltip")
      .map(([name, part]) => [name, name === "data" ? { values: copied((part as SpecData).values) } : drawnPart(part)]),
  );
}

function drawnPart(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(drawnPart);
  return typeof part === "object" && part !== null ? drawnSpec(part as ChartSpec) : part;
}

interface SpecData {
  readonly values: readonly object[];
}

const copied = (values: readonly object[]): readonly object[] => values.map((datum) => ({ ...datum }));
