import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, expect, it } from "vitest";
import { cardBundle } from "../../src/display/base/card.js";
import { errorCard } from "../../src/display/base/error.js";
import { plotTable } from "../../src/display/chart/chart.js";
import { bundleOf } from "../../src/display/table/foreign.js";
import { ServiceError } from "../../src/errors/errors.js";
import { Frame } from "../../src/frame/frame.js";
import { cases } from "../cases.js";
import { columnSpecs } from "../support/column-specs.js";
import { isWhole } from "../support/whole.js";
import { elementsOf, parseHtml, textOf } from "./html-reader.js";

const xss = cases("xss/dompurify-expect.json");
const naughty = cases("naughty-strings/blns.json");

/** Markup that would do something if it were not text; used beside the shared cases. */
const OWN = [
  "<script>alert(1)</script>",
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  "`alert(1)`",
  "</td></tr></table><svg onload=alert(1)>",
  "--><!--",
  "]]>",
  "</script><script>alert(1)</script>",
  "&lt;b&gt;",
  "&#x3c;script&#x3e;",
  "\u0000<b>\u001b[31m",
  "datum.x; alert(1)",
  "#{x} {{x}}",
  "__proto__",
  "constructor",
  "a.b[c]'\\",
  "\u0001\ufffe",
];

const shared = (path: string, read: (json: string) => string[]): string[] =>
  existsSync(path) ? read(readFileSync(path, "utf8")) : [];

const PUBLIC = [
  ...shared(xss, (json) => (JSON.parse(json) as { payload: string }[]).map(({ payload }) => payload)),
  ...shared(naughty, (json) => JSON.parse(json) as string[]),
];
/** `npm test` takes every fourth of those from elsewhere. */
const texts = [...OWN, ...PUBLIC.filter((_, i) => isWhole || i % 4 === 0)];

it("says whether the shared cases were there", () => {
  expect(PUBLIC.length === 0 || PUBLIC.length > 600).toBe(true);
  if (PUBLIC.length === 0) process.stderr.write("the shared cases are not here: only the own ones were tried\n");
});

/** Elements and attributes a page of ours may have; anything else came from outside. */
const ELEMENTS = new Set([
  "",
  "div",
  "p",
  "br",
  "strong",
  "small",
  "em",
  "span",
  "table",
  "thead",
  "tbody",
  "tr",
  "th",
  "td",
]);
const ATTRIBUTES = new Set(["border", "class", "style", "title", "id"]);

function elementsOfSafe(html: string): string[] {
  const found: string[] = [];
  for (const { name, attributes } of elementsOf(parseHtml(html))) {
    found.push(name);
    // Pictures of summaries, which hold no text of the table.
    const isPicture = name === "img" && /^data:image\/svg\+xml;base64,[\w+/=]+$/.test(attributes.get("src") ?? "");
    if (!isPicture && !ELEMENTS.has(name)) throw new Error(`<${name}> came in`);
    const allowed = new Set([...ATTRIBUTES, ...(isPicture ? ["src", "alt"] : [])]);
    for (const key of attributes.keys()) if (!allowed.has(key)) throw new Error(`${key}= came in`);
  }
  return found;
}

/** Control characters have pictures in HTML, and carriage returns would become line feeds. */
const shown = (text: string): string =>
  text
    .replace(/[\x00-\x08\x0b\x0c\x0e-\x1f]/g, (c) => String.fromCharCode(0x2400 + c.charCodeAt(0)))
    .replaceAll("\x7f", "\u2421");

