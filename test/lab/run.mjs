// test:lab: a session in the real JupyterLab 4 with the kernel of arrowbook, in Chromium: launcher, cells, completion,
// Shift-Tab, table, chart, live table, progress, errors, input, debugger, themes, restart, saving and reopening,
// interrupt, and the page that is made of it. A part that fails is run once more in a notebook of its own.
// Arguments name the parts to run: npm run test:lab -- stepping
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { BrowserSuite } from "../support/browser-suite.mjs";
import { launchChromium, requireForSuite } from "../support/chromium.mjs";
import { environment } from "../support/python-environment.mjs";
import { debugging } from "./debugging.mjs";
import { NotebookDriver } from "./driver.mjs";
import { hover } from "./hover.mjs";
import { notebook7 } from "./notebook7.mjs";
import { startLab } from "./server.mjs";
import { sharedPages } from "./shared-page.mjs";
import { changeTheme, hasTheme, themes } from "./themes.mjs";
import { widgets } from "./widgets.mjs";

requireForSuite("lab");
const { chromium } = await import("playwright-core");

const root = fileURLToPath(new URL("../..", import.meta.url));
const images = join(root, "docs/images");

const COLUMNS = ["close", "date", "high", "low", "open", "ticker", "volume"];
const BUSY_MS = 60_000;

const CELLS = {
  prices: 'const prices = await service.table("MARKET/PRICES").where({ ticker: "AAA" }).frame();',
  table: "prices",
  chart: 'prices.tail(250).plot({ y: "close" })',
  explore: "prices.explore()",
  exported: 'const all = await service.table("MARKET/PRICES").export({ poll: { first: 4_000 } }).frame();',
};
const DRAWINGS = ".jp-OutputArea-output svg.marks";

const folder = mkdtempSync(join(tmpdir(), "arrowbook-lab-"));
const lab = await startLab(environment(join(root, "test/lab")), folder);
const context = await launchChromium(chromium, join(folder, "profile"), { viewport: { width: 1200, height: 800 } });
mkdirSync(images, { recursive: true });
const suite = new BrowserSuite(context, {
  name: "lab",
  places: [".jp-Dialog", ".jp-Completer", ".jp-Tooltip", ".jp-NotebookPanel", "body:not(:has(.jp-NotebookPanel))"],
});
const picture = (name, of = page) => of.screenshot({ path: join(images, `jupyterlab-${name}.png`) });

let pageErrors = [];
let page;
let notebook;
let sessions = 0;
let session;

