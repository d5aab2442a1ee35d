import { inspect } from "node:util";
import { createContext, runInContext } from "node:vm";
import { Table, vectorFromArray } from "apache-arrow";
import * as danfo from "danfojs-node";
import { afterEach, describe, expect, it, vi } from "vitest";
import { showAsCard } from "../../src/display/base/card.js";
import { JUPYTER_DISPLAY } from "../../src/display/base/show.js";
import { display } from "../../src/display/display.js";
import { progress } from "../../src/display/progress/progress.js";
import { bundleOf } from "../../src/display/table/foreign.js";
import { DataError, InputError } from "../../src/errors/errors.js";
import { rememberSecret } from "../../src/errors/secrets.js";
import { Frame } from "../../src/frame/frame.js";
import { fakeTslab, noTslab } from "./fake-tslab.js";
import { cellsOf, parseHtml } from "./html-reader.js";

afterEach(() => {
  noTslab();
  delete (globalThis as { Deno?: unknown }).Deno;
  vi.restoreAllMocks();
});

const one = Frame.fromRows([{ step: "one" }]);
const two = Frame.fromRows([{ step: "two" }]);

describe("display", () => {
  it("sends bundles to tslab, the same id again in one cell as an update", () => {
    const { sent, cell } = fakeTslab();
    display(one, { id: "x" });
    display(two, { id: "x" });
    cell();
    display(one, { id: "x" });
    display(two, { id: "x", update: true });
    display(one).update(two);
    expect(sent.map(({ update }) => update)).toEqual([false, true, false, true, false, true]);
    expect(sent.slice(0, 4).every(({ transient }) => transient.display_id === "x")).toBe(true);
    expect(sent[4].transient.display_id).toBe(sent[5].transient.display_id);
    expect(Object.keys(sent[0].data)).toEqual(["text/html", "text/plain"]);
    expect(sent[1].data["text/plain"]).toContain("two");
  });

  it("shows text where there is no bundle, and waits for promised ones", async () => {
    const { sent } = fakeTslab();
    display("plain");
    display(3);
    display({ [JUPYTER_DISPLAY]: () => Promise.resolve({ "text/plain": "later" }) });
    await Promise.resolve();
    expect(sent.map(({ data }) => data["text/plain"])).toEqual(["plain", "3", "later"]);
  });

  it("sends MIME bundles as they are, elements of a DOM as pictures or HTML, and tables as asked", () => {
    const { sent } = fakeTslab();
    const bundle = { "text/html": "<b>1</b>", "application/vnd.a+json": { a: 1 } };
    display(bundle).update({ "image/svg+xml": "<svg/>" });
    display({ outerHTML: '<svg class="plot"><g/></svg>' });
    display({ outerHTML: "<figure/>" });
    display([{ n: 1234567 }], { thousands: true }).update([{ n: 7654321 }]);
    display(Frame.fromRows([{ n: 1234567 }]), { thousands: true });
    for (const data of [{ "text/html": "a", "n/a": 1 }, { "px/open": 1 }, {}]) display(data);
    expect(sent.slice(0, 4).map(({ data }) => data)).toEqual([
      bundle,
      { "image/svg+xml": "<svg/>" },
      { "image/svg+xml": '<svg xmlns="http://www.w3.org/2000/svg" class="plot"><g/></svg>' },
      { "text/html": "<figure/>" },
    ]);
    const texts = sent.slice(4).map(({ data }) => data["text/plain"]);
    for (const [i, text] of ["1,234,567", "7,654,321", "1,234,567", "n/a", "px/open", "{}"].entries()) {
      expect(texts[i]).toContain(text);
    }
  });

  it("prints a MIME bundle as its text", () => {
    const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
    display({ "text/html": "<b>1</b>", "text/plain": "one" });
    display({ "text/html": "<b>1</b>" });
    expect(write.mock.calls).toEqual([["one\n"], ["{ 'text/html': '<b>1</b>' }\n"]]);
  });

  it("sends raw bundles to Deno", () => {
    const calls: unknown[][] = [];
    (globalThis as { Deno?: unknown }).Deno = { jupyter: { display: (...args: unknown[]) => calls.push(args) } };
    display(one, { id: "x" }).update(two);
    expect(calls.map(([, options]) => options)).toEqual([
      { raw: true, display_id: "x", update: false },
      { raw: true, display_id: "x", update: true },
    ]);
  });

  it("writes text to a terminal, without keys", () => {
    rememberSecret("very-secret-key-1");
    const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
    display(one);
    display("api very-secret-key-1");
    expect(write.mock.calls.map(([text]) => text)).toEqual([expect.stringContaining("one"), "api [key]\n"]);
  });
});

