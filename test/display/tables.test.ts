import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { JUPYTER_DISPLAY } from "../../src/display/base/show.js";
import { htmlTable } from "../../src/display/table/html.js";
import { textTable } from "../../src/display/table/text.js";
import { Frame } from "../../src/frame/frame.js";
import { columnSpecs } from "../support/column-specs.js";
import { cellsOf, parseHtml, textsOf } from "./html-reader.js";

const prices = Frame.fromRows(
  Array.from({ length: 50 }, (_, i) => ({
    ticker: i % 2 === 0 ? "AAA" : null,
    date: new Date(Date.UTC(2024, 0, 1 + i)),
    close: i === 1 ? null : `${i * 1000}.5`,
    ratio: [0.5, 12, 1e21, -3.25, Number.NaN][i % 5],
  })),
  columnSpecs({ ticker: "String", date: "Date", close: "BigDecimal(15,4)", ratio: "double" }),
  {
    code: "MARKET/PRICES",
    name: "Prices",
    description: "Seeded prices",
    refreshed_at: "2024-06-01T00:00:00Z",
    filters: [{ column: "date", operator: "gte", values: ["2024-01-01"] }],
    complete: false,
  },
);

describe("htmlTable", () => {
  const html = htmlTable(prices.table, { source: prices.source });
  const page = parseHtml(html);

  it("has names, a row of types, head, gap and tail", () => {
    const rows = cellsOf(page);
    expect(rows[0]).toEqual(["", "ticker", "date", "close", "ratio"]);
    expect(rows[1]).toEqual(["", "String", "Date", "BigDecimal(15,4)", "double"]);
    expect(rows.length).toBe(2 + 20 + 1);
    expect(rows[2].slice(0, 4)).toEqual(["0", "AAA", "2024-01-01", "0.5000"]);
    expect(rows[3].slice(0, 4)).toEqual(["1", "null", "2024-01-02", "null"]);
    expect(rows[16]).toEqual(["…", "…", "…", "…", "…"]);
    expect(rows[22].slice(0, 4)).toEqual(["49", "null", "2024-02-19", "49000.5000"]);
  });

  it("puts points in line with spaces of a digit's width", () => {
    const rows = cellsOf(page);
    expect(rows[2][4]).toBe("0.5\u2007");
    expect(rows[3][4]).toBe("12.0\u2007");
    expect(rows[5][4]).toBe("-3.25");
  });

  it("says what it is: title, description, shape, source, truncated or complete", () => {
    const text = textsOf(page).join(" ");
    for (const part of [
      "Prices",
      "Seeded prices",
      "50 rows × 4 columns",
      "MARKET/PRICES",
      "date ≥ 2024-01-01",
      "refreshed 2024-06-01T00:00:00Z",
      "truncated: the service has more rows",
    ]) {
      expect(text).toContain(part);
    }
    expect(htmlTable(prices.table, { source: { code: "A/B", complete: true } })).toContain("A/B · complete");
  });

  it("is styled by the notebook: class dataframe, no style block, nothing that fixes a colour", () => {
    expect(html).toContain('<table border="1" class="dataframe">');
    expect(html).not.toMatch(/<style|<script|color:|background/i);
  });

  it("keeps long text in the title and distinguishes empty text from null", () => {
    const long = "x".repeat(100);
    const frame = Frame.fromRows([{ s: long }, { s: "" }, { s: null }, { s: "null" }]);
    const html = htmlTable(frame.table);
    expect(html).toContain(`title="${long}"`);
    expect(cellsOf(parseHtml(html)).slice(2)).toEqual([
      ["0", `${"x".repeat(59)}…`],
      ["1", "empty"],
      ["2", "null"],
      ["3", "null"],
    ]);
    expect(html.match(/<em /g)?.length).toBe(2);
  });

  it("folds wide tables and counts what is hidden", () => {
    const wide = Frame.fromRows([Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`c${i}`, i]))]);
    const [names] = cellsOf(parseHtml(htmlTable(wide.table)));
    expect(names.length).toBe(1 + 20 + 1);
    expect(names[11]).toBe("… 10 more");
    expect(names.slice(10, 13)).toEqual(["c9", "… 10 more", "c20"]);
  });

  it("draws sparklines as pictures that untrusted notebooks keep", () => {
    const html = htmlTable(prices.table, { sparklines: ["close"] });
    expect(html).toMatch(/<img src="data:image\/svg\+xml;base64,[\w+/=]+" width="96" height="24" alt="[▁-█ ]+">/);
  });

  it("shows tables without rows or columns", () => {
    const empty = prices.head(0);
    expect(textsOf(parseHtml(empty.toHTML())).join(" ")).toContain("0 rows × 4 columns");
    expect(Frame.fromRows([], []).toHTML()).toContain("0 rows × 0 columns");
    expect(String(Frame.fromRows([], []))).toContain("0 rows × 0 columns");
  });
});

