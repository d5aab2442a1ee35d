import { createRequire } from "node:module";
import { afterEach, expect, it, vi } from "vitest";

const { cache } = createRequire(import.meta.url);
const Module = createRequire(import.meta.url)("node:module") as {
  _resolveFilename: (name: string, ...rest: unknown[]) => string;
};
const resolve = Module._resolveFilename;

afterEach(() => {
  Module._resolveFilename = resolve;
  vi.resetModules();
});

/** A chart's bundle on a machine that lacks some packages. */
async function bundleWithout(...lacking: readonly string[]) {
  Module._resolveFilename = (name, ...rest) => {
    if (lacking.some((lack) => name === lack || name.startsWith(`${lack}/`))) {
      throw Object.assign(new Error(`Cannot find module '${name}'`), { code: "MODULE_NOT_FOUND" });
    }
    return resolve.call(Module, name, ...rest);
  };
  // What was loaded once is found without being looked for again.
  for (const path of Object.keys(cache)) {
    if (lacking.some((lack) => path.includes(`/node_modules/${lack}/`))) delete cache[path];
  }
  vi.resetModules();
  const { Frame } = await import("../../src/frame/frame.js");
  const { bundleOf } = await import("../../src/display/table/foreign.js");
  const chart = Frame.fromRows([
    { x: 1, y: 2 },
    { x: 2, y: 3 },
  ]).plot({ x: "x", y: "y", mark: "line" });
  return { chart, bundle: bundleOf(chart) as Record<string, string> };
}

it("shows the specification and SVG without the rasteriser", async () => {
  const { chart, bundle } = await bundleWithout("@resvg/resvg-js");
  expect(Object.keys(bundle)).toEqual(["application/vnd.vegalite.v5+json", "image/svg+xml", "text/plain"]);
  expect(bundle["image/svg+xml"]).toContain('fill="white"');
  expect(() => chart.toPNG()).toThrow(
    expect.objectContaining({ code: "MissingPackage", hint: "npm install @resvg/resvg-js" }),
  );
});

it("shows the specification without vega, and says how to install it", async () => {
  const { chart, bundle } = await bundleWithout("vega", "vega-lite");
  expect(Object.keys(bundle)).toEqual(["application/vnd.vegalite.v5+json", "text/plain"]);
  expect(() => chart.toSVG()).toThrow(expect.objectContaining({ code: "MissingPackage" }));
});

it("draws text without the font package", async () => {
  const { chart } = await bundleWithout("dejavu-fonts-ttf");
  expect(chart.toPNG().length).toBeGreaterThan(3_000);
});
