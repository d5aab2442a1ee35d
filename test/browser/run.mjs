// test:browser: the package's outputs in JupyterLab's real renderers and in the real Jupyter Notebook, drawn by
// Chromium.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const root = join(here, "../..");
const images = join(root, "docs/images");

const CHROMIUM = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const chromiumPath = CHROMIUM.find((path) => path && existsSync(path));
const lacks = [
  [!chromiumPath, "Chromium: apt-get install -y chromium (or name its path in CHROMIUM)"],
  [!existsSync(join(here, "node_modules/playwright-core")), "its packages: npm ci --prefix test/browser"],
  [!existsSync(join(root, "dist/esm/index.js")), "the built package: npm run build"],
].filter(([missing]) => missing);
if (lacks.length > 0) {
  console.error(`test:browser lacks\n${lacks.map(([, how]) => `  ${how}`).join("\n")}`);
  process.exit(1);
}

const { build } = await import("esbuild");
const { chromium } = await import("playwright-core");
const { hostileOutputs, outputs, payloads } = await import("./outputs.mjs");

let passed = 0;
/** What an output area adds (@jupyterlab/outputarea/style/base.css), and a margin for the pictures. */
const OUTPUT_AREA = `
.jp-OutputArea-output.jp-RenderedHTMLCommon table { margin-left: 0; margin-right: 0; }
section { width: fit-content; min-width: 480px; padding: 8px; }
`;

const failures = [];
const check = (what, holds, detail = "") => {
  if (holds) passed++;
  else failures.push(`${what} ${detail}`.trim());
};

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

