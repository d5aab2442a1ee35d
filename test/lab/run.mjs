// test:lab: a session in the real JupyterLab 4 with the kernel of arrowbook, in Chromium: launcher, cells, completion,
// Shift-Tab, table, chart, live table, progress, errors, input, variables, themes, restart, saving and reopening,
// interrupt, and the page that is made of it.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const root = join(here, "../..");
const images = join(root, "docs/images");

const CHROMIUM = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const chromiumPath = CHROMIUM.find((path) => path && existsSync(path));
const lacks = [
  [!chromiumPath, "Chromium: apt-get install -y chromium (or name its path in CHROMIUM)"],
  [!existsSync(join(here, "node_modules/playwright-core")), "its packages: npm ci --prefix test/lab"],
  [!existsSync(join(root, "dist/cjs/index.d.ts")), "the built package: npm run build"],
].filter(([missing]) => missing);
if (lacks.length > 0) {
  console.error(`test:lab lacks\n${lacks.map(([, how]) => `  ${how}`).join("\n")}`);
  process.exit(1);
}

const { chromium } = await import("playwright-core");
const { environment } = await import("./environment.mjs");
const { startLab } = await import("./server.mjs");
const { NotebookDriver } = await import("./driver.mjs");

const COLUMNS = ["close", "date", "high", "low", "open", "ticker", "volume"];
const BUSY_MS = 30_000;
const PART_MS = 60_000;

let passed = 0;
const failures = [];
const check = (what, holds, detail = "") => {
  if (holds) passed++;
  else failures.push(`${what} ${detail}`.trim());
};

const programs = environment();
const folder = mkdtempSync(join(tmpdir(), "arrowbook-lab-"));
const began = Date.now();
const lab = await startLab(programs, folder);
const context = await chromium.launchPersistentContext(join(folder, "profile"), {
  executablePath: chromiumPath,
  headless: true,
  viewport: { width: 1200, height: 800 },
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ],
});
mkdirSync(images, { recursive: true });
const page = await context.newPage();
page.setDefaultTimeout(BUSY_MS);
const pageErrors = [];
page.on("pageerror", (error) => pageErrors.push(String(error)));
const picture = (name, of = page) => of.screenshot({ path: join(images, `jupyterlab-${name}.png`) });
const notebook = new NotebookDriver(page);

try {
  for (const part of [
    launcher,
    completion,
    inspector,
    table,
    chart,
    liveTable,
    progress,
    errors,
    input,
    variables,
    dark,
    restart,
    reopen,
    interrupt,
    sharedPage,
  ]) {
    const start = Date.now();
    await withinTime(part);
    console.log(`${part.name}: ${((Date.now() - start) / 1000).toFixed(1)} s`);
  }
  check("no error of the page", pageErrors.length === 0, pageErrors[0]);
} catch (error) {
  failures.push(String(error));
  await page.screenshot({ path: join(tmpdir(), "arrowbook-lab-failure.png") }).catch(() => undefined);
} finally {
  await context.close();
  await lab.stop();
  rmSync(folder, { recursive: true, force: true });
}

for (const failure of failures) console.error(`failed: ${failure}`);
console.log(`${passed} passed, ${failures.length} failed in ${((Date.now() - began) / 1000).toFixed(0)} s`);
if (process.env.ARROWBOOK_RESULTS !== undefined) {
  const counts = { numPassedTests: passed, numFailedTests: failures.length };
  writeFileSync(join(process.env.ARROWBOOK_RESULTS, "lab.json"), JSON.stringify(counts));
}
process.exit(failures.length > 0 ? 1 : 0);

/** Runs a part; what JupyterLab never answers ends as a failure. */
async function withinTime(part) {
  const ended = new AbortController();
  const late = sleep(PART_MS, "late", { signal: ended.signal }).catch(() => undefined);
  const how = await Promise.race([part(), late]);
  ended.abort();
  if (how === "late") throw new Error(`${part.name} did not end within ${PART_MS / 1000} s`);
}

async function launcher() {
  await page.goto(`${lab.url}/lab`);
  const tile = page.locator('.jp-LauncherCard[data-category="Notebook"][title="TypeScript (arrowbook)"]');
  await tile.waitFor();
  const logo = await tile.locator("img").evaluate(async (image) => {
    await image.decode();
    return image.naturalWidth;
  });
  check("launcher: the tile has its logo", logo > 0);
  await picture("launcher");
  await tile.click();
  await notebook.ready();
  const name = await notebook.panel.locator(".jp-KernelName").textContent();
  check("launcher: the tile opens a notebook with the kernel", name.includes("TypeScript (arrowbook)"), name);
}