try {
  const chosen = process.argv.slice(2);
  let clean = chosen.length === 0;
  for (const [part, prepare] of [
    [launcher, openLab],
    [completion, newNotebook],
    [inspector, newSession],
    [table, newSession],
    [chart, newSession],
    [liveTable, newSession],
    [progress, sessionBeforeExport],
    [errors, newSession],
    [input, newNotebook],
    [dark, newSession],
    [restart, newSession],
    [reopen, newSession],
    [interrupt, newNotebook],
    [sharedPage, newNotebook],
    [liveViews, openLab],
    [stepping, openLab],
    [classic, openLab],
  ]) {
    if (chosen.length > 0 && !chosen.includes(part.name)) continue;
    const run = async () => {
      await part();
      suite.check(`${part.name}: no error of the page`, pageErrors.length === 0, pageErrors[0]);
    };
    const prepared = () => prepare().then(run);
    const passed = await suite.part(part.name, clean && part !== launcher ? run : prepared, prepared);
    clean = passed && chosen.length === 0;
  }
} finally {
  await context.close();
  await lab.stop();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
suite.end();

/** Opens JupyterLab without what an earlier page left open. */
async function openLab() {
  await lab.shutDownKernels();
  await suite.closePages();
  pageErrors = [];
  page = await context.newPage();
  page.setDefaultTimeout(BUSY_MS);
  page.on("pageerror", (error) => pageErrors.push(String(error)));
  notebook = new NotebookDriver(page);
  await page.goto(`${lab.url}/lab?reset`);
  await page.locator(".jp-LauncherCard").first().waitFor();
}

/** The launcher's tile of the kernel. */
function tile() {
  return page.locator('.jp-LauncherCard[data-category="Notebook"][title="TypeScript (arrowbook)"]');
}

async function newNotebook() {
  await openLab();
  await changeTheme(page, notebook, "light");
  await tile().click();
  await notebook.ready();
}

/** A new notebook with the cells that later parts build upon. */
async function newSession() {
  await sessionBeforeExport();
  await notebook.run(CELLS.exported);
}

/** The same without the export: a kernel has the file of its first export at once when it asks for it again. */
async function sessionBeforeExport() {
  await newNotebook();
  const { exported, ...built } = CELLS;
  for (const code of Object.values(built)) await notebook.run(code);
}

async function launcher() {
  const logo = tile().locator("img");
  await suite.eventually(
    "launcher: the tile has its logo",
    () => logo.evaluate((image) => image.naturalWidth),
    (width) => width > 0,
  );
  await picture("launcher");
  await tile().click();
  await notebook.ready();
  await shows("launcher: the tile opens a notebook with the kernel", notebook.panel.locator(".jp-KernelName"), [
    "TypeScript (arrowbook)",
  ]);
}

async function completion() {
  await notebook.type('service.table("MARKET/PRICES").select("');
  await notebook.pressUntil("Tab", '.jp-Completer-item:has-text("volume")');
  await suite.eventually("completion: columns in the very first cell", matches, (names) =>
    names.join().startsWith(COLUMNS.join()),
  );
  await page.keyboard.press("Escape");
  await notebook.command("notebook:select-all");
  await page.keyboard.press("Escape");
  await clearCell();
  await notebook.run(CELLS.prices);
  await notebook.type('prices.filter((row) => row.close > 120).sort("');
  await notebook.pressUntil("Tab", '.jp-Completer-item:has-text("volume")');
  await suite.eventually(
    "completion: columns of a frame, from its data",
    matches,
    (names) => names.join() === COLUMNS.join(),
  );
  await suite.eventually(
    "completion: each match has a kind",
    () => page.locator(".jp-Completer-item .jp-Completer-type").allInnerTexts(),
    (kinds) => kinds.length === COLUMNS.length && kinds.every((kind) => kind !== ""),
  );
  await picture("completion");
  await page.keyboard.press("Escape");
  await clearCell();
}

/** The names that the completer shows. */
function matches() {
  return page.locator(".jp-Completer-item .jp-Completer-match").allInnerTexts();
}

/** Checks that an element comes to show all these texts. Returns what it shows. */
function shows(what, element, texts) {
  const all = (text) => texts.every((part) => text.includes(part));
  return suite.eventually(what, () => element.textContent(), all);
}

/** Empties the cell that is being edited. */
async function clearCell() {
  const editor = notebook.cells.last().locator(".cm-content");
  await editor.click();
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Delete");
  await editor.filter({ hasText: /^\s*$/ }).waitFor();
}

async function inspector() {
  await notebook.type("prices.collapse(");
  await notebook.pressUntil("Shift+Tab", ".jp-Tooltip");
  await shows("Shift-Tab: the signature", page.locator(".jp-Tooltip"), ["collapse("]);
  await picture("inspector");
  await page.keyboard.press("Escape");
  await clearCell();
}

async function table() {
  const cell = await notebook.run(CELLS.table);
  const found = cell.locator(".jp-OutputArea-output table.dataframe");
  await found.waitFor();
  await shows("table: names above types", found.locator("thead tr:nth-child(2)"), ["BigDecimal(15,4)"]);
  await suite.eventually(
    "table: the result has its number",
    () => cell.locator(".jp-OutputPrompt").textContent(),
    (text) => /^\[\d+\]:/.test(text),
  );
  await cell.scrollIntoViewIfNeeded();
}

async function chart() {
  const cell = await notebook.run(CELLS.chart);
  const drawn = cell.locator(DRAWINGS).first();
  await drawn.waitFor();
  await cell.scrollIntoViewIfNeeded();
  const tooltip = () => document.querySelector("#vg-tooltip-element.visible")?.textContent ?? "";
  await suite.eventually(
    "chart: hovering shows a tooltip",
    () => hover(drawn, () => page.evaluate(tooltip)),
    (shown) => /close/i.test(shown),
  );
  await picture("chart");
}

async function liveTable() {
  const cell = await notebook.run(CELLS.explore);
  const live = cell.locator(".jp-OutputArea-output .arrowbook-live");
  const filters = live.locator("thead input");
  await filters.first().waitFor();
  const rows = () => live.locator("tbody tr").count();
  const before = await suite.eventually("live table: it has rows", rows, (count) => count > 1);
  const names = await live.locator("thead tr").first().locator("th").allInnerTexts();
  const filter = filters.nth(names.findIndex((name) => name.startsWith("close")) - 1);
  await filter.fill(">1000000");
  await suite.eventually("live table: a filter narrows the rows", rows, (count) => count < before);
  await filter.fill("");
  await suite.eventually("live table: without it, all rows are back", rows, (count) => count === before);
  await cell.scrollIntoViewIfNeeded();
}

async function progress() {
  const cell = await notebook.start(CELLS.exported);
  const bar = cell.locator(".jp-OutputArea-output").first();
  await bar.waitFor();
  await shows("progress: shown while the export is prepared", bar, ["MARKET/PRICES"]);
  await notebook.done(cell);
  await shows("progress: one line when it is done", bar, ["32,610 rows"]);
}

async function errors() {
  const misspelt = await notebook.run('prices.select("clsoe")');
  const refused = misspelt.locator('.jp-OutputArea-output[data-mime-type="application/vnd.jupyter.stderr"]');
  await shows("error: a misspelt column is refused before the cell runs", refused, ['"clsoe"']);
  const failed = await notebook.run('await service.table("MARKET/PRICES").select("clsoe" as "close").frame()');
  const message = failed.locator(".jp-OutputArea-output").last();
  await shows("error: what failed and the nearest name", message, ['Did you mean "close"?']);
  await failed.scrollIntoViewIfNeeded();
}

async function input() {
  const cell = await notebook.start('const key = password("API key:");\nkey.length');
  const box = cell.locator("input.jp-Stdin-input");
  await box.waitFor();
  await suite.eventually(
    "input: a password is not shown",
    () => box.getAttribute("type"),
    (type) => type === "password",
  );
  await box.fill("typed-canary-1");
  await box.press("Enter");
  await notebook.done(cell);
  const text = await shows("input: the cell continues with it", cell.locator(".jp-OutputArea"), ["14"]);
  suite.check("input: the password is in no output", !text.includes("canary"), text);
}

/** Notebook 7. */
async function classic() {
  await notebook7({ page, notebook, suite, lab });
  // Notebook 7.6.5 has this error also in its list of files, without a kernel, and with Python's: JupyterLab's plugin
  // of shortcuts reads its own settings when those of another plugin arrive before them.
  pageErrors = pageErrors.filter((error) => !error.includes("(reading 'schema')"));
}

/** The debugger, in a notebook without other cells. */
async function stepping() {
  await newNotebook();
  await debugging({ page, notebook, suite, picture, lab });
}

async function dark() {
  await themes({ page, notebook, suite, picture }, DRAWINGS);
}

async function restart() {
  // Until the server has restarted the kernel, the notebook shows the state of the old one.
  const restarted = page.waitForResponse((response) => response.url().includes("/restart"));
  await notebook.click("notebook:restart-kernel");
  await notebook.accept();
  await restarted;
  await notebook.ready();
  const gone = await notebook.run("typeof prices");
  await suite.eventually(
    "restart: names are gone",
    () => gone.locator(".jp-OutputArea").textContent(),
    (text) => text.includes("Cannot find name 'prices'") || text.includes("undefined"),
  );
  // What fails or asks would end a run of all cells.
  for (const failing of ["clsoe", "password(", "typeof prices"]) await removeCell(failing);
  await notebook.click("notebook:restart-run-all");
  await notebook.accept();
  // The numbers of the last run are there until the new one begins; the export takes seconds.
  await notebook.cells.locator(".jp-InputPrompt", { hasText: "[*]:" }).first().waitFor();
  await page.waitForFunction(
    () => {
      const prompts = [...document.querySelectorAll(".jp-NotebookPanel .jp-CodeCell")]
        .filter((cell) => cell.querySelector(".cm-content").textContent.trim() !== "")
        .map((cell) => cell.querySelector(".jp-InputPrompt").textContent.trim());
      return prompts.length > 3 && prompts.every((text, i) => text === `[${i + 1}]:`);
    },
    undefined,
    { timeout: 2 * BUSY_MS },
  );
  await suite.eventually(
    "run all: every cell in order, with its outputs",
    () => notebook.panel.locator(".jp-OutputArea-output table.dataframe").count(),
    (tables) => tables >= 2,
  );
}

/** Deletes the cells with this text. */
async function removeCell(text) {
  const found = notebook.cells.filter({ has: page.locator(".cm-content", { hasText: text }) });
  for (let left = await found.count(); left > 0; left--) {
    await found.first().locator(".jp-InputPrompt").click();
    await page.keyboard.press("Escape");
    await page.keyboard.press("d");
    await page.keyboard.press("d");
    await found.nth(left - 1).waitFor({ state: "detached" });
  }
}

async function reopen() {
  session = `session${++sessions}`;
  await page.keyboard.press("Control+s");
  // The first save asks for a name.
  const name = page.locator('.jp-Dialog input[type="text"]');
  await name.fill(`${session}.ipynb`);
  await notebook.accept();
  // Charts add their picture to the notebook when they are drawn, which may be after the save.
  const clean = page.locator(".lm-TabBar-tab:not(.jp-mod-dirty)", { hasText: `${session}.ipynb` }).first();
  await notebook.pressUntil("Control+s", clean);
  const saved = await suite.eventually(
    "save: outputs are stored",
    () => JSON.parse(readFileSync(join(lab.work, `${session}.ipynb`), "utf8")),
    ({ cells }) => cells.some(({ outputs }) => outputs?.[0]?.data?.["text/html"]),
  );
  suite.check("save: no types, no secret", !/canary|typeArguments/.test(JSON.stringify(saved)));
  // The same notebook without Jupyter's signature, which covers the contents.
  saved.metadata.title = "untrusted";
  writeFileSync(join(lab.work, `${session}-untrusted.ipynb`), JSON.stringify(saved));
  await reopened(`${session}.ipynb`, saved, true);
  await reopened(`${session}-untrusted.ipynb`, saved, false);
  await changeTheme(page, notebook, "dark");
  await reopened(`${session}.ipynb`, saved, true, "dark");
  await changeTheme(page, notebook, "light");
}

/** Opens a saved notebook again; JupyterLab draws its cells one after the other. */
async function reopened(path, saved, trusted, theme = "light") {
  const how = `${trusted ? "trusted" : "untrusted"}, ${theme}`;
  await notebook.command("application:close-all");
  await page.locator(".jp-NotebookPanel").first().waitFor({ state: "detached" });
  await notebook.command("docmanager:open", { path });
  const outputs = notebook.panel.locator(".jp-OutputArea-output");
  const wanted = saved.cells.reduce((sum, { outputs }) => sum + (outputs?.length ?? 0), 0);
  await suite.eventually(
    `reopen ${how}: every output is drawn`,
    () => outputs.count(),
    (count) => count === wanted,
  );
  await suite.eventually(
    `reopen ${how}: table and chart are there`,
    async () => ({
      tables: await outputs.locator("table").count(),
      drawings: await notebook.panel.locator(DRAWINGS).count(),
    }),
    ({ tables, drawings }) => tables >= 2 && drawings >= 1,
  );
  await hasTheme(
    suite,
    `reopen ${how}: the chart has the colours of the page`,
    notebook.panel.locator(DRAWINGS).first(),
    theme,
  );
  await suite.eventually(
    `reopen ${how}: the live table ${trusted ? "lives" : "is static"}`,
    () => outputs.locator("thead input").count(),
    (live) => live > 0 === trusted,
  );
  // Closed before its kernel has replied, JupyterLab's own request for a subshell ends in an error of the page.
  await notebook.ready();
}

async function interrupt() {
  await notebook.ready();
  const cell = await notebook.start("while (true) {}");
  await notebook.panel.locator('.jp-Notebook-ExecutionIndicator[data-status="busy"]').waitFor();
  await notebook.click("notebook:interrupt-kernel");
  await notebook.done(cell);
  await shows("interrupt: a loop ends with an error", cell.locator(".jp-OutputArea"), ["The cell was interrupted"]);
  const after = await notebook.run("6 * 7");
  await suite.eventually(
    "interrupt: the kernel continues",
    () => after.locator(".jp-OutputArea-output").textContent(),
    (shown) => shown.trim() === "42",
  );
}

async function sharedPage() {
  await sharedPages({ context, suite, root, folder, notebook: join(lab.work, `${session}.ipynb`) });
}

/** explore() and interact() through the kernel, in a notebook without other cells. */
async function liveViews() {
  await newNotebook();
  await widgets({ page, notebook, suite, picture, lab });
}