const context = await chromium.launchPersistentContext(join(folder, "profile"), {
  executablePath: chromiumPath,
  headless: true,
  viewport: { width: 1000, height: 700 },
  deviceScaleFactor: 1,
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

const made = await outputs();
const hostile = payloads();

try {
  for (const theme of ["light", "dark"]) {
    for (const trusted of [true, false]) await inLab(theme, trusted);
  }
  await liveTable();
  for (const trusted of [true, false]) await hostileInLab(trusted);
  await inNotebook();
} finally {
  await context.close();
  server.close();
  rmSync(folder, { recursive: true, force: true });
}

for (const failure of failures) console.error(`failed: ${failure}`);
if (hostile.shared === 0) console.log("the shared xss cases are not here: only the own ones were tried");
console.log(`${passed} passed, ${failures.length} failed`);
if (process.env.ARROWBOOK_RESULTS !== undefined) {
  const counts = { numPassedTests: passed, numFailedTests: failures.length };
  writeFileSync(join(process.env.ARROWBOOK_RESULTS, "browser.json"), JSON.stringify(counts));
}
process.exit(failures.length > 0 ? 1 : 0);

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
  await page.goto(url);
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
  await page.waitForTimeout(300);
  check(`${where}: tables are HTML`, mimes.table === "text/html");
  check(`${where}: charts are interactive`, mimes.chart === "application/vnd.vegalite.v5+json", mimes.chart);
  const table = await page.evaluate(() => {
    const found = document.querySelector("#table table.dataframe");
    const cells = [...found.querySelectorAll("thead tr")].map((row) => [...row.cells].map((cell) => cell.textContent));
    const number = found.querySelector("tbody td:nth-child(4)");
    return { cells, rows: found.querySelectorAll("tbody tr").length, align: getComputedStyle(number).textAlign };
  });
  check(`${where}: names and types`, table.cells[0][1] === "ticker" && table.cells[1][3] === "BigDecimal(15,4)");
  check(`${where}: head, gap and tail`, table.rows === 21, String(table.rows));
  check(`${where}: numbers are right-aligned`, /right/.test(table.align), table.align);
  check(`${where}: the chart is drawn`, (await page.locator("#chart canvas, #chart svg").count()) > 0);
  check(`${where}: candles are drawn`, (await page.locator("#candles canvas, #candles svg").count()) > 0);
  check(`${where}: progress`, (await page.locator("#progress").textContent()).includes("25 %"));
  check(
    `${where}: error says the nearest name`,
    (await page.locator("#error").textContent()).includes('Did you mean "close"?'),
  );
  const contrast = await page.evaluate(contrasts);
  for (const [what, ratio] of Object.entries(contrast))
    check(`${where}: ${what} can be read`, ratio >= 4.5, ratio.toFixed(1));
  check(`${where}: no outside request`, events.outside.length === 0, events.outside[0]);
  check(`${where}: no page error`, events.errors.length === 0, events.errors[0]);
  if (trusted) {
    for (const name of ["table", "chart", "error", "progress", "explore"]) {
      await page.locator(`#${name}`).screenshot({ path: join(images, `lab-${theme}-${name}.png`) });
    }
  }
  await page.close();
}

/** Contrast ratio (WCAG 2) of texts against what is behind them. Runs in the page. */
function contrasts() {
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((c) => (c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const rgba = (text) => (text.match(/[\d.]+/g) ?? []).map(Number);
  const behind = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const color = rgba(getComputedStyle(at).backgroundColor);
      if (color.length === 3 || color[3] > 0) return color;
    }
    return [255, 255, 255];
  };
  const found = {};
  for (const [what, selector] of Object.entries({
    cell: "#table td",
    name: "#table thead th:nth-child(2)",
    null: "#explore em, #column em, #metadata td",
    source: "#table small",
    error: "#error td",
  })) {
    const node = document.querySelector(selector);
    if (!node) continue;
    const back = behind(node);
    const alpha = Number(getComputedStyle(node).opacity);
    const ink = rgba(getComputedStyle(node).color)
      .slice(0, 3)
      .map((c, i) => c * alpha + back[i] * (1 - alpha));
    const [a, b] = [light(ink), light(back)].sort((x, y) => y - x);
    found[what] = (a + 0.05) / (b + 0.05);
  }
  return found;
}

async function liveTable() {
  const { page, events } = await openPage(`${base}/light`);
  await page.evaluate(([b]) => globalThis.renderBundle("explore", b, true), [made.explore]);
  const first = () => page.locator("#explore tbody tr:first-child td:nth-child(5)").textContent();
  const name = page.locator("#explore thead tr:first-child th:nth-child(5)");
  await name.click();
  const low = Number(await first());
  await name.click();
  const high = Number(await first());
  check("live table: a click sorts, another turns round", low < high, `${low} ${high}`);
  await page.locator("#explore thead input").nth(4).fill(">1e9");
  check(
    "live table: a filter without a match",
    (await page.locator("#explore p small").last().textContent()).includes("0 of"),
  );
  await page.locator("#explore thead input").nth(4).fill("");
  await page.locator("#explore button").nth(2).click();
  check("live table: pages", (await page.locator("#explore p small").last().textContent()).includes("page 2"));
  await page.locator("#explore thead input").nth(1).fill("2023-0");
  const dates = await page.locator("#explore tbody td:nth-child(3)").allInnerTexts();
  check("live table: a filter of text", dates.length > 0 && dates.every((date) => date.startsWith("2023-0")));
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
  await page.waitForTimeout(1_000);
  const shown = await page.evaluate(() =>
    [...document.querySelectorAll('section[id^="cells"] tbody td:nth-child(2)')].map((cell) => cell.textContent),
  );
  const wanted = hostile.all.map((text) =>
    text
      .replace(/[\x00-\x08\x0b\x0c\x0e-\x1f]/g, (c) => String.fromCharCode(0x2400 + c.charCodeAt(0)))
      .replace(/\r\n?/g, "\n"),
  );
  const differing = wanted.findIndex((text, i) => text !== shown[i]);
  check(`${where}: every cell is its text`, differing === -1, JSON.stringify([wanted[differing], shown[differing]]));
  const strange = await page.evaluate(() => {
    const allowed = new Set(
      "SECTION DIV P TABLE THEAD TBODY TR TH TD SMALL STRONG EM SPAN BR INPUT BUTTON CANVAS DETAILS SUMMARY A SVG G PATH CIRCLE STYLE FORM".split(
        " ",
      ),
    );
    return [...document.querySelectorAll("section *")]
      .filter(
        (node) =>
          !allowed.has(node.tagName.toUpperCase()) &&
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
    failures.push("Jupyter Notebook is not here: apt-get install -y jupyter-notebook (or name jupyter in JUPYTER)");
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
  const port = 20_000 + (process.pid % 20_000);
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
    for (const name of ["trusted", "untrusted"])
      await oneNotebook(`http://127.0.0.1:${port}/notebooks/${name}.ipynb`, name, Object.keys(all));
  } finally {
    process_.kill();
  }
}

async function reachable(url) {
  for (let tries = 0; tries < 100; tries++) {
    if (
      await fetch(url).then(
        (answer) => answer.ok,
        () => false,
      )
    )
      return;
    await new Promise((done) => setTimeout(done, 200));
  }
  throw new Error(`${url} does not answer`);
}

async function oneNotebook(url, name, names) {
  const { page, events } = await openPage(url);
  const where = `Notebook ${name}`;
  await page.waitForSelector(".output_html table.dataframe", { timeout: 30_000 });
  await page.waitForFunction((count) => document.querySelectorAll(".code_cell").length === count, names.length);
  await page.waitForTimeout(1_500);
  const found = await page.evaluate((names) => {
    const cells = [...document.querySelectorAll(".code_cell")];
    const one = (name) => cells[names.indexOf(name)];
    const head = one("table").querySelector("table.dataframe thead");
    return {
      types: [...head.rows[1].cells].map((cell) => cell.textContent),
      picture: one("chart").querySelector(".output_png img") !== null,
      error: one("error").textContent,
      live: one("explore").querySelector("input") !== null,
      rows: one("explore").querySelectorAll("tbody tr").length,
      shown: cells
        .filter((_, i) => /^cells\d+$/.test(names[i]))
        .flatMap((cell) => [...cell.querySelectorAll("tbody td:nth-child(2)")].map((td) => td.textContent)),
    };
  }, names);
  check(`${where}: types`, found.types.includes("BigDecimal(15,4)"), found.types.join());
  check(`${where}: the chart is a picture`, found.picture);
  check(`${where}: the error names the next step`, found.error.includes("Did you mean"));
  const alive = name === "trusted";
  const state = `${found.live ? "live" : "static"}, ${found.rows} rows`;
  check(
    `${where}: the live table ${alive ? "lives" : "stays static"}`,
    found.live === alive && found.rows >= 20,
    state,
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
