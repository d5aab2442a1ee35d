// Makes the pictures of README and the tutorial from the real thing: the bars from test/bench/results/files.md,
// the chart by running the blocks of the tutorial, the page by "arrowbook run --html". Run it as
// "node .config/pictures.mjs" after a build; screenshots also need Chromium (its path in CHROMIUM, or
// /usr/bin/chromium).
import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const images = join(root, "docs/images");

writeFileSync(join(images, "benchmarks.svg"), benchmarks());

const folder = mkdtempSync(join(tmpdir(), "arrowbook-pictures-"));
try {
  mkdirSync(join(folder, "node_modules"));
  for (const name of ["arrowbook", "tslab"]) {
    symlinkSync(
      name === "arrowbook" ? root : join(root, "node_modules", name),
      join(folder, "node_modules", name),
      "dir",
    );
  }
  await tutorial();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Two groups of bars, one for each table: the time of arrowbook and of its peers. */
function benchmarks() {
  const page = readFileSync(join(root, "test/bench/results/files.md"), "utf8");
  const groups = [
    ["The same table, not zipped", "Reading 395 MB of CSV, 5 million rows", ["all threads"]],
    ["JavaScript readers, a fifth of the table", "Reading 79 MB of CSV in JavaScript", [""]],
  ].map(([heading, title, own]) => {
    const section = page.split(`## ${heading}\n`)[1].split("\n## ")[0];
    const rows = [...section.matchAll(/^\| ([^|]+?) \| ([\d.]+) \|/gm)].map(([, name, ms]) => ({
      name,
      ms: Number(ms),
    }));
    // Of arrowbook the exact columns, as the peers' best.
    const shown = rows.filter(
      ({ name }) =>
        !name.startsWith("arrowbook") || (name.includes("exact") && own.every((part) => name.includes(part))),
    );
    return { title, rows: shown.sort((a, b) => a.ms - b.ms) };
  });
  const machine = page.match(/^Machine: (.*?)\. /m)[1];
  const [left, width, line] = [290, 300, 24];
  let y = 12;
  const parts = [];
  for (const { title, rows } of groups) {
    parts.push(`<text x="12" y="${y + 14}" font-weight="bold">${title}</text>`);
    y += 26;
    const most = Math.max(...rows.map(({ ms }) => ms));
    for (const { name, ms } of rows) {
      const length = Math.max(2, Math.round((width * ms) / most));
      const isOwn = name.startsWith("arrowbook");
      const label = name.replace(/&/g, "&amp;").replace(/</g, "&lt;");
      parts.push(
        `<text x="${left - 8}" y="${y + 15}" text-anchor="end"${isOwn ? ' font-weight="bold"' : ""}>${label}</text>`,
        `<rect x="${left}" y="${y + 3}" width="${length}" height="${line - 8}" rx="2" fill="${isOwn ? "#1a62c6" : "#b9c2cf"}"/>`,
        `<text x="${left + length + 8}" y="${y + 15}">${ms < 10_000 ? `${(ms / 1000).toFixed(2)} s` : `${(ms / 1000).toFixed(1)} s`}</text>`,
      );
      y += line;
    }
    y += 10;
  }
  parts.push(
    `<text x="12" y="${y + 12}" font-size="11" fill="#5b6675">${machine}; docs/benchmarks.md has every figure</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" width="680" height="${y + 24}" viewBox="0 0 680 ${y + 24}" font-family="system-ui, sans-serif" font-size="13" fill="#1c2430"><rect width="680" height="${y + 24}" rx="8" fill="#fff"/>${parts.join("")}</svg>\n`;
}

async function tutorial() {
  const text = readFileSync(join(root, "docs/tutorial.md"), "utf8");
  const cells = [...text.matchAll(/^(#{1,2} .*)$|^```ts\n([\s\S]*?)^```$/gm)].map(([, heading, code]) =>
    heading === undefined
      ? { cell_type: "code", metadata: {}, source: code.trim(), outputs: [], execution_count: null }
      : { cell_type: "markdown", metadata: {}, source: heading },
  );
  // In a notebook tables and charts are displayed instead of printed.
  for (const cell of cells) {
    cell.source = cell.source
      .replace(
        /^console\.log\((await service.*|summary|byMonth|months\.head\(3\))\);$/gm,
        (_, shown) => `display(${shown === "byMonth" ? "byMonth.head(4)" : shown});`,
      )
      .replace(/^await chart\.save\("rain\.png"\);$/m, 'await chart.save("rain.png");\nchart');
  }
  const last = cells.findIndex(({ source }) => source.startsWith("## 6"));
  const notebook = { nbformat: 4, nbformat_minor: 5, metadata: {}, cells: cells.slice(0, last) };
  const ipynb = join(folder, "rain.ipynb");
  writeFileSync(ipynb, JSON.stringify(notebook));
  const cli = join(root, "dist/esm/cli.js");
  execFileSync(process.execPath, [cli, "run", ipynb, "--html", join(folder, "rain.html")], {
    cwd: folder,
    stdio: "inherit",
  });
  copyFileSync(join(folder, "rain.png"), join(images, "tutorial-rain.png"));
  const page = readFileSync(join(folder, "rain.html"), "utf8");
  screenshot(page, "tutorial-page.png", 760, 1150);
  // The tables of the page, each in the element of its output; the summary has a column of that name.
  const table = page
    .split('<div class="output">')
    .find((output) => output.includes(">statistic<"))
    ?.split("</section>")[0];
  if (table === undefined) throw new Error("the page has no table of the summary");
  screenshot(
    page.replace(/<main>[\s\S]*<\/main>/, `<main style="padding:12px">${table}</main>`),
    "tutorial-summary.png",
    560,
    400,
  );
  const start = page.lastIndexOf('<section class="cell">', page.indexOf("byMonth"));
  const end = page.indexOf('<section class="markdown">\n<h2>5.');
  const part = page.slice(0, page.indexOf("<main>") + 6) + page.slice(start, end) + page.slice(page.indexOf("</main>"));
  screenshot(part, "notebook.png", 760, 1060);
}

function screenshot(html, name, width, height) {
  const chromium = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/google-chrome"].find(
    (path) => path && existsSync(path),
  );
  if (chromium === undefined) {
    console.error(`${name}: not made, Chromium is missing`);
    return;
  }
  const page = join(folder, "page.html");
  writeFileSync(page, html);
  const flags = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--hide-scrollbars",
  ];
  const size = [
    `--window-size=${width},${height}`,
    `--screenshot=${join(images, name)}`,
    `--user-data-dir=${join(folder, "profile")}`,
  ];
  execFileSync(chromium, [...flags, ...size, `file://${page}`], { stdio: "ignore", timeout: 120_000 });
  console.log(name);
}
