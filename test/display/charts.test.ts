import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { JUPYTER_DISPLAY } from "../../src/display/base/show.js";
import { sparkline } from "../../src/display/base/sparkline.js";
import type { Chart } from "../../src/display/chart/chart.js";
import { interactive } from "../../src/display/chart/interactive.js";
import { lttb } from "../../src/display/chart/marks/points.js";
import { inPageColors } from "../../src/display/chart/page-colors.js";
import { InputError } from "../../src/errors/errors.js";
import { Frame } from "../../src/frame/frame.js";
import { columnSpecs } from "../support/column-specs.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const days = (count: number, from = Date.UTC(2010, 0, 1)) =>
  Array.from({ length: count }, (_, i) => new Date(from + i * 86_400_000));

/** Seeded daily prices with a few nulls. */
function prices(count: number) {
  let seed = 42;
  let price = 100;
  const random = (): number => {
    seed = (seed * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return seed / 4_294_967_296;
  };
  const rows = days(count).map((date, i) => {
    const open = price;
    price = Math.max(1, price * (1 + (random() - 0.5) * 0.04));
    return {
      date,
      open,
      high: Math.max(open, price) * 1.01,
      low: Math.min(open, price) * 0.99,
      close: i % 97 === 5 ? null : price,
      volume: Math.round(random() * 1e7),
      ticker: i % 2 === 0 ? "AAA" : "BBB",
    };
  });
  return Frame.fromRows(
    rows,
    [
      { name: "date", type: "Date" },
      ...["open", "high", "low", "close"].map((name) => ({ name, type: "double" })),
      { name: "volume", type: "BigDecimal(20,0)" },
      { name: "ticker", type: "String" },
    ],
    { code: "MARKET/AAA" },
  );
}

interface Spec {
  readonly $schema: string;
  readonly title: { readonly text: string; readonly subtitle?: readonly string[] };
  readonly data: { readonly values: readonly Readonly<Record<string, unknown>>[] };
  readonly mark: { readonly type: string };
  readonly encoding: Readonly<
    Record<string, { readonly type?: string; readonly title?: string; readonly scale?: object; readonly axis?: object }>
  >;
  readonly layer?: readonly object[];
  readonly facet?: object;
}

const TEXT = { labelColor: "currentColor", titleColor: "currentColor" };

const specOf = (chart: Chart): Spec => chart.spec as unknown as Spec;
const small = prices(120);

describe("what is drawn", () => {
  it("is every line of one size over the first date by default, in UTC", () => {
    const { $schema, encoding, data, mark, title } = specOf(small.plot());
    expect($schema).toBe("https://vega.github.io/schema/vega-lite/v5.json");
    expect(mark.type).toBe("line");
    expect(encoding["x"]).toMatchObject({ type: "temporal", title: "date", scale: { type: "utc" } });
    expect(new Set(data.values.map((datum) => datum["color"]))).toEqual(new Set(["open", "high", "low", "close"]));
    expect(data.values.length).toBe(480);
    expect(data.values.find((datum) => datum["y"] === null)).toBeDefined();
    expect(title.text).toBe("MARKET/AAA: open, high, low, close");
  });

  it("follows x, y, color, mark, facet, log, title and size", () => {
    const { encoding, data, title } = specOf(
      small.plot({
        x: "date",
        y: "close",
        color: "ticker",
        mark: "point",
        log: true,
        title: "Mine",
        width: 300,
        height: 100,
      }),
    );
    expect(title.text).toBe("Mine");
    expect(encoding["y"]?.scale).toMatchObject({ type: "log" });
    expect(new Set(data.values.map((datum) => datum["color"]))).toEqual(new Set(["AAA", "BBB"]));
    expect(specOf(small.plot({ y: "close", facet: "ticker", mark: "area" })).facet).toBeDefined();
    expect(specOf(small.plot({ x: "ticker", y: "close", mark: "bar" })).encoding["x"]?.type).toBe("nominal");
  });

  it("draws candles with their own colours and merges them where there are too many", () => {
    expect(specOf(small.plot({ mark: "candlestick" })).layer?.length).toBe(2);
    const many = specOf(prices(2_000).plot({ mark: "candlestick" }));
    expect(many.data.values.length).toBeLessThanOrEqual(400);
    expect(many.title.subtitle).toEqual([expect.stringMatching(/^each candle merges 5 of [\d,]+ rows$/)]);
    const [first] = many.data.values as { open: number; high: number; low: number; close: number; up: boolean }[];
    const rows = [...prices(2_000).head(5).rows()].map((row) => row as Record<string, number>);
    expect(first).toMatchObject({
      open: rows[0]["open"],
      high: Math.max(...rows.map((row) => row["high"])),
      low: Math.min(...rows.map((row) => row["low"])),
      close: rows[4]["close"],
    });
  });

  it("lists the bins of a histogram in order", () => {
    const chart = Frame.fromRows([30, 10, 20, 10, 0].map((n) => ({ n }))).plot({ x: "n", mark: "histogram" });
    const bins = specOf(chart).data.values.map(({ x }) => Number(x));
    expect(bins).toEqual([...bins].sort((a, b) => a - b));
  });

  it("counts every row of a histogram in round steps", () => {
    const { data } = specOf(prices(3_000).plot({ x: "volume", mark: "histogram" }));
    const bars = data.values as { x: number; x2: number; y: number }[];
    expect(bars.reduce((sum, { y }) => sum + y, 0)).toBe(3_000);
    for (const { x, x2 } of bars) expect(x2 - x).toBe(500_000);
  });

  it("averages the cells of a heat map, long axes in months", () => {
    const { data, title } = specOf(small.plot({ x: "date", y: "ticker", color: "close", mark: "heatmap" }));
    expect(data.values.length).toBe(8);
    expect(title.subtitle).toEqual(["date by month"]);
    const january = [...small.rows()].filter(
      (row) => row["ticker"] === "AAA" && String(row["date"]).startsWith("2010-01"),
    );
    const closes = january.map((row) => row["close"]).filter((close) => close !== null) as number[];
    const cell = data.values.find((datum) => datum["x"] === "2010-01" && datum["y"] === "AAA");
    expect(cell?.["heat"]).toBeCloseTo(closes.reduce((a, b) => a + b, 0) / closes.length, 10);
  });

  it("thins a line above 5,000 points and says so", () => {
    const long = specOf(prices(6_000).plot({ y: "close" }));
    expect(long.data.values.length).toBe(1_200);
    expect(long.title.subtitle).toEqual([expect.stringMatching(/^1,200 of 6,000 points drawn, preserving the shape$/)]);
    expect(specOf(prices(5_000).plot({ y: "close" })).data.values.length).toBe(5_000);
    const closes = prices(6_000)
      .column("close")
      .toNumbers()
      .filter((value) => !Number.isNaN(value));
    const drawn = long.data.values.map((datum) => datum["y"] as number);
    expect(Math.max(...drawn)).toBe(Math.max(...closes));
    expect(Math.min(...drawn)).toBe(Math.min(...closes));
  });

  it("sorts by x and leaves out what a logarithm cannot show", () => {
    const rows = [3, 1, 2].map((d, i) => ({ date: `2024-01-0${d}`, v: [1, 0, -1][i] }));
    const frame = Frame.fromRows(rows, columnSpecs({ date: "Date", v: "double" }));
    expect(specOf(frame.plot()).data.values.map((datum) => datum["y"])).toEqual([0, -1, 1]);
    const { data, title } = specOf(frame.plot({ log: true }));
    expect(data.values.length).toBe(1);
    expect(title.subtitle).toEqual(["2 values of 0 or less omitted"]);
  });

  it("titles a collapsed or transformed query by itself, changes in percent", () => {
    const series = Frame.from(small.select("date", "close").table, {
      code: "MARKET/AAA",
      name: "Triple A",
      collapse: "monthly",
      transform: "rdiff",
    });
    const { title, encoding } = specOf(series.plot());
    expect(title).toMatchObject({
      text: "Triple A: close",
      subtitle: ["last value of each month · relative change from the row before"],
    });
    expect(encoding["y"]?.axis).toMatchObject({ format: ".1~%" });
  });

  it("titles what the frame itself collapsed or transformed, and says nothing wrong", () => {
    const subtitle = (frame: Frame) => specOf(frame.plot()).title.subtitle;
    const series = small.select("date", "close") as unknown as Frame;
    expect(subtitle(series.collapse("monthly").transform("rdiff"))).toEqual([
      "last value of each month · relative change from the row before",
    ]);
    expect(subtitle(series.collapse("monthly", { value: "mean" }))).toBeUndefined();
    expect(subtitle(series.query({ collapse: "weekly", transform: "cumul" }))).toEqual([
      "last value of each week · running sum",
    ]);
  });

  it("refuses unknown columns, marks and options with the nearest names", () => {
    const hint = (options: object): unknown => {
      try {
        small.plot(options);
      } catch (error) {
        return (error as InputError).hint;
      }
      return undefined;
    };
    expect(hint({ y: "clsoe" })).toBe('Did you mean "close"?');
    expect(hint({ mark: "lines" })).toBe('Did you mean "line"?');
    expect(hint({ colour: "ticker" })).toBe('Did you mean "color"?');
    expect(() => Frame.fromRows([{ a: "x" }]).plot()).toThrow(expect.objectContaining({ code: "NothingToPlot" }));
    expect(() => small.select("date", "open").plot({ mark: "candlestick" })).toThrow(InputError);
    expect(() => small.plot({ x: "date", y: "open", mark: "candlestick" })).toThrow(InputError);
  });
});

describe("how it is drawn", () => {
  it("gives SVG and PNG at once, with text in both", () => {
    const chart = small.plot({ y: "close" });
    const svg = chart.toSVG();
    expect(svg.startsWith("<svg")).toBe(true);
    for (const text of ["MARKET/AAA: close", ">date<", ">close<", 'fill="white"']) expect(svg).toContain(text);
    const png = chart.toPNG();
    expect([...png.subarray(0, 4)]).toEqual([0x89, 0x50, 0x4e, 0x47]);
    // Without a font the picture of the text alone would be empty.
    const blank = small.plot({ y: "close", title: " " }).toPNG();
    expect(png.length).toBeGreaterThan(blank.length + 500);
  });

  it("shows as Vega-Lite, picture and text, never as HTML", () => {
    const bundle = (small.plot({ y: "close" }) as unknown as { [JUPYTER_DISPLAY](): Record<string, unknown> })[
      JUPYTER_DISPLAY
    ]();
    expect(Object.keys(bundle)).toEqual(["application/vnd.vegalite.v5+json", "image/png", "text/plain"]);
    expect(bundle["text/plain"]).toMatch(/^line chart · MARKET\/AAA: close · 120 rows\n[▁-█ ]+$/);
    expect(JSON.parse(JSON.stringify(bundle))).toEqual(bundle);
  });

  it("shows in the colours of the page; the specification itself, images and files are on white", () => {
    const chart = small.plot({ y: "close" });
    const bundle = (chart as unknown as { [JUPYTER_DISPLAY](): Record<string, unknown> })[JUPYTER_DISPLAY]();
    const own = chart.spec as Readonly<Record<string, Readonly<Record<string, object>>>>;
    expect(bundle["application/vnd.vegalite.v5+json"]).toEqual({
      ...(interactive(chart.spec) as typeof own),
      background: "transparent",
      usermeta: { embedOptions: { renderer: "svg" } },
      config: {
        ...own["config"],
        title: { ...own["config"]["title"], color: "currentColor", subtitleColor: "currentColor" },
        axis: {
          ...own["config"]["axis"],
          ...TEXT,
          domainColor: "#888",
          tickColor: "#888",
          gridColor: "rgba(136, 136, 136, 0.5)",
        },
        legend: { ...own["config"]["legend"], ...TEXT },
        header: { ...own["config"]["header"], ...TEXT },
        text: { color: "currentColor" },
        style: { "guide-label": { fill: "currentColor" }, "guide-title": { fill: "currentColor" } },
      },
    });
    expect(chart.toSVG()).not.toContain("currentColor");
  });

  it("keeps the colours that a specification sets itself, whatever it holds", () => {
    const own = { background: "#123", config: { title: { color: "red" }, axis: "x" }, usermeta: "text" };
    expect(inPageColors(own)).toMatchObject({
      background: "#123",
      config: { title: { color: "red", subtitleColor: "currentColor" }, axis: TEXT },
      usermeta: { embedOptions: { renderer: "svg" } },
    });
    expect(inPageColors({ usermeta: { embedOptions: { renderer: "canvas" }, a: 1 } })["usermeta"]).toEqual({
      a: 1,
      embedOptions: { renderer: "canvas" },
    });
  });

  it("draws every mark", () => {
    for (const options of [
      { mark: "line" },
      { mark: "area", y: "close" },
      { mark: "bar", y: "volume" },
      { mark: "point", y: "close" },
      { mark: "candlestick" },
      { mark: "histogram", x: "close" },
      { mark: "heatmap", y: "ticker" },
      { y: "close", facet: "ticker", color: "ticker" },
    ] as const) {
      expect(small.plot(options).toSVG().length).toBeGreaterThan(3_000);
    }
    expect(small.head(0).plot({ y: "close" }).toSVG()).toContain("<svg");
  });

  it("saves SVG, PNG and the specification", async () => {
    const folder = temporaryFolder("chart");
    const chart = small.plot({ y: "close" });
    for (const name of ["a.svg", "a.png", "a.json"])
      expect(await chart.save(join(folder, name))).toBe(join(folder, name));
    expect(JSON.parse(await readFile(join(folder, "a.json"), "utf8"))).toEqual(JSON.parse(JSON.stringify(chart.spec)));
    await expect(chart.save(join(folder, "a.gif"))).rejects.toThrow(
      expect.objectContaining({ code: "UnknownFileType" }),
    );
    expect((await readFile(await chart.save(join(folder, "new", "folder", "a.svg")), "utf8")).startsWith("<svg")).toBe(
      true,
    );
    await expect(chart.save(join(folder, "a.png", "b.svg"))).rejects.toThrow(
      expect.objectContaining({ name: "FileError", code: "FileNotFound" }),
    );
    await expect(chart.save(undefined as never)).rejects.toThrow("A chart cannot be written to undefined.");
    expect((await readdir(folder)).sort()).toEqual(["a.json", "a.png", "a.svg", "new"]);
    await rm(folder, { recursive: true });
  });
});

describe("lttb", () => {
  it("keeps ends and extremes", () => {
    const y = Array.from({ length: 1_000 }, (_, i) => (i === 500 ? 100 : Math.sin(i / 20)));
    const kept = lttb([...y.keys()], y, 50);
    expect(kept.length).toBe(50);
    expect([kept[0], kept[49]]).toEqual([0, 999]);
    expect(kept).toContain(500);
    expect(lttb([0, 1, 2], [1, Number.NaN, 2], 10)).toEqual([0, 2]);
  });
});

it("draws sparklines", () => {
  expect(sparkline([1, 5, 2, 8])).toBe("▁▅▂█");
  expect(sparkline([1, null, 1])).toBe("▄ ▄");
  expect(sparkline([])).toBe("");
  expect(sparkline(Array.from({ length: 100 }, (_, i) => i)).length).toBe(24);
});
