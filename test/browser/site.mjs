// The examples of the site (npm run docs) in Chromium: every block with a button runs, offline, and again once edited.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { failures, inPages, root } from "./in-pages.mjs";

const dist = join(root, "site/dist");
if (!existsSync(join(dist, "run"))) {
  console.error("test:site lacks the site: npm run docs");
  process.exit(1);
}
let count = 0;

/** Runs a block; gives the text and the HTML of its output. */
async function run(page, i) {
  await page.locator("button.run").nth(i).click();
  const output = page.locator(".run-output").nth(i);
  await page.waitForFunction((at) => !document.querySelectorAll("button.run")[at].disabled, i, { timeout: 60_000 });
  return { text: await output.textContent(), html: await output.innerHTML() };
}

const pages = readdirSync(dist, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".html") && readFileSync(join(dist, name), "utf8").includes('class="runnable"'))
  .filter((name) => !process.argv[2] || name.includes(process.argv[2]));

await inPages(
  (path) => readFileSync(join(dist, path)),
  async ({ origin, open }) => {
    for (const name of pages.sort()) {
      const page = await open(`/${name}`, async (opened) => {
        opened.on("request", (request) => {
          const url = request.url();
          if (url.startsWith("http") && !url.startsWith(origin)) failures.push(`${name}: a request to ${url}`);
        });
      });
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
    console.log(`${count} blocks ran`);
    if (count === 0) failures.push("no block ran");
  },
  { viewport: { width: 1400, height: 1000 } },
);

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