describe("textTable", () => {
  it("is the aligned twin", () => {
    expect(textTable(prices.slice(0, 5).table).split("\n").slice(0, -1)).toEqual(
      [
        "   ticker  date                   close   ratio",
        "   String  Date        BigDecimal(15,4)  double",
        "0  AAA     2024-01-01            0.5000    0.5 ",
        "1  null    2024-01-02              null   12.0 ",
        "2  AAA     2024-01-03         2000.5000   1e+21",
        "3  null    2024-01-04         3000.5000   -3.25",
        "4  AAA     2024-01-05         4000.5000     NaN",
      ].map((line) => line.trimEnd()),
    );
  });

  it("folds columns to the width and counts them", () => {
    const wide = Frame.fromRows([Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`column${i}`, i]))]);
    const lines = textTable(wide.table, { width: 60 }).split("\n");
    expect(Math.max(...lines.slice(0, -1).map((line) => line.length))).toBeLessThanOrEqual(60);
    const shown = lines[0].match(/column\d+/g)?.length ?? 0;
    expect(lines[0]).toContain(`… ${30 - shown} more`);
  });

  it("lets no control character, ANSI sequence or direction override through", () => {
    const evil = "a\u001b[31mred\u0007\u009b1m\u202egnp.exe\r\nb\tc\u0000";
    const frame = Frame.fromRows([{ [evil]: evil }], undefined, { code: evil, name: evil });
    const text = textTable(frame.table, { source: frame.source });
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    expect(text).toContain("a␛[31mred␇");
  });

  it("aligns wide characters and emoji", () => {
    const frame = Frame.fromRows([
      { s: "漢字", n: 1 },
      { s: "👩‍👩‍👧", n: 2 },
      { s: "é", n: 3 },
      { s: "ab", n: 4 },
    ]);
    const lines = textTable(frame.table).split("\n");
    expect(lines.slice(2, 6)).toEqual([
      "0  漢字       1.0",
      "1  👩‍👩‍👧         2.0",
      "2  é          3.0",
      "3  ab         4.0",
    ]);
  });
});

describe("faces of a frame and its columns", () => {
  const bundleOf = (value: unknown): Record<string, string> =>
    (value as { [JUPYTER_DISPLAY](): Record<string, string> })[JUPYTER_DISPLAY]();

  it("has a bundle with HTML and plain text", () => {
    expect(Object.keys(bundleOf(prices))).toEqual(["text/html", "text/plain"]);
    expect(bundleOf(prices)["text/plain"]).toBe(textTable(prices.table, { source: prices.source }));
    expect(cellsOf(parseHtml(bundleOf(prices.column("close"))["text/html"]))[0]).toEqual(["", "close"]);
  });

  it("shows in a terminal, and short inside other values", () => {
    expect(inspect(prices.column("date"))).toContain("2024-01-01");
    expect(inspect({ prices, close: prices.column("close") })).toBe(
      '{ prices: [Frame 50 rows × 4 columns MARKET/PRICES], close: [Column "close" BigDecimal(15,4), 50 rows] }'
        .replace(
          "{ prices: [Frame 50 rows × 4 columns MARKET/PRICES], close",
          "{\n  prices: [Frame 50 rows × 4 columns MARKET/PRICES],\n  close",
        )
        .replace(" }", "\n}"),
    );
    expect(Object.keys(prices)).toEqual(["source"]);
  });

  it("renders five million rows by its first and last", () => {
    const long = Frame.fromRows([{ v: 0 }]).with({ v: [1.5] });
    const big = Frame.concat(Array.from({ length: 1 }, () => long)).take(new Uint32Array(5_000_000));
    expect(bundleOf(big)["text/plain"]).toContain("5,000,000 rows");
  });
});
