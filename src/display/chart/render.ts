import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { missingPackage } from "../../errors/errors.js";
import { wellFormedXml } from "../base/escape.js";
import type { ChartSpec } from "./options.js";
import { type Pixels, pngOf } from "./png.js";

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

interface Resvg {
  readonly Resvg: new (svg: string, options: object) => { render(): Pixels };
}

const require = createRequire(import.meta.url);

let vega: { readonly vega: Vega; compile(spec: object): { spec: object } } | undefined;
let resvg: Resvg | undefined;

function loadVega(): NonNullable<typeof vega> {
  try {
    vega ??= { vega: require("vega"), compile: require("vega-lite").compile };
    return vega;
  } catch (cause) {
    throw missingPackage("Drawing a chart requires the packages vega and vega-lite.", "vega@5 vega-lite@5", cause);
  }
}

function loadResvg(): Resvg {
  try {
    resvg ??= require("@resvg/resvg-js") as Resvg;
    return resvg;
  } catch (cause) {
    throw missingPackage("An image of a chart requires the package @resvg/resvg-js.", "@resvg/resvg-js", cause);
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

/**
 * Renders SVG as a PNG with `scale` image pixels per SVG pixel.
 *
 * @throws {InputError} MissingPackage
 */
export function renderPng(svg: string, scale: number): Uint8Array {
  const { Resvg } = loadResvg();
  return pngOf(
    new Resvg(svg, { fitTo: { mode: "zoom", value: scale }, background: "white", font: fontsFor(svg) }).render(),
    scale,
  );
}

const SYSTEM_FONTS = "/usr/share/fonts/truetype/dejavu/";
const FONTS = ["DejaVuSans.ttf", "DejaVuSans-Bold.ttf"];
let fontFiles: readonly string[] | undefined;

/**
 * The rasteriser draws no text without a font, and servers often have none: DejaVu Sans is bundled as an optional
 * package. The system's fonts are searched only if it is missing or lacks a script of the text.
 */
function fontsFor(svg: string): object {
  fontFiles ??= findFonts();
  if (fontFiles.length === 0) return { loadSystemFonts: true };
  const covered = /^[\u0000-\u058f\u10a0-\u10ff\u1d00-\u2bff]*$/.test(svg);
  return {
    loadSystemFonts: !covered,
    fontFiles,
    defaultFontFamily: "DejaVu Sans",
    sansSerifFamily: "DejaVu Sans",
  };
}

function findFonts(): readonly string[] {
  try {
    return FONTS.map((name) => require.resolve(`dejavu-fonts-ttf/ttf/${name}`));
  } catch {
    return FONTS.map((name) => `${SYSTEM_FONTS}${name}`).filter(existsSync);
  }
}