describe("tables of others", () => {
  const tableOf = (value: unknown): string[][] =>
    cellsOf(parseHtml((bundleOf(value) as Record<string, string>)["text/html"]));

  it("shows Arrow tables, Danfo frames and series, and arrays of rows", () => {
    expect(tableOf(new Table({ a: vectorFromArray([1.5, 2]) }))).toEqual([
      ["", "a"],
      ["", "double"],
      ["0", "1.5"],
      ["1", "2.0"],
    ]);
    const df = new danfo.DataFrame(
      [
        [1, "<b>"],
        [2, "y"],
      ],
      { columns: ["n", "s"] },
    );
    expect(tableOf(df)).toEqual([
      ["", "n", "s"],
      ["", "int32", "string"],
      ["0", "1", "<b>"],
      ["1", "2", "y"],
    ]);
    expect(tableOf(df["n"])).toEqual([
      ["", expect.any(String)],
      ["", "int32"],
      ["0", "1"],
      ["1", "2"],
    ]);
    expect(
      tableOf([
        { a: 1, b: null },
        { a: 2, c: new Date(0) },
      ]),
    ).toEqual([
      ["", "a", "b", "c"],
      ["", "number", "", "Date"],
      ["0", "1", "null", "null"],
      ["1", "2", "null", "1970-01-01T00:00:00.000Z"],
    ]);
  });

  it("leaves everything else alone", () => {
    for (const value of [null, undefined, 1, "x", [], [1, 2], [[1]], { a: 1 }, new Map(), [one]]) {
      expect(bundleOf(value)).toBeUndefined();
    }
  });
});

describe("cards", () => {
  it("shows an error with what, where, next step and nearest names, without a stack or key", () => {
    rememberSecret("very-secret-key-2");
    const error = new DataError("The cell is not a date.", {
      code: "BadCell",
      row: 3,
      column: "date",
      value: "2024-02-30",
      offset: 91,
      hint: "Correct the file at very-secret-key-2.",
      cause: new Error("calendar"),
    });
    expect(inspect(error)).toBe(
      [
        "DataError BadCell",
        "The cell is not a date.",
        "  row          3",
        "  column       date",
        "  value        2024-02-30",
        "  byte offset  91",
        "  because      calendar",
        "Correct the file at [key].",
      ].join("\n"),
    );
    const bundle = bundleOf(error) as Record<string, string>;
    expect(bundle["text/plain"]).toBe(inspect(error));
    expect(cellsOf(parseHtml(bundle["text/html"]))[2]).toEqual(["value", "2024-02-30"]);
    vi.stubEnv("ARROWBOOK_STACK", "1");
    expect(inspect(error)).toContain("live.test.ts");
    vi.unstubAllEnvs();
    try {
      one.column("stpe");
    } catch (unknown) {
      expect(inspect(unknown)).toContain('Did you mean "step"?');
      expect(unknown).toBeInstanceOf(InputError);
    }
  });

  it("renders any object without changing its members", () => {
    const metadata = showAsCard({ name: "Prices", key: null, columns: 8 }, (value) => ({
      title: value.name,
      entries: [
        ["columns", value.columns],
        ["key", value.key],
        ["nothing", undefined],
      ],
      next: "await query.frame()",
    }));
    expect(Object.keys(metadata)).toEqual(["name", "key", "columns"]);
    expect(inspect(metadata)).toBe("Prices\n  columns  8\n  key      null\nawait query.frame()");
    expect(JSON.stringify(metadata)).toBe('{"name":"Prices","key":null,"columns":8}');
  });
});