async function completion() {
  await notebook.type('service.table("MARKET/PRICES").select("');
  await notebook.pressUntil("Tab", '.jp-Completer-item:has-text("volume")');
  const names = await page.locator(".jp-Completer-item .jp-Completer-match").allInnerTexts();
  check("completion: columns in the very first cell", names.join().startsWith(COLUMNS.join()), names.join());
  await page.keyboard.press("Escape");
  await notebook.command("notebook:select-all");
  await page.keyboard.press("Escape");
  await clearCell();
  await notebook.run('const prices = await service.table("MARKET/PRICES").where({ ticker: "AAA" }).frame();');
  await notebook.type('prices.filter((row) => row.close > 120).sort("');
  await notebook.pressUntil("Tab", '.jp-Completer-item:has-text("volume")');
  const sorted = await page.locator(".jp-Completer-item .jp-Completer-match").allInnerTexts();
  check("completion: columns of a frame, from its data", sorted.join() === COLUMNS.join(), sorted.join());
  const kinds = await page.locator(".jp-Completer-item .jp-Completer-type").allInnerTexts();
  check("completion: each match has a kind", kinds.length === COLUMNS.length && kinds.every((kind) => kind !== ""));
  await picture("completion");
  await page.keyboard.press("Escape");
  await clearCell();
}

/** Empties the cell that is being edited. */
async function clearCell() {
  await notebook.cells.last().locator(".cm-content").click();
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Delete");
}

async function inspector() {
  await notebook.type("prices.collapse(");
  await notebook.pressUntil("Shift+Tab", ".jp-Tooltip");
  const text = await page.locator(".jp-Tooltip").textContent();
  check("Shift-Tab: the signature", text.includes("collapse("), text.slice(0, 200));
  await picture("inspector");
  await page.keyboard.press("Escape");
  await clearCell();
}

async function table() {
  const cell = await notebook.run("prices");
  const found = cell.locator(".jp-OutputArea-output table.dataframe");
  await found.waitFor();
  const types = await found.locator("thead tr:nth-child(2) th").allInnerTexts();
  check("table: names above types", types.includes("BigDecimal(15,4)"), types.join());
  check("table: the result has its number", (await cell.locator(".jp-OutputPrompt").textContent()).startsWith("["));
  await cell.scrollIntoViewIfNeeded();
}

async function chart() {
  const cell = await notebook.run('prices.tail(250).plot({ y: "close" })');
  const drawn = cell.locator(".jp-OutputArea-output canvas, .jp-OutputArea-output svg.marks").first();
  await drawn.waitFor();
  await cell.scrollIntoViewIfNeeded();
  const tooltip = page.locator("#vg-tooltip-element.visible");
  const shown = await hover(drawn, async () => ((await tooltip.isVisible()) ? tooltip.textContent() : ""));
  check("chart: hovering shows a tooltip", /close/i.test(shown), shown);
  await picture("chart");
}

/** Moves the mouse over the marks of a drawing, or of a canvas all over it, until `tooltip` returns a text. */
async function hover(drawing, tooltip) {
  await drawing.scrollIntoViewIfNeeded();
  const places = await drawing.evaluate((drawn) => {
    const places = [];
    const { x, y, width, height } = drawn.getBoundingClientRect();
    for (let i = 1; drawn.tagName === "CANVAS" && i < 40; i++) {
      for (const part of [0.3, 0.5, 0.7]) places.push([x + (width * i) / 40, y + height * part]);
    }
    for (const line of drawn.querySelectorAll(".mark-line path, .mark-symbol path")) {
      const onScreen = line.getScreenCTM();
      for (let part = 1; part < 10; part++) {
        const point = line.getPointAtLength((line.getTotalLength() * part) / 10).matrixTransform(onScreen);
        places.push([point.x, point.y]);
      }
    }
    return places;
  });
  for (const [x, y] of places) {
    await drawing.page().mouse.move(x, y, { steps: 3 });
    const text = await tooltip();
    if (text !== "") return text;
  }
  return "";
}

