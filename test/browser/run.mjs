// test:browser: the package's outputs in JupyterLab's real renderers and in the real Jupyter Notebook, drawn by
// Chromium.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { BrowserSuite } from "../support/browser-suite.mjs";
import { launchChromium, requireForSuite } from "../support/chromium.mjs";
import { eventually } from "../support/eventually.mjs";
import { freePort } from "../support/free-port.mjs";

requireForSuite("browser");

const here = fileURLToPath(new URL(".", import.meta.url));
const root = join(here, "../..");
const images = join(root, "docs/images");

const { build } = await import("esbuild");
const { chromium } = await import("playwright-core");
const { contrasts } = await import("./contrasts.mjs");
const { useCharts } = await import("./charts.mjs");
const { chartOutputs, hostileOutputs, outputs, payloads } = await import("./outputs.mjs");

/** What an output area adds (@jupyterlab/outputarea/style/base.css), and a margin for the pictures. */
const OUTPUT_AREA = `
.jp-OutputArea-output.jp-RenderedHTMLCommon table { margin-left: 0; margin-right: 0; }
section { width: fit-content; min-width: 480px; padding: 8px; }
`;

const folder = mkdtempSync(join(tmpdir(), "arrowbook-browser-"));
const pages = await buildPages();
const server = createServer((request, response) => {
  const body = pages.get(request.url.split("?")[0]);
  response.writeHead(body === undefined ? 404 : 200, { "content-type": typeOf(request.url) });
  response.end(body);
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const base = `http://127.0.0.1:${server.address().port}`;
mkdirSync(images, { recursive: true });

const context = await launchChromium(chromium, join(folder, "profile"), {
  viewport: { width: 1000, height: 700 },
  deviceScaleFactor: 1,
});
const suite = new BrowserSuite(context, { name: "browser", places: ["body"] });
const check = (...args) => suite.check(...args);

const made = await outputs();
const hostile = payloads();

try {
  for (const theme of ["light", "dark"]) {
    for (const trusted of [true, false]) {
      await suite.part(`lab-${theme}-${trusted ? "trusted" : "untrusted"}`, () => inLab(theme, trusted));
    }
  }
  for (const theme of ["light", "dark"]) await suite.part(`charts-${theme}`, () => chartsInUse(theme));
  await suite.part("live-table", liveTable);
  for (const trusted of [true, false]) {
    await suite.part(`hostile-${trusted ? "trusted" : "untrusted"}`, () => hostileInLab(trusted));
  }
  await inNotebook();
} finally {
  await context.close();
  server.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
if (hostile.shared === 0) console.log("the shared xss cases are not here: only the own ones were tried");
suite.end();

async function buildPages() {
  const made = new Map();
  await build({
    entryPoints: { lab: join(here, "lab-page.mjs") },
    bundle: true,
    format: "iife",
    outdir: folder,
    logLevel: "error",
    define: { "process.env.NODE_ENV": '"production"', global: "globalThis" },
    loader: { ".svg": "dataurl", ".woff": "dataurl", ".woff2": "dataurl", ".ttf": "dataurl", ".eot": "dataurl" },
    absWorkingDir: here,
    // postcss asks for these of Node's modules and does without them.
    alias: {
      path: "path-browserify",
      ...Object.fromEntries(["fs", "url", "source-map-js"].map((name) => [name, "./nothing.mjs"])),
    },
  });
  made.set("/lab.js", readFileSync(join(folder, "lab.js")));
  for (const theme of ["light", "dark"]) {
    const css = ["@jupyterlab/theme-THEME-extension/style/variables.css", "@jupyterlab/rendermime/style/base.css"]
      .map((name) => readFileSync(join(here, "node_modules", name.replace("THEME", theme)), "utf8"))
      .join("\n");
    made.set(`/${theme}.css`, css + OUTPUT_AREA);
    made.set(
      `/${theme}`,
      `<!doctype html><html><head><meta charset="utf-8"><link rel="stylesheet" href="/${theme}.css">
<style>body { background: var(--jp-layout-color0); color: var(--jp-content-font-color1); font-family: var(--jp-content-font-family); padding: 12px }</style>
</head><body class="jp-Notebook" data-jp-theme-light="${theme === "light"}"><script src="/lab.js"></script></body></html>`,
    );
  }
  return made;
}

function typeOf(url) {
  return url.endsWith(".js") ? "text/javascript" : url.endsWith(".css") ? "text/css" : "text/html";
}

/** A page that notes scripts that ran, dialogs, errors and requests to anywhere else. */
async function openPage(url) {
  const page = await context.newPage();
  const events = { pwned: [], outside: [], errors: [] };
  await page.exposeFunction("pwned", (what) => void events.pwned.push(what));
  await page.addInitScript(() => {
    for (const name of ["alert", "confirm", "prompt", "print"]) window[name] = () => void window.pwned(name);
  });
  page.on("dialog", (dialog) => {
    events.pwned.push(dialog.message());
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    const target = request.url();
    if (!/^(data:|blob:|about:)/.test(target) && new URL(target).hostname !== "127.0.0.1") events.outside.push(target);
  });
  page.on("pageerror", (error) => events.errors.push(String(error)));
  page.setDefaultTimeout(60_000);
  await page.goto(url, { timeout: 120_000 });
  return { page, events };
}

async function inLab(theme, trusted) {
  const { page, events } = await openPage(`${base}/${theme}`);
  if (events.errors.length > 0) throw new Error(events.errors[0]);
  const where = `Lab ${theme} ${trusted ? "trusted" : "untrusted"}`;
  const mimes = {};
  for (const [name, bundle] of Object.entries(made)) {
    mimes[name] = await page.evaluate(([n, b, t]) => globalThis.renderBundle(n, b, t), [name, bundle, trusted]);
  }
  check(`${where}: tables are HTML`, mimes.table === "text/html");
  check(`${where}: charts are interactive`, mimes.chart === "application/vnd.vegalite.v5+json", mimes.chart);
  const readTable = () => {
    const found = document.querySelector("#table table.dataframe");
    const cells = [...found.querySelectorAll("thead tr")].map((row) => [...row.cells].map((cell) => cell.textContent));
    const number = found.querySelector("tbody td:nth-child(4)");
    return { cells, rows: found.querySelectorAll("tbody tr").length, align: getComputedStyle(number).textAlign };
  };
  await suite.eventually(
    `${where}: names and types, head, gap and tail, numbers right-aligned`,
    () => page.evaluate(readTable),
    ({ cells, rows, align }) =>
      cells[0][1] === "ticker" && cells[1][3] === "BigDecimal(15,4)" && rows === 21 && /right/.test(align),
  );
  for (const name of ["chart", "candles"]) {
    await suite.eventually(
      `${where}: ${name} drawn`,
      () => page.locator(`#${name} canvas, #${name} svg`).count(),
      (count) => count > 0,
    );
  }
  await shows(`${where}: progress`, page.locator("#progress"), "25 %");
  await shows(`${where}: error says the nearest name`, page.locator("#error"), 'Did you mean "close"?');
  await suite.eventually(
    `${where}: texts can be read`,
    () => page.evaluate(contrasts),
    (contrast) => Object.keys(contrast).length >= 4 && Object.values(contrast).every((ratio) => ratio >= 4.5),
  );
  check(`${where}: no outside request`, events.outside.length === 0, events.outside[0]);
  check(`${where}: no page error`, events.errors.length === 0, events.errors[0]);
  if (trusted) {
    for (const name of ["table", "chart", "error", "progress", "explore"]) {
      await page.locator(`#${name}`).screenshot({ path: join(images, `lab-${theme}-${name}.png`) });
    }
  }
  await page.close();
}

/** The charts side by side: a picture of all of them, then the mouse in each. */
async function chartsInUse(theme) {
  const { page, events } = await openPage(`${base}/${theme}`);
  await page.setViewportSize({ width: 1_640, height: 900 });
  await page.addStyleTag({
    content: "body { display: grid; grid-template-columns: 760px 840px; width: fit-content }",
  });
  const bundles = Object.entries(await chartOutputs());
  const draw = async (some) => {
    for (const [name, bundle] of some)
      await page.evaluate(([n, b]) => globalThis.renderBundle(n, b, true), [name, bundle]);
  };
  const drawn = (count) =>
    suite.eventually(
      `charts ${theme}: ${count} are drawn`,
      () => page.locator("svg.marks").count(),
      (found) => found === count,
    );
  await draw(bundles.slice(0, 6));
  await drawn(6);
  await page.locator("body").screenshot({ path: join(images, `lab-${theme}-charts.png`) });
  await draw(bundles.slice(6));
  await drawn(bundles.length);
  await page.locator("#tear").screenshot({ path: join(images, `lab-${theme}-tear-sheet.png`) });
  await useCharts(page, suite, `charts ${theme}`);
  check(`charts ${theme}: no outside request`, events.outside.length === 0, events.outside[0]);
  check(`charts ${theme}: no page error`, events.errors.length === 0, events.errors[0]);
  await page.close();
}

/** Checks that an element comes to show a text. */
function shows(what, element, text) {
  return suite.eventually(
    what,
    () => element.textContent(),
    (shown) => shown.includes(text),
  );
}

async function liveTable() {
  const { page, events } = await openPage(`${base}/light`);
  await page.evaluate(([b]) => globalThis.renderBundle("explore", b, true), [made.explore]);
  const column = async (at) =>
    (await page.locator(`#explore tbody td:nth-child(${at})`).allTextContents()).map((text) => Number(text));
  const name = page.locator("#explore thead tr:first-child th:nth-child(5)");
  const count = page.locator("#explore p small").last();
  const filters = page.locator("#explore thead input");
  for (const [how, sign] of [
    ["sorts", 1],
    ["reverses the order", -1],
  ]) {
    await name.click();
    await suite.eventually(
      `live table: a click ${how}`,
      () => column(5),
      (values) => values.length > 1 && values.every((value, i) => i === 0 || sign * (value - values[i - 1]) >= 0),
    );
  }
  check(
    "live table: pictures of summaries are described",
    (await page.locator("#explore thead img").first().getAttribute("alt")).includes("distinct"),
  );
  const heading = page.locator("#explore thead tr:first-child th:nth-child(5)");
  check("live table: the order is stated", (await heading.getAttribute("aria-sort")) === "descending");
  await shows("live table: the statement", page.locator("#explore p code"), ', "desc"])');
  await filters.nth(4).fill(">1e9");
  await shows("live table: a filter without a match", count, "0 of");
  await filters.nth(4).fill("");
  await page.locator("#explore button", { hasText: "›" }).click();
  await shows("live table: pages", count, "page 2");
  await filters.nth(1).fill("2023-0");
  await suite.eventually(
    "live table: a filter of text",
    () => page.locator("#explore tbody td:nth-child(3)").allInnerTexts(),
    (dates) => dates.length > 0 && dates.every((date) => date.startsWith("2023-0")),
  );
  check("live table: no page error", events.errors.length === 0, events.errors[0]);
  await page.locator("#explore").screenshot({ path: join(images, "lab-light-explore-live.png") });
  await page.close();
}

async function hostileInLab(trusted) {
  const { page, events } = await openPage(`${base}/light`);
  const where = `Lab hostile ${trusted ? "trusted" : "untrusted"}`;
  const bundles = hostileOutputs(hostile.all);
  for (const [name, bundle] of Object.entries(bundles)) {
    await page.evaluate(([n, b, t]) => globalThis.renderBundle(n, b, t), [name, bundle, trusted]);
  }
  const readCells = () =>
    [...document.querySelectorAll('section[id^="cells"] tbody td:nth-child(2)')].map((cell) => cell.textContent);
  const wanted = hostile.all.map((text) =>
    text
      .replace(/[\x00-\x08\x0b\x0c\x0e-\x1f]/g, (c) => String.fromCharCode(0x2400 + c.charCodeAt(0)))
      .replace(/\r\n?/g, "\n"),
  );
  const differing = (shown) => wanted.findIndex((text, i) => text !== shown[i]);
  const { value: shown, holds } = await eventually(
    () => page.evaluate(readCells),
    (cells) => differing(cells) === -1,
  );
  const at = differing(shown);
  check(`${where}: every cell is its text`, holds, JSON.stringify([wanted[at], shown[at]]));
  // What must not happen would happen while pictures and scripts of the outputs load.
  await page.waitForLoadState("networkidle");
  await page.waitForTimeout(1_000);
  const strange = await page.evaluate(() => {
    const allowed = new Set(
      "SECTION DIV P TABLE THEAD TBODY TR TH TD SMALL STRONG EM SPAN BR CODE INPUT BUTTON CANVAS DETAILS SUMMARY A SVG G PATH CIRCLE STYLE FORM".split(
        " ",
      ),
    );
    const drawn = new Set("LINE TEXT TSPAN RECT DEFS CLIPPATH LINEARGRADIENT STOP".split(" "));
    return [...document.querySelectorAll("section *")]
      .filter(
        (node) =>
          !allowed.has(node.tagName.toUpperCase()) &&
          !(drawn.has(node.tagName.toUpperCase()) && node.closest("svg.marks") !== null) &&
          !(node.matches('thead img[src^="data:image/svg+xml;base64,"]') && !node.hasAttribute("onerror")) &&
          !(node.tagName === "SCRIPT" && node.textContent.startsWith("(function (id, data)")),
      )
      .map((node) => node.outerHTML.slice(0, 120));
  });
  check(`${where}: no element came in`, strange.length === 0, strange[0]);
  await page.mouse.move(300, 300);
  check(`${where}: no script ran`, events.pwned.length === 0, events.pwned.join(" "));
  check(`${where}: no outside request`, events.outside.length === 0, events.outside[0]);
  await page.close();
}

/** The real Jupyter Notebook with stored outputs, trusted and not. */
async function inNotebook() {
  const jupyter = ["/usr/bin/jupyter", process.env.JUPYTER].find((path) => path && existsSync(path));
  if (!jupyter) {
    suite.failures.push(
      "Jupyter Notebook is missing: apt-get install -y jupyter-notebook (or name jupyter in JUPYTER)",
    );
    return;
  }
  const bundles = hostileOutputs(hostile.all);
  const few = Object.fromEntries(Object.entries(bundles).filter(([name]) => !/^error\d*[1-9]$/.test(name)));
  const all = { ...made, ...few };
  for (const name of ["trusted", "untrusted"]) {
    const notebook = {
      nbformat: 4,
      nbformat_minor: 4,
      // The signature is of the contents: equal notebooks would both be trusted.
      metadata: { title: name },
      cells: Object.entries(all).map(([cell, data]) => ({
        cell_type: "code",
        execution_count: 1,
        metadata: {},
        source: cell,
        outputs: [{ output_type: "display_data", metadata: {}, data }],
      })),
    };
    writeFileSync(join(folder, `${name}.ipynb`), JSON.stringify(notebook));
  }
  const env = {
    ...process.env,
    HOME: folder,
    JUPYTER_DATA_DIR: join(folder, "data"),
    JUPYTER_CONFIG_DIR: join(folder, "config"),
    JUPYTER_RUNTIME_DIR: join(folder, "runtime"),
  };
  const python = readFileSync(jupyter, "utf8")
    .split("\n")[0]
    .replace(/^#!\s*/, "");
  execFileSync(python, ["-m", "nbformat.sign", join(folder, "trusted.ipynb")], { env, stdio: "ignore" });
  const port = await freePort();
  const args = [
    "notebook",
    "--no-browser",
    "--allow-root",
    `--port=${port}`,
    "--ip=127.0.0.1",
    "--NotebookApp.token=",
    "--NotebookApp.password=",
    `--notebook-dir=${folder}`,
  ];
  const process_ = spawn(jupyter, args, { env, stdio: "ignore" });
  try {
    await reachable(`http://127.0.0.1:${port}/api`);
    for (const name of ["trusted", "untrusted"]) {
      const url = `http://127.0.0.1:${port}/notebooks/${name}.ipynb`;
      await suite.part(`notebook-${name}`, () => oneNotebook(url, name, Object.keys(all)));
    }
  } finally {
    process_.kill();
  }
}

async function reachable(url) {
  const isUp = () =>
    fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
  const { holds } = await eventually(isUp, (up) => up, 180_000);
  if (!holds) throw new Error(`${url} does not answer`);
}

async function oneNotebook(url, name, names) {
  const { page, events } = await openPage(url);
  const where = `Notebook ${name}`;
  const alive = name === "trusted";
  const read = (names) => {
    const cells = [...document.querySelectorAll(".code_cell")];
    const one = (name) => cells[names.indexOf(name)];
    const head = one("table").querySelector("table.dataframe thead");
    return {
      cells: cells.length,
      types: [...head.rows[1].cells].map((cell) => cell.textContent),
      picture: one("chart").querySelector(".output_png img") !== null,
      error: one("error").textContent,
      live: one("explore").querySelector("input") !== null,
      rows: one("explore").querySelectorAll("tbody tr").length,
      shown: cells
        .filter((_, i) => /^cells\d+$/.test(names[i]))
        .flatMap((cell) => [...cell.querySelectorAll("tbody td:nth-child(2)")].map((td) => td.textContent)),
    };
  };
  const { value: found } = await eventually(
    () => page.evaluate(read, names),
    ({ cells, live, rows, shown }) =>
      cells === names.length && live === alive && rows >= 20 && shown.length === hostile.all.length,
    120_000,
  );
  // What must not happen would happen while pictures and scripts of the outputs load.
  await page.waitForTimeout(1_500);
  check(`${where}: types`, found.types.includes("BigDecimal(15,4)"), found.types.join());
  check(`${where}: the chart is a picture`, found.picture);
  check(`${where}: the error names the next step`, found.error.includes("Did you mean"));
  check(
    `${where}: the live table ${alive ? "lives" : "stays static"}`,
    found.live === alive && found.rows >= 20,
    `${found.live ? "live" : "static"}, ${found.rows} rows`,
  );
  check(`${where}: every text is itself`, found.shown.length === hostile.all.length, String(found.shown.length));
  check(`${where}: no script ran`, events.pwned.length === 0, events.pwned.join(" "));
  await page.evaluate(() => {
    for (const node of document.querySelectorAll(".modal, .modal-backdrop")) node.remove();
  });
  await page.setViewportSize({ width: 1000, height: 1_200 });
  await page
    .locator(".code_cell")
    .nth(0)
    .screenshot({ path: join(images, `notebook-${name}-table.png`) });
  await page.close();
}
