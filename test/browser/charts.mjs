// What a chart does in a notebook beyond a picture: zoom, pan, selections, legends, in all facets.

/** Charts by name; the picture in the documents has the first six. */
export function charts(prices, wide) {
  const one = prices.filter(prices.column("ticker").eq("AAA")).drop("ticker");
  return {
    facets: prices.plot({ y: "close", facet: "ticker", scales: "independent" }),
    layers: one.tail(120).plot({
      layers: [
        { mark: "candlestick", volume: "volume" },
        { mark: "line", y: "close" },
      ],
    }),
    regression: wide.transform("rdiff").plot({ x: "AAA", y: "BBB", mark: "regression", percent: "both" }),
    boxes: prices.plot({ x: "ticker", y: "volume", mark: "boxplot" }),
    correlation: wide.transform("rdiff").plot({ mark: "correlation" }),
    months: one.plot({ y: "close", mark: "months" }),
    lines: prices.plot({ y: "close", color: "ticker" }),
    distribution: wide.transform("rdiff").plot({ x: "AAA", mark: "histogram", bins: 40 }),
    drawdown: one.plot({ y: "close", mark: "drawdown" }),
    tear: one.tearSheet({ y: "close" }),
  };
}

/** Checks what the mouse does to the charts of a page; `suite` records the results. */
export async function useCharts(page, suite, where) {
  const use = (name) => new ChartInUse(page, name);
  const comes = (what, read, holds) => suite.eventually(`${where}: ${what}`, read, holds);

  for (const name of ["lines", "facets", "layers", "regression"]) {
    const chart = use(name);
    const whole = await chart.axes();
    await chart.zoom();
    await comes(
      `Ctrl and the wheel zoom ${name}`,
      () => chart.axes(),
      (axes) => axes !== whole,
    );
    const zoomed = await chart.axes();
    await chart.drag();
    await comes(
      `dragging moves ${name}`,
      () => chart.axes(),
      (axes) => axes !== zoomed,
    );
    await chart.reset();
    await comes(
      `a double-click shows the whole of ${name}`,
      () => chart.axes(),
      (axes) => axes === whole,
    );
    await chart.scroll();
    await comes(
      `the wheel alone leaves ${name} as it is`,
      () => chart.axes(),
      (axes) => axes === whole,
    );
    await chart.drag("Shift");
    await comes(
      `dragging with Shift selects in ${name}`,
      () => chart.selected(),
      (boxes) => boxes > 0,
    );
    await comes(
      `a selection leaves the axes of ${name}`,
      () => chart.axes(),
      (axes) => axes === whole,
    );
  }
  const histogram = use("distribution");
  await histogram.drag();
  await comes(
    "a selection fades the other bars",
    () => histogram.opacities(),
    ({ 1: kept, 0.1: faded }) => kept > 0 && faded > 0,
  );
  const lines = use("lines");
  await lines.reset();
  const before = await lines.opacities();
  await lines.entry(0);
  await comes(
    "the legend shows one series alone",
    () => lines.opacities(),
    (now) => now[1] < before[1] && now[0.1] > 0,
  );
  const alone = await lines.opacities();
  await lines.entry(1);
  await comes(
    "the legend adds another series",
    () => lines.opacities(),
    (now) => now[1] > alone[1],
  );
  await lines.entry(0);
  await comes(
    "the legend switches the first one off",
    () => lines.opacities(),
    (now) => now[1] === alone[1],
  );
}

/** A chart and what the mouse does in it. */
class ChartInUse {
  #page;
  #root;

  constructor(page, name) {
    this.#page = page;
    this.#root = page.locator(`#${name} svg.marks`);
  }

  async #center() {
    await this.#root.scrollIntoViewIfNeeded();
    const { x, y } = await this.#root.boundingBox();
    return [x + 200, y + 150];
  }

  async zoom() {
    await this.#page.keyboard.down("Control");
    await this.scroll();
    await this.#page.keyboard.up("Control");
  }

  async scroll() {
    await this.#page.mouse.move(...(await this.#center()));
    for (let i = 0; i < 6; i++) await this.#page.mouse.wheel(0, -240);
  }

  async drag(key) {
    const [x, y] = await this.#center();
    if (key) await this.#page.keyboard.down(key);
    await this.#page.mouse.move(x + 60, y);
    await this.#page.mouse.down();
    await this.#page.mouse.move(x - 100, y + 30, { steps: 4 });
    await this.#page.mouse.up();
    if (key) await this.#page.keyboard.up(key);
  }

  async reset() {
    await this.#page.mouse.dblclick(...(await this.#center()));
  }

  entry(at) {
    return this.#root.locator(".role-legend-label text").nth(at).click();
  }

  /** The labels of all axes, in the order of the text: zooming back may draw them in another one. */
  async axes() {
    return (await this.#root.locator(".role-axis-label text").allTextContents()).sort().join(" ");
  }

  /** The number of rectangles that show a selection. */
  selected() {
    return this.#root.evaluate(
      (svg) => [...svg.querySelectorAll('[class*="brush"] path')].filter((path) => path.getBBox().width > 2).length,
    );
  }

  /** The number of shapes by opacity. */
  opacities() {
    return this.#root.evaluate((svg) => {
      const counts = {};
      for (const shape of svg.querySelectorAll(".role-mark path")) {
        const opacity = shape.getAttribute("opacity") ?? "1";
        counts[opacity] = (counts[opacity] ?? 0) + 1;
      }
      return counts;
    });
  }
}