async function liveTable() {
  const cell = await notebook.run("prices.explore()");
  const live = cell.locator(".jp-OutputArea-output");
  const filters = live.locator("thead input");
  await filters.first().waitFor();
  const rows = () => live.locator("tbody tr").count();
  const before = await rows();
  const at = (await live.locator("thead tr").first().locator("th").allInnerTexts()).findIndex((name) =>
    name.startsWith("close"),
  );
  await live
    .locator("thead input")
    .nth(Math.max(0, at - 1))
    .fill(">1e9");
  await page.waitForFunction(
    ([element, count]) => element.querySelectorAll("tbody tr").length < count,
    [await live.elementHandle(), before],
  );
  check("live table: a filter narrows the rows", (await rows()) < before);
  await live
    .locator("thead input")
    .nth(Math.max(0, at - 1))
    .fill("");
  await cell.scrollIntoViewIfNeeded();
}

async function progress() {
  const cell = await notebook.start(
    'const all = await service.table("MARKET/PRICES").export({ poll: { first: 4_000 } }).frame();',
  );
  const bar = cell.locator(".jp-OutputArea-output").first();
  await bar.waitFor();
  const during = await bar.textContent();
  check("progress: shown while the export is prepared", during.includes("MARKET/PRICES"), during);
  await notebook.done(cell);
  const after = await bar.textContent();
  check("progress: one line when it is done", after.includes("32,610 rows"), after);
}

async function errors() {
  const misspelt = await notebook.run('prices.select("clsoe")');
  const refused = await misspelt
    .locator('.jp-OutputArea-output[data-mime-type="application/vnd.jupyter.stderr"]')
    .textContent();
  check("error: a misspelt column is refused before the cell runs", refused.includes('"clsoe"'), refused);
  const failed = await notebook.run('await service.table("MARKET/PRICES").select("clsoe" as "close").frame()');
  const text = await failed.locator(".jp-OutputArea-output").last().textContent();
  check("error: what failed and the nearest name", text.includes('Did you mean "close"?'), text);
  await failed.scrollIntoViewIfNeeded();
}

async function input() {
  const cell = await notebook.start('const key = password("API key:");\nkey.length');
  const box = cell.locator("input.jp-Stdin-input");
  await box.waitFor();
  check("input: a password is not shown", (await box.getAttribute("type")) === "password");
  await box.fill("typed-canary-1");
  await box.press("Enter");
  await notebook.done(cell);
  const text = await cell.locator(".jp-OutputArea").textContent();
  check("input: the cell continues with it", text.includes("14") && !text.includes("canary"), text);
}

async function variables() {
  const bug = notebook.panel.locator(".jp-Toolbar .jp-DebuggerBugButton");
  await bug.click();
  const panel = page.locator('.jp-SideBar .lm-TabBar-tab[data-id="jp-debugger-sidebar"]');
  await panel.click();
  const body = page.locator(".jp-DebuggerVariables-body:not(.lm-mod-hidden)");
  await body.filter({ hasText: "prices" }).waitFor();
  const tree = await body.textContent();
  check("variables: the frame with its shape", /prices[\s\S]*6522/.test(tree), tree.slice(0, 300));
  check("variables: no secret, no names of the kernel", !/canary|tsLastExpr|__tslab__/.test(tree));
  await picture("variables");
  await bug.click();
  await panel.click();
}

async function dark() {
  await notebook.command("apputils:change-theme", { theme: "JupyterLab Dark" });
  await page.locator('body[data-jp-theme-light="false"]').waitFor({ state: "attached" });
  const tables = notebook.panel.locator("table.dataframe").first();
  await tables.scrollIntoViewIfNeeded();
  const [ink, back] = await tables.evaluate((node) => {
    const behind = (element) => {
      for (let at = element; at; at = at.parentElement) {
        const color = getComputedStyle(at).backgroundColor;
        if (!/rgba\(.*, 0\)|transparent/.test(color)) return color;
      }
      return "rgb(255, 255, 255)";
    };
    const cell = node.querySelector("td");
    return [getComputedStyle(cell).color, behind(cell)].map((color) =>
      color
        .match(/[\d.]+/g)
        .slice(0, 3)
        .reduce((sum, part) => sum + Number(part), 0),
    );
  });
  check("dark: light text on a dark table", ink > 450 && back < 250, `${ink} on ${back}`);
  await notebook.panel
    .locator(".jp-OutputArea-output canvas, .jp-OutputArea-output svg.marks")
    .first()
    .scrollIntoViewIfNeeded();
  await picture("chart-dark");
  await notebook.command("apputils:change-theme", { theme: "JupyterLab Light" });
  await page.locator('body[data-jp-theme-light="true"]').waitFor({ state: "attached" });
}

