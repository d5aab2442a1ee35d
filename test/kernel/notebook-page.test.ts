import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { highlighted } from "../../src/kernel/notebook/highlight.js";
import { markdownHtml } from "../../src/kernel/notebook/markdown.js";
import { type Notebook, type Output, parseNotebook } from "../../src/kernel/notebook/notebook-file.js";
import { notebookPage } from "../../src/kernel/notebook/notebook-page.js";
import { safeHtml } from "../../src/kernel/notebook/safe-html.js";
import { casesFolder, haveCases } from "../cases.js";

const pageOf = (...outputs: Output[]): Promise<string> => {
  const cell = { cell_type: "code", metadata: {}, source: "1", outputs, execution_count: 1 };
  return notebookPage({ nbformat: 4, nbformat_minor: 4, metadata: {}, cells: [cell] } as Notebook, { title: "t" });
};

const result = (data: Record<string, string>): Output => ({
  output_type: "execute_result",
  data,
  metadata: {},
  execution_count: 1,
});

const main = (page: string): string => page.slice(page.indexOf("<main>"));

it("a page forbids every script and load", async () => {
  const page = await pageOf();
  expect(page).toContain(`content="default-src 'none'; img-src data:;`);
  expect(page).not.toMatch(/<script|https?:|@import|url\(/i);
});

it("shows the richest safe form of an output", async () => {
  expect(await pageOf(result({ "text/html": "<table><tr><td>7</td></tr></table>", "text/plain": "x" }))).toContain(
    "<td>7</td>",
  );
  const chart = { "application/vnd.vegalite.v5+json": "{}", "image/png": "iVBORw0KGgo=", "text/plain": "a chart" };
  expect(await pageOf(result(chart))).toContain('<img src="data:image/png;base64,iVBORw0KGgo=" alt="a chart">');
  expect(await pageOf(result({ "image/png": '"><script>alert(1)</script>', "text/plain": "safe" }))).toContain(
    "<pre>safe</pre>",
  );
  expect(await pageOf(result({ "image/svg+xml": "<svg/>" }))).toContain('src="data:image/svg+xml;base64,PHN2Zy8+"');
  expect(await pageOf(result({ "text/plain": "a <b>" }))).toContain("<pre>a &lt;b&gt;</pre>");
});

it("shows streams and errors without terminal colours", async () => {
  const page = await pageOf(
    { output_type: "stream", name: "stderr", text: ["\u001b[31mred\u001b[0m <i>\n"] },
    { output_type: "error", ename: "TypeError", evalue: "a < b", traceback: ["at cell 3:1"] },
  );
  expect(page).toContain('<pre class="output stderr">red &lt;i&gt;\n</pre>');
  expect(page).toContain("<strong>TypeError</strong>: a &lt; b");
  expect(page).toContain("at cell 3:1");
});

it("markdown keeps its shape and loses what could run", async () => {
  const html = await markdownHtml({
    source:
      "# Title\n\n| a |\n|---|\n| 1 |\n\n[x](javascript:alert(1)) [y](https://example.com) <b>raw</b>\n\n```ts\nconst a = 1;\n```\n",
  });
  expect(html).toContain("<h1>Title</h1>");
  expect(html).toContain("<td>1</td>");
  expect(html).toContain('<a href="https://example.com">y</a>');
  expect(html).toContain("&lt;b&gt;raw");
  expect(html).not.toContain("javascript:");
  expect(html).toContain('<span class="keyword">const</span>');
});

it("colours comments, texts, numbers and keywords, and escapes everything", () => {
  expect(highlighted('const a = "<x>"; // 1 < 2')).toBe(
    '<span class="keyword">const</span> a = <span class="text">&quot;&lt;x&gt;&quot;</span>; ' +
      '<span class="comment">// 1 &lt; 2</span>',
  );
  expect(highlighted("row1 + 0x1f")).toBe('row1 + <span class="number">0x1f</span>');
});

/** What could run or load: elements, handlers and addresses in markup (escaped text does not count). */
const ACTIVE =
  /<(script|style|svg|math|iframe|object|embed|form|base|link|meta|template)\b|<[^>]*\s(on\w+|srcdoc|formaction)\s*=|<[^>]*(href|src)\s*=\s*["']?\s*(javascript|vbscript|data:text|https?:[^"'>]*\.js)/i;

describe.runIf(haveCases)("collected attacks", () => {
  const folder = join(casesFolder, "xss");
  const payloads = haveCases
    ? (JSON.parse(readFileSync(join(folder, "dompurify-expect.json"), "utf8")) as { payload: string }[])
    : [];

  it("every payload in an HTML output ends without anything active", async () => {
    expect(payloads.length).toBe(223);
    for (const { payload } of payloads) expect(await safeHtml(payload), payload).not.toMatch(ACTIVE);
  });

  it("every payload as text, markdown, title and picture name ends without anything active", async () => {
    for (const { payload } of payloads) {
      const page = await pageOf(
        result({ "text/plain": payload, "image/png": payload }),
        { output_type: "stream", name: payload, text: payload },
        { output_type: "error", ename: payload, evalue: payload, traceback: [payload] },
      );
      expect(main(page), payload).not.toMatch(ACTIVE);
      const markdown = await markdownHtml({ source: `${payload}\n\n![${payload}](x)\n` });
      expect(markdown, payload).not.toMatch(ACTIVE);
    }
  });

  it.each(haveCases ? readdirSync(join(folder, "nbconvert-notebooks")).filter((n) => n.endsWith("ipynb")) : [])(
    "%s becomes a page in which nothing runs",
    async (name) => {
      const notebook = parseNotebook(readFileSync(join(folder, "nbconvert-notebooks", name), "utf8"), name);
      const page = await notebookPage(notebook);
      expect(main(page)).not.toMatch(ACTIVE);
      if (name !== "notebook_inject.ipynb") expect(main(page)).toContain("<img src=");
    },
  );
});