describe("text that imitates markup", () => {
  const bundle = (value: object) => bundleOf(value) as Record<string, string>;
  const frameOf = (text: string) =>
    Frame.fromRows(
      [{ a: text, b: 1 }],
      [
        { name: text, type: "String" },
        { name: "b", type: "Integer" },
      ].map((column, i) => (i === 0 ? { name: "a", type: "String" } : column)),
      { code: text, name: text, description: text, refreshed_at: text },
    ).rename([text, "b"]);

  it("stays text in every place of a table", () => {
    const plain = elementsOfSafe(bundle(frameOf("plain"))["text/html"]).filter((name) => name !== "span");
    for (const text of texts) {
      const html = frameOf(text).toHTML({ maxText: 100_000 });
      expect(
        elementsOfSafe(html).filter((name) => name !== "span" && name !== "em"),
        text,
      ).toEqual(plain);
      const cells = [...elementsOf(parseHtml(html))].filter(({ name }) => name === "td").map(textOf);
      if (text !== "") expect(cells[0]).toBe(shown(text));
      expect(() => parseHtml(bundle(frameOf(text))["text/html"])).not.toThrow();
    }
  });

  it("stays text in plain twins, on one line, without control characters", () => {
    for (const text of texts) {
      const lines = bundle(frameOf(text))["text/plain"];
      expect(lines, JSON.stringify(text)).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/);
      // The footer has a line more where its parts do not fit: four of them, and no line of the data.
      expect(lines.split("\n").length).toBeLessThanOrEqual(4 + 4);
    }
  });

  it("stays text in cards, columns, errors, arrays of rows and file names", () => {
    for (const text of texts) {
      const error = new ServiceError(text, { code: text, hint: text, column: text, value: text });
      for (const html of [
        cardBundle(errorCard(error)),
        cardBundle({ title: text, text, entries: [[text, text]], next: text }),
        bundle(frameOf(text).column(0)),
        bundle([{ [text]: text }]),
      ]) {
        elementsOfSafe(html["text/html"] as string);
        expect(html["text/plain"]).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
      }
    }
  });

  it("reaches the live table as data only", () => {
    for (const text of texts) {
      const html = frameOf(text).explore().toHTML();
      const at = html.lastIndexOf("<script>");
      elementsOfSafe(html.slice(0, at).trim());
      const script = html.slice(at + "<script>".length);
      expect(script.indexOf("</")).toBe(script.length - "</script>".length);
      expect(script).not.toContain("<!--");
      const json = /\("arrowbook-[0-9a-f]{12}", (\{.*\})\)<\/script>$/s.exec(html)?.[1] ?? "";
      const data = JSON.parse(json) as { names: string[]; cells: (string | null)[][] };
      expect([data.names[0], data.cells[0][0]]).toEqual([text, text.slice(0, 500)]);
    }
  });

  it("is never part of an expression of a chart, and only text in its SVG", () => {
    const tried = texts.filter((_, i) => i < OWN.length || i % 40 === 0);
    const plain: Set<string>[] = [];
    for (const [i, text] of ["plain", "plain", "plain", ...tried].entries()) {
      const frame = Frame.fromRows(
        [
          { d: "2024-01-01", v: 1, s: text },
          { d: "2024-01-02", v: 2, s: "other" },
        ],
        columnSpecs({ d: "Date", v: "double", s: "String" }),
        { code: text, name: text },
      ).rename([`${text}1`, text, `${text}2`]);
      const [x, y, color] = frame.columns.map(({ name }) => name);
      const marks = [
        { mark: "line", x, y, color },
        { mark: "histogram", x: y },
        { mark: "heatmap", x, y: color, color: y },
      ] as const;
      const chart = plotTable(frame.table, { ...marks[i % 3], ...(text !== "" && { title: text }) }, frame.source);
      const words = [...expressionsOf(compile(chart.spec).spec)].flatMap((text) =>
        identifiersOf(parseExpression(text)),
      );
      plain[i % 3] ??= new Set(words);
      const known = plain[i % 3];
      expect(
        words.filter((word) => !known.has(word)),
        text,
      ).toEqual([]);
      const svg = chart.toSVG();
      const tags = [...svg.matchAll(/<(\/?)(\w+)((?:\s[\w:-]+="[^"<]*")*)\/?>/g)];
      expect(tags.length, text).toBe(svg.split("<").length - 1);
      expect(svg).not.toMatch(/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/);
      if (i % 5 === 0) expect(chart.toPNG({ scale: 1 }).length).toBeGreaterThan(100);
      for (const [, , name, attributes] of tags) {
        expect(SVG_ELEMENTS).toContain(name);
        for (const [, key] of attributes.matchAll(/\s([\w:-]+)="[^"<]*"/g))
          expect(key).not.toMatch(/^(?:on|href|xlink:href|src)/);
      }
    }
  });
});

const SVG_ELEMENTS = [
  "svg",
  "g",
  "path",
  "text",
  "rect",
  "defs",
  "clipPath",
  "line",
  "tspan",
  "linearGradient",
  "stop",
];
const require = createRequire(import.meta.url);
const { compile } = require("vega-lite") as { compile(spec: object): { spec: object } };
const { parseExpression } = require("vega") as { parseExpression(text: string): object };

/** The identifiers of a parsed expression: what it can do. Column names may appear in literals only. */
function identifiersOf(node: unknown): string[] {
  if (typeof node !== "object" || node === null) return [];
  const { type, name } = node as { readonly type?: string; readonly name?: string };
  if (type === "Identifier" && name !== undefined) return [name];
  return Object.values(node).flatMap(identifiersOf);
}

/** Every text of a compiled chart that Vega reads as an expression. */
function* expressionsOf(value: unknown, key = ""): Generator<string> {
  if (typeof value === "string" && ["signal", "expr", "update", "test", "labelExpr"].includes(key)) yield value;
  if (typeof value !== "object" || value === null) return;
  for (const [name, inner] of Object.entries(value)) if (name !== "values") yield* expressionsOf(inner, name);
}
