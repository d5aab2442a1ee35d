import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { interactive } from "../../src/display/chart/interactive.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { market, specOf } from "./chart-data.js";

const prices = market(["AAA", "BBB", "CCC"], 60);
const one = prices.filter(prices.column("ticker").eq("AAA")).drop("ticker");

interface Param {
  readonly name: string;
  readonly bind?: string;
  readonly select: {
    readonly encodings?: readonly string[];
    readonly on?: string;
    readonly fields?: readonly string[];
  };
}

/** The selections anywhere in the specification that a notebook receives, by name. */
function selectionsOf(chart: { readonly spec: object }): Readonly<Record<string, Param>> {
  const found: Record<string, Param> = {};
  const visit = (part: unknown): void => {
    if (Array.isArray(part)) for (const each of part) visit(each);
    else if (typeof part === "object" && part !== null) {
      const { params = [] } = part as { readonly params?: readonly Param[] };
      for (const param of params) {
        if (param.select === undefined) continue;
        expect(found[param.name]).toBeUndefined();
        found[param.name] = param;
      }
      Object.values(part).forEach(visit);
    }
  };
  visit(interactive(chart.spec as never));
  return found;
}

it.each([
  ["lines", { y: "close", color: "ticker" }, ["x"], ["zoom", "brush", "series"]],
  ["facets", { y: "close", facet: "ticker", scales: "independent" }, ["x"], ["zoom", "brush"]],
  ["points", { x: "volume", y: "close", mark: "point" }, ["x", "y"], ["zoom", "brush"]],
  [
    "points with axes of their own",
    { x: "volume", y: "ret", mark: "point", facet: "ticker", scales: "independent" },
    undefined,
    ["brush"],
  ],
  ["a histogram", { x: "ret", mark: "histogram", color: "ticker" }, undefined, ["brush", "series"]],
  ["a heat map", { x: "date", y: "ticker", color: "ret", mark: "heatmap" }, undefined, ["brush"]],
  [
    "candles with a line",
    { layers: [{ mark: "candlestick", volume: "volume" }, { y: "close" }] },
    ["x"],
    ["zoom", "brush", "series"],
  ],
] as const)("what can be done to %s is defined once", (_, options, zoomed, names) => {
  const chart =
    (options as object) === undefined || "layers" in options
      ? one.plot(options as never)
      : prices.plot(options as never);
  const selections = selectionsOf(chart);
  expect(Object.keys(selections).sort()).toEqual([...names].sort());
  expect(selections["zoom"]?.select.encodings).toEqual(zoomed);
  if (zoomed !== undefined) expect(selections["zoom"].bind).toBe("scales");
  // Where dragging moves the axis, selecting needs a key.
  expect(selections["brush"].select.on?.includes("shiftKey")).toBe(zoomed === undefined ? undefined : true);
  if ((names as readonly string[]).includes("series")) {
    expect(selections["series"]).toMatchObject({ bind: "legend", select: { fields: ["color"] } });
  }
  specOf(chart);
});

it("leaves the specification itself without selections", () => {
  expect(JSON.stringify(prices.plot({ y: "close" }).spec)).not.toContain('"select"');
});

it("saves a page that holds all it needs, and loads nothing", async () => {
  const folder = temporaryFolder("chart-page");
  const path = join(folder, "a.html");
  await prices.plot({ y: "close", title: "</script><script>alert(1)</script>" }).save(path);
  const html = await readFile(path, "utf8");
  const markup = html.replace(/<script[\s\S]*?<\/script>/g, "");
  expect(markup.match(/<(link|iframe|script|object|base)\b/)).toBeNull();
  expect(markup).toMatch(/<img src="data:image\/svg\+xml;base64,[A-Za-z0-9+/=]+" alt="/);
  expect(markup).toMatch(
    /http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; [^"]*script-src 'unsafe-eval'( 'sha256-[^']+'){3};/,
  );
  expect(html.match(/<script/g)?.length).toBe(4);
  expect(html).toContain("\\u003c/script");
  await rm(folder, { recursive: true });
});
