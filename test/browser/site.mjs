// The examples of the site (npm run docs) in Chromium: every block with a button runs, offline, and again once edited.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { launchChromium, requireForSuite } from "../support/chromium.mjs";

requireForSuite("browser");
const { chromium } = await import("playwright-core");

const dist = fileURLToPath(new URL("../../site/dist", import.meta.url));
if (!existsSync(join(dist, "run"))) {
  console.error("test:site lacks the site: npm run docs");
  process.exit(1);
}
const TYPES = { ".js": "text/javascript", ".html": "text/html", ".json": "application/json", ".css": "text/css" };
const server = createServer((request, response) => {
  const path = decodeURIComponent(request.url.split("?")[0]);
  try {
    response.writeHead(200, { "content-type": TYPES[extname(path)] ?? "application/octet-stream" });
    response.end(readFileSync(join(dist, path)));
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const base = `http://127.0.0.1:${server.address().port}`;
const profile = mkdtempSync(join(tmpdir(), "arrowbook-site-"));
const context = await launchChromium(chromium, profile, { viewport: { width: 1400, height: 1000 } });
const failures = [];
let count = 0;

/** Runs a block; gives the text and the HTML of its output. */
async function run(page, i) {
  await page.locator("button.run").nth(i).click();
  const output = page.locator(".run-output").nth(i);
  await page.waitForFunction((at) => !document.querySelectorAll("button.run")[at].disabled, i, { timeout: 60_000 });
  return { text: await output.textContent(), html: await output.innerHTML() };
}

try {
  const pages = readdirSync(dist, { recursive: true, encoding: "utf8" }).filter((name) => {
    return name.endsWith(".html") && readFileSync(join(dist, name), "utf8").includes('class="runnable"');
  });
  for (const name of pages.sort().filter((n) => !process.argv[2] || n.includes(process.argv[2]))) {
    const page = await context.newPage();
    page.on(
      "request",
      (request) =>
        request.url().startsWith("http") &&
        !request.url().startsWith(base) &&
        failures.push(`${name}: a request to ${request.url()}`),
    );
    page.on("pageerror", (error) => failures.push(`${name}: ${error}`));
    await page.goto(`${base}/${name}`);
    await page.locator("button.run").first().waitFor({ timeout: 20_000 });
    const blocks = await page.locator("button.run").count();
    for (let i = 0; i < blocks; i++) {
      const { text } = await run(page, i);
      count++;
      if (/^\w*Error\b/m.test(text)) failures.push(`${name}, block ${i + 1}: ${text.slice(0, 300)}`);
    }
    if (name === "docs/frames.html") await edited(page);
    console.log(`${name}: ${blocks} blocks`);
    await page.close();
  }
} catch (error) {
  failures.push(String(error));
} finally {
  await context.close();
  server.close();
  rmSync(profile, { recursive: true, force: true });
}
for (const failure of failures) console.error(failure);
console.log(`${count} blocks ran`);
process.exit(failures.length > 0 || count === 0 ? 1 : 0);

/** What is written into a block runs; errors of the package are shown with their hint. */
async function edited(page) {
  const code = page.locator(".runnable + div code").nth(0);
  const text = await code.textContent();
  await code.fill(
    `${text}\nconsole.log(prices.groupBy("ticker").count());\nconsole.log(prices.head(30).plot({ x: "date", y: "close" }));`,
  );
  const { html, text: shown } = await run(page, 0);
  if (!html.includes("<table") || !html.includes("<svg") || !shown.includes("AAA"))
    failures.push(`edited: ${html.slice(-600)} ${html.includes("<table")} ${html.includes("<svg")}`);
  await page
    .locator(".run-output")
    .nth(0)
    .screenshot({ path: join(dist, "run/edited.png") });
  await code.fill(`${text}\nprices.column("clse");`);
  const wrong = await run(page, 0);
  if (!wrong.text.includes('Did you mean "close"?')) failures.push(`edited: ${wrong.text.slice(0, 300)}`);
}
