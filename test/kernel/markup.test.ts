import { marked } from "marked";
import { expect, it } from "vitest";
import { bundleOf } from "../../src/display/table/foreign.js";
import { Frame } from "../../src/index.js";
import { html, md } from "../../src/notebook.js";

it("html escapes values, but not what is rendered as HTML", () => {
  const item = (text: string): unknown => html`<li title="${text}">${text}</li>`;
  expect(String(html`<ul>${["a<b>", `"&'`].map(item)}</ul>${null}${undefined}${0}${false}`)).toBe(
    '<ul><li title="a&lt;b&gt;">a&lt;b&gt;</li><li title="&quot;&amp;&#39;">&quot;&amp;&#39;</li></ul>0false',
  );
  const frame = Frame.fromRows([{ a: "<i>" }]);
  expect(String(html`<h2>T</h2>${frame}`)).toBe(`<h2>T</h2>${frame.toHTML()}`);
  expect(String(html`${{ type: "text/html", source: "<b>" }}`)).toBe("[object Object]");
  expect(bundleOf(html`<b>x</b>`)).toEqual({ "text/html": "<b>x</b>", "text/plain": "<b>x</b>" });
});

it("md escapes values to text of one line, but not Markdown", () => {
  const signs = "*a* _b_ `c` ~~d~~ [e](f) <b>g</b> | $h$ \\(i\\) &amp; # j";
  const shown = (text: unknown): string =>
    (marked.parse(String(text), { async: false }) as string).replace(/<\/?p>|\n/g, "");
  const asHtml = String(html`${signs}`).replaceAll("&#96;", "`");
  expect(shown(md`${signs}`)).toBe(asHtml);
  expect(String(md`${signs}`)).not.toMatch(/\$|\\\\/);
  for (const start of ["# a", "- a", "+ a", "1. a", "12) a", "> a", "==", "a\n\n- b", "    a"]) {
    expect(shown(md`${start}`)).toBe(String(html`${start.replace(/\s+/g, " ")}`));
  }
  expect(String(md`${"2020-01-01"} ${-1.5} ${1_000.25}`)).toBe("2020-01-01 \\-1.5 1000.25");
  expect(String(md`**${md`_a_`}** ${html`<b>`} ${null}`)).toBe("**_a_** <b> ");
  expect(bundleOf(md`**x**`)).toEqual({ "text/markdown": "**x**", "text/plain": "**x**" });
});