describe("progress", () => {
  const screen = () => {
    const drawn: string[][] = [];
    const ended: string[][] = [];
    return {
      drawn,
      ended,
      screen: {
        draw: (lines: readonly string[]) => void drawn.push([...lines]),
        end: (lines: readonly string[]) => void ended.push([...lines]),
      },
    };
  };

  it("shows rows, bytes, rate and time left", () => {
    const { drawn, ended, screen: here } = screen();
    const clock = vi.spyOn(performance, "now").mockReturnValue(0);
    const bar = progress("export", here);
    bar({ code: "MARKET/PRICES", phase: "download", bytes: 0, total: 40_000_000 });
    clock.mockReturnValue(2_000);
    bar({ code: "MARKET/PRICES", phase: "download", bytes: 10_000_000, total: 40_000_000, rows: 31_000 });
    expect(drawn[1]).toEqual([
      "export MARKET/PRICES downloading ▕███░░░░░░░▏ 25 % · 31,000 rows · 10 of 40 MB · 5.0 MB/s · 6.0 s left",
    ]);
    clock.mockReturnValue(8_000);
    bar({ code: "MARKET/PRICES", phase: "download", bytes: 40_000_000, total: 40_000_000, done: true });
    bar({ code: "MARKET/PRICES", phase: "rows", rows: 5 });
    bar.done();
    expect(ended[0]).toEqual([
      "export MARKET/PRICES: 40 MB downloaded in 8.0 s",
      "export MARKET/PRICES: 5 rows in 0.0 s",
    ]);
  });

  it("draws at most ten times a second, but every end", () => {
    const { drawn, screen: here } = screen();
    const clock = vi.spyOn(performance, "now").mockReturnValue(0);
    const bar = progress(undefined, here);
    for (let i = 0; i < 1_000; i++) {
      clock.mockReturnValue(i);
      bar({ rows: i });
    }
    bar({ rows: 1_000, done: true });
    expect(drawn.length).toBe(11);
    expect(drawn[10]).toEqual([expect.stringContaining("1,000 rows")]);
  });

  it("is one display that updates in a notebook, and nothing where standard error is piped", () => {
    const { sent } = fakeTslab();
    const bar = progress("x");
    bar({ rows: 1 });
    bar({ rows: 2, done: true });
    bar.done();
    expect(sent.map(({ update }) => update)).toEqual([false, true]);
    expect(new Set(sent.map(({ transient }) => transient.display_id)).size).toBe(1);
    expect(() => parseHtml(sent[1].data["text/html"])).not.toThrow();
    noTslab();
    const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    const quiet = progress("x");
    quiet({ rows: 1 });
    quiet.done();
    expect(write).not.toHaveBeenCalled();
  });
});

it("explores: the script is valid and bounded", () => {
  const frame = Frame.fromRows(Array.from({ length: 30 }, (_, i) => ({ n: i, s: `s${i}` })));
  const html = frame.explore({ rows: 10, page: 5 }).toHTML();
  const script = /<script>([\s\S]*)<\/script>$/.exec(html)?.[1] ?? "";
  expect(() => runInContext(`void function () { ${script} }`, createContext({}))).not.toThrow();
  const data = JSON.parse(/, (\{.*\})\)$/s.exec(script)?.[1] ?? "") as {
    cells: string[][];
    note: string;
    page: number;
  };
  expect([data.cells[0].length, data.page, data.note]).toEqual([10, 5, "the first 10 of 30 rows"]);
  expect(cellsOf(parseHtml(html.slice(0, html.indexOf("<script>")).trim()))[0]).toEqual(["", "n", "s"]);
});
