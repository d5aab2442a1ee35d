import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Frame } from "../../src/frame/frame.js";
import { highlighted, markdownHtml } from "../../src/kernel/notebook/markdown.js";
import { type Notebook, type Output, parseNotebook } from "../../src/kernel/notebook/notebook-file.js";
import { notebookPage } from "../../src/kernel/notebook/notebook-page.js";
import { safeHtml } from "../../src/kernel/notebook/safe-html.js";
import { casesFolder, haveCases } from "../cases.js";
import { runs } from "../support/whole.js";

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

it("draws a chart at its size on the page, however many pixels it has", async () => {
  const chart = Frame.fromColumns({ x: [1, 2, 3], y: [1, 3, 2] }).plot({ x: "x", y: "y" });
  const sizeOf = async (scale: number) => {
    const data = {
      "application/vnd.vegalite.v5+json": "{}",
      "image/png": Buffer.from(chart.toPNG({ scale })).toString("base64"),
    };
    return (await pageOf(result(data))).match(/<div class="chart"><img [^>]*" (width="\d+" height="\d+") alt/)?.[1];
  };
  expect(await sizeOf(2)).toMatch(/width/);
  expect(await sizeOf(2)).toBe(await sizeOf(1));
});

describe("contents, folding and interactive charts", () => {
  const markdown = (source: string): object => ({ cell_type: "markdown", metadata: {}, source });
  const notebookOf = (...cells: object[]): Notebook =>
    ({ nbformat: 4, nbformat_minor: 4, metadata: {}, cells }) as unknown as Notebook;

  it("a page lists its headings, whose links lead to them", async () => {
    const cells = [
      markdown("# Title"),
      markdown("## One & *two*\n\n## Same\n\n### Deep"),
      markdown("## Same\n\n#### No"),
    ];
    const page = await notebookPage(notebookOf(...cells), { title: "t" });
    const nav = page.slice(page.indexOf("<nav"), page.indexOf("</nav>"));
    const links = [...nav.matchAll(/<a href="#([^"]+)">([^<]*)<\/a>/g)].map(([, id, text]) => [id, text]);
    expect(links).toEqual([
      ["section-one-two", "One &amp; two"],
      ["section-same", "Same"],
      ["section-deep", "Deep"],
      ["section-same-2", "Same"],
    ]);
    for (const [id] of links) expect(page.match(new RegExp(`<h\\d id="${id}">`, "g"))).toHaveLength(1);
    expect(await notebookPage(notebookOf(markdown("# Title\n\n## One")), { title: "t" })).not.toContain("<nav");
  });

  it("whatever a heading holds, its link and its id agree and nothing else comes in", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ unit: "binary" }), { minLength: 2, maxLength: 4 }), async (texts) => {
        const lines = texts.map((text) => `## a ${text.replace(/[\r\n\u2028\u2029]/g, " ")}`).join("\n\n");
        const page = await notebookPage(notebookOf(markdown(lines)), { title: "t" });
        const ids = [...page.matchAll(/<h2 id="([^"]*)">/g)].map(([, id]) => id);
        const targets = [...page.slice(0, page.indexOf("</nav>")).matchAll(/<a href="#([^"]*)">/g)].map(([, id]) => id);
        expect(targets).toEqual(ids);
        expect(new Set(ids).size).toBe(ids.length);
        expect(main(page).match(/<script|<img|onerror=/i)).toBe(null);
      }),
      { numRuns: runs(60) },
    );
  });

  it("code folds on request", async () => {
    const cell = { cell_type: "code", metadata: {}, source: "const a = 1;", outputs: [], execution_count: 3 };
    const page = await notebookPage(notebookOf(cell), { title: "t", foldCode: true });
    expect(main(page)).toMatch(/<details class="fold"><summary>\[3\] code<\/summary>\s*<pre class="code">/);
    expect(main(await notebookPage(notebookOf(cell), { title: "t" }))).not.toContain("<details");
  });

  it("interactive charts keep their picture, and the policy allows exactly the scripts of the page", async () => {
    const hostile = { mark: "bar", title: "</script><script>alert(1)</script>", usermeta: "<!--" };
    const chart = {
      output_type: "display_data",
      metadata: {},
      data: { "application/vnd.vegalite.v5+json": hostile, "image/png": "iVBORw0KGgo=", "text/plain": "a chart" },
    };
    const cell = { cell_type: "code", metadata: {}, source: "1", outputs: [chart, chart], execution_count: 1 };
    const page = await notebookPage(notebookOf(cell), { title: "t", interactive: true });
    expect(page).toContain('<div class="chart" id="chart-2"><div class="chart"><img src="data:image/png;base64,');
    const scripts = [...page.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, text]) => text);
    expect(scripts).toHaveLength(3);
    const allowed = page.match(/script-src ([^;]*);/)?.[1].split(" ");
    const hashes = scripts.map((text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`);
    expect(allowed).toEqual(["'unsafe-eval'", ...hashes]);
    expect(page).not.toContain("alert(1)</script>");
    const data = page.match(/<script type="application\/json" id="charts">([\s\S]*?)<\/script>/)?.[1];
    const { usermeta: _, ...drawn } = hostile;
    expect(JSON.parse(data ?? "")).toMatchObject([
      ["chart-1", { ...drawn, background: "transparent" }],
      ["chart-2", { ...drawn, background: "transparent" }],
    ]);
    expect(await notebookPage(notebookOf(), { title: "t", interactive: true })).not.toContain("script");
  });
});
