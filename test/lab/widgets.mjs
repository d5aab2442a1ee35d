// The parts of test:lab for live views: explore() over all rows through the kernel, interact(), what is stored.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const LIVE_MS = 30_000;
let runs = 0;

/** Reads until a condition holds, at most as long as the kernel may take. */
async function until(read, holds) {
  for (const end = Date.now() + LIVE_MS; ; await sleep(50)) {
    const last = await read();
    if (holds(last)) return { last, isThere: true };
    if (Date.now() > end) return { last, isThere: false };
  }
}

/** explore() and interact(), in a new notebook. */
export async function widgets({ page, notebook, suite, picture, lab }) {
  const check = (...found) => suite.check(...found);
  const live = (cell) => cell.locator(".jp-OutputArea-output .arrowbook-live");
  const state = (view) => view.locator(".arrowbook-state");
  const field = (view, name) => view.locator(`input[aria-label="filter ${name}"]`);
  const says = (view, text) => state(view).filter({ hasText: text }).waitFor({ timeout: LIVE_MS });

  /** The texts of a column of the table that is shown. */
  const column = async (view, name) => {
    const names = await view.locator("thead tr:first-child th").allInnerTexts();
    const at = names.findIndex((text) => text.replace(/ [▲▼]$/, "") === name);
    return view.locator(`tbody td:nth-child(${at + 1})`).allInnerTexts();
  };

  async function exploreAll() {
    await notebook.run('const all = await service.table("MARKET/PRICES").export().frame();');
    const cell = await notebook.run("all.explore()");
    const view = live(cell);
    await says(view, "32,610 rows");
    check("explore: 100 rows of all", (await view.locator("tbody tr").count()) === 100);
    const types = await view.locator("thead tr:nth-child(2) th").allInnerTexts();
    check("explore: column types in the header", types.includes("BigDecimal(15,4)"), types.join());
    check(
      "explore: the static form is hidden",
      (await cell.locator("text=pip install anywidget").isVisible()) === false,
    );

    const summary = view.locator("thead .arrowbook-summary").first();
    const summarized = await until(
      () => summary.textContent(),
      (text) => text.includes("5 distinct") && !text.includes("sample"),
    );
    check("explore: a summary of each column", summarized.isThere, summarized.last);
    const label = await summary.locator("svg[role=img]").getAttribute("aria-label");
    check("explore: the picture is described", /^ticker: AAA to .*most frequent/.test(label), label);

    await field(view, "ticker").fill("=AAA");
    await says(view, "6,522 of 32,610 rows");
    const code = 'frame.filter(frame.column("ticker").eq("AAA"))';
    await view.locator(".arrowbook-code code", { hasText: code }).waitFor();
    await view.locator(".arrowbook-code button").click();
    await view.locator(".arrowbook-code [role=status]", { hasText: "copied" }).waitFor();
    await field(view, "close").fill(">120");
    const above = await until(
      () => column(view, "close"),
      (texts) => texts.length > 0 && texts.every((text) => Number(text) > 120),
    );
    check("explore: filters compare numbers", above.isThere, above.last[0]);
    // By the keyboard.
    await view.locator("thead tr:first-child th", { hasText: "close" }).press("Enter");
    await view.locator("thead tr:first-child th", { hasText: "close ▲" }).waitFor();
    const sorted = await until(
      async () => (await column(view, "close")).map(Number),
      (values) => values.every((value, i) => i === 0 || value >= values[i - 1]),
    );
    check("explore: sorts", sorted.isThere, sorted.last.slice(0, 5).join());
    await field(view, "close").fill("");
    await says(view, "6,522 of 32,610 rows");
    await view.locator('button[title="next page"]').click();
    await view.locator("text=rows 101–200").waitFor();
    await view.locator('button[title="last page"]').click();
    await view.locator("text=rows 6,501–6,522").waitFor();
    check("explore: the last page has the rest", (await view.locator("tbody tr").count()) === 22);
    await view.locator('button[title="first page"]').click();
    await view.locator("text=rows 1–100").waitFor();
    await field(view, "date").fill(">=2024-02-30");
    await view.locator(".arrowbook-fault").waitFor();
    check(
      "explore: a filter that is not a date is reported",
      await field(view, "date").evaluate((node) => node.className.includes("refused")),
    );
    await field(view, "date").fill(">=2024-01-01");
    await view.locator(".arrowbook-fault").waitFor({ state: "detached" });
    await cell.scrollIntoViewIfNeeded();
    await picture("explore");
  }

  /** The texts of the outputs of a cell, without those that are hidden. */
  const outputs = async (cell) => (await cell.locator(".jp-OutputArea").allInnerTexts()).join("\n");
  const shows = (cell, text) =>
    until(
      () => outputs(cell),
      (found) => found.includes(text),
    );

  async function controls() {
    await notebook.run('const aaa = all.filter((row) => row.ticker === "AAA").sort("date").tail(500);');
    const cell = await notebook.run(
      'interact({ span: range(5, 60), mark: ["line", "area"], title: "AAA" }, ({ span, mark, title }) =>\n' +
        '  aaa.select("date", "close").rolling(span, "mean").plot({ mark, title: title + ", mean of " + span + " days" }),\n);',
    );
    const view = live(cell);
    await view.locator("input[type=range]").waitFor();
    const chart = cell.locator(".jp-OutputArea-output canvas, .jp-OutputArea-output svg.marks").first();
    const drawing = async () =>
      (await chart.count()) === 0
        ? ""
        : chart.evaluate((node) => (node.tagName === "CANVAS" ? node.toDataURL() : node.outerHTML)).catch(() => "");
    const first = await until(drawing, (found) => found !== "");
    await view.locator("input[type=range]").fill("12");
    await view.locator("output", { hasText: "12" }).waitFor();
    const second = await until(drawing, (found) => found !== "" && found !== first.last);
    check("interact: a slider changes the chart", first.isThere && second.isThere);
    await view.locator("select").selectOption("area");
    const third = await until(drawing, (found) => found !== "" && found !== second.last);
    check("interact: a choice changes the chart", third.isThere);
    await cell.scrollIntoViewIfNeeded();
    await picture("interact");
  }

  async function calls() {
    const failing = await notebook.run(
      'interact({ n: range(0, 4), on: true }, ({ n, on }) => {\n  if (n === 4) throw new RangeError("too many");\n' +
        "  return `n is ` + n + `, ` + on;\n});",
    );
    check("interact: the first output is in the cell", (await shows(failing, "n is 2, true")).isThere);
    const slider = live(failing).locator("input[type=range]");
    await slider.fill("4");
    const failed = await shows(failing, "RangeError: too many");
    check("interact: an error is shown in place, with its line", failed.last.includes("> 2 |"), failed.last);
    await slider.fill("1");
    check("interact: and goes with the next value", (await shows(failing, "n is 1, true")).isThere);
    await live(failing).locator("input[type=checkbox]").uncheck();
    check("interact: a check box", (await shows(failing, "n is 1, false")).isThere);
    const slow = await notebook.run(
      "let count = 0;\ninteract({ n: range(0, 100) }, async ({ n }) => {\n  count++;\n" +
        "  await new Promise((done) => setTimeout(done, 200));\n  return `slow ` + n;\n});",
    );
    const dial = live(slow).locator("input[type=range]");
    for (let n = 0; n <= 40; n++) await dial.fill(String(n));
    check("interact: the newest value wins", (await shows(slow, "slow 40")).isThere);
    const counted = await notebook.run("count");
    const count = Number((await outputs(counted)).match(/\d+$/)?.[0]);
    check("interact: values that were overtaken are not computed", count > 1 && count < 40, String(count));
  }

  async function darkViews() {
    await notebook.command("apputils:change-theme", { theme: "JupyterLab Dark" });
    await page.locator('body[data-jp-theme-light="false"]').waitFor({ state: "attached" });
    const places = ["thead th", "tbody td", "thead input", "button", ".arrowbook-controls label"];
    const ratios = await until(
      () => page.evaluate(contrasts, places),
      (found) => found.length === places.length && found.every((ratio) => ratio >= 4.5),
    );
    check(
      "live views in the dark theme can be read",
      ratios.isThere,
      ratios.last.map((ratio) => ratio.toFixed(1)).join(),
    );
    await live(notebook.cells.filter({ hasText: "mean of" })).scrollIntoViewIfNeeded();
    await picture("interact-dark");
    await live(notebook.cells.filter({ hasText: "all.explore" })).scrollIntoViewIfNeeded();
    await picture("explore-dark");
    await notebook.command("apputils:change-theme", { theme: "JupyterLab Light" });
    await page.locator('body[data-jp-theme-light="true"]').waitFor({ state: "attached" });
  }

  async function stored() {
    // A part that is run again finds the files of its first run.
    const name = `widgets-${++runs}.ipynb`;
    const copy = `elsewhere-${runs}.ipynb`;
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+s");
    await page.locator('.jp-Dialog input[type="text"]').fill(name);
    await notebook.accept();
    const clean = page.locator(".lm-TabBar-tab:not(.jp-mod-dirty)", { hasText: name }).first();
    await notebook.pressUntil("Control+s", clean);
    const text = readFileSync(join(lab.work, name), "utf8");
    const exploring = JSON.parse(text).cells.find(({ source }) => String(source).includes("all.explore"));
    const size = JSON.stringify(exploring.outputs).length;
    check("stored: the static form only", !/_esm|widget-view|anywidget"/.test(text) && size < 150_000, String(size));
    writeFileSync(join(lab.work, copy), text);

    await openAgain(name);
    await says(live(notebook.cells.filter({ hasText: "all.explore" })), "32,610 rows");
    check("opened again, the kernel is running: live", true);
    await notebook.click("notebook:restart-kernel");
    await notebook.accept();
    await notebook.panel.locator(".arrowbook-live").first().waitFor({ state: "detached" });
    await seesStatic("kernel restarted");
    await openAgain(copy);
    await seesStatic("another kernel, trusted or not");
  }

  async function openAgain(path) {
    const panel = page.locator(`[id="${await notebook.panel.first().getAttribute("id")}"]`);
    await notebook.command("application:close");
    await panel.waitFor({ state: "detached" });
    await notebook.command("docmanager:open", { path });
    await page.locator(".lm-TabBar-tab.jp-mod-current", { hasText: path }).first().waitFor();
    await notebook.ready();
  }

  async function seesStatic(when) {
    const cell = notebook.cells.filter({ hasText: "all.explore" });
    await cell.locator("table.dataframe").first().waitFor();
    await cell.locator("text=pip install anywidget").waitFor();
    const controls = notebook.cells.filter({ hasText: "mean of" });
    await controls.locator("table.dataframe").first().waitFor();
    const text = await outputs(controls);
    check(`static form, ${when}`, /span\s+33/.test(text) && !/Error|Loading/.test(text), text);
  }

  for (const part of [exploreAll, controls, calls, darkViews, stored]) await part();
}

/** Contrast ratios (WCAG 2) of the text of the first match of each selector inside live views. Runs in the page. */
function contrasts(selectors) {
  const rgb = (color) => (color.match(/[\d.]+/g) ?? []).map(Number);
  const behind = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const [r, g, b, a = 1] = rgb(getComputedStyle(at).backgroundColor);
      if (a > 0.9) return [r, g, b];
    }
    return [255, 255, 255];
  };
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((c) => (c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  return selectors
    .map((selector) => document.querySelector(`.arrowbook-live ${selector}`))
    .filter((node) => node !== null)
    .map((node) => {
      const [a, b] = [light(rgb(getComputedStyle(node).color)), light(behind(node))].sort((x, y) => y - x);
      return (a + 0.05) / (b + 0.05);
    });
}