async function restart() {
  await notebook.click("notebook:restart-kernel");
  await notebook.accept();
  await notebook.ready();
  const gone = await notebook.run("typeof prices");
  const text = await gone.locator(".jp-OutputArea").textContent();
  check("restart: names are gone", text.includes("Cannot find name 'prices'") || text.includes("undefined"), text);
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
  const tables = await notebook.panel.locator(".jp-OutputArea-output table.dataframe").count();
  check("run all: every cell in order, with its outputs", tables >= 2, String(tables));
}

/** Deletes the cells with this text. */
async function removeCell(text) {
  for (const cell of await notebook.cells.filter({ hasText: text }).all()) {
    await notebook.cells.filter({ hasText: text }).first().locator(".jp-InputPrompt").click();
    await page.keyboard.press("Escape");
    await page.keyboard.press("d");
    await page.keyboard.press("d");
    void cell;
  }
}

async function reopen() {
  await page.keyboard.press("Control+s");
  // The first save asks for a name.
  const name = page.locator('.jp-Dialog input[type="text"]');
  await name.fill("session.ipynb");
  await notebook.accept();
  const path = join(lab.work, "session.ipynb");
  // Charts add their picture to the notebook when they are drawn, which may be after the save.
  const clean = page.locator(".lm-TabBar-tab:not(.jp-mod-dirty)", { hasText: "session.ipynb" }).first();
  await notebook.pressUntil("Control+s", clean);
  const saved = JSON.parse(readFileSync(path, "utf8"));
  check(
    "save: outputs are stored",
    saved.cells.some(({ outputs }) => outputs?.[0]?.data?.["text/html"]),
  );
  check("save: no types, no secret", !/canary|typeArguments/.test(JSON.stringify(saved)));
  // The same notebook without Jupyter's signature, which covers the contents.
  saved.metadata.title = "untrusted";
  writeFileSync(join(lab.work, "untrusted.ipynb"), JSON.stringify(saved));
  for (const [file, trusted] of [
    ["session.ipynb", true],
    ["untrusted.ipynb", false],
  ]) {
    await notebook.command("application:close-all");
    await page.locator(".jp-NotebookPanel").first().waitFor({ state: "detached" });
    await notebook.command("docmanager:open", { path: file });
    const first = notebook.panel.locator("table.dataframe").first();
    await first.waitFor();
    const drawn = notebook.panel.locator(".jp-OutputArea-output canvas, .jp-OutputArea-output svg.marks").first();
    await drawn.waitFor();
    const tables = await notebook.panel.locator("table.dataframe, .jp-OutputArea-output thead input").count();
    const live = await notebook.panel.locator(".jp-OutputArea-output thead input").count();
    const how = trusted ? "trusted" : "untrusted";
    check(`reopen ${how}: table and chart are there`, tables >= 2);
    check(`reopen ${how}: the live table ${trusted ? "lives" : "is static"}`, live > 0 === trusted, String(live));
  }
}

async function interrupt() {
  await notebook.ready();
  const cell = await notebook.start("while (true) {}");
  await notebook.panel.locator('.jp-Notebook-ExecutionIndicator[data-status="busy"]').waitFor();
  await notebook.click("notebook:interrupt-kernel");
  await notebook.done(cell);
  const text = await cell.locator(".jp-OutputArea").textContent();
  check("interrupt: a loop ends with an error", text.includes("The cell was interrupted"), text);
  const after = await notebook.run("6 * 7");
  const shown = await after.locator(".jp-OutputArea-output").textContent();
  check("interrupt: the kernel continues", shown.trim() === "42", shown);
}

/** The page that `arrowbook run --html --interactive` makes of the session. */
async function sharedPage() {
  const file = join(folder, "page.html");
  const flags = ["run", join(lab.work, "session.ipynb"), "--no-save", "--html", file, "--fold-code", "--interactive"];
  execFileSync(process.execPath, [join(root, "dist/esm/cli.js"), ...flags], {
    env: { ...process.env, ARROWBOOK_URL: "" },
    stdio: "ignore",
  });
  const violations = [];
  const shared = await context.newPage();
  shared.on("console", (message) => message.type() === "error" && violations.push(message.text()));
  await shared.goto(`file://${file}`);
  const drawn = shared.locator(".chart svg.marks");
  await drawn.waitFor();
  const title = await hover(drawn, () =>
    shared.evaluate(() => document.querySelector(".chart [title]:not([title=''])")?.getAttribute("title") ?? ""),
  );
  check("shared page: a chart with tooltips", /close/.test(title), title);
  check("shared page: code is folded", (await shared.locator("details.fold:not([open])").count()) > 3);
  check("shared page: its policy refuses nothing of its own", violations.length === 0, violations[0]);
  await shared.close();
}
