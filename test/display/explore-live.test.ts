import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { type LiveViewSpec, offerLiveHost } from "../../src/display/base/live-view.js";
import { bundleOf } from "../../src/display/table/foreign.js";
import type { Column } from "../../src/frame/cells/column.js";
import { Frame } from "../../src/frame/frame.js";
import { columnSpecs } from "../support/column-specs.js";
import { forAllAsync } from "../support/for-all.js";
import { runs } from "../support/whole.js";
import { cellsOf, parseHtml } from "./html-reader.js";

/* explore() in a kernel with comms: what the page requests and receives. */
interface Page {
  readonly kind: "rows";
  readonly seq: number;
  readonly first: number;
  readonly matching: number;
  readonly numbers: number[];
  readonly cells: (string | null)[][];
  readonly faults: Record<string, string>;
}

interface Summary {
  readonly column: number;
  readonly summary: { readonly lines: readonly string[]; readonly label: string };
}

interface Query {
  readonly filters?: readonly string[];
  readonly sort?: { readonly column: number; readonly descending: boolean };
  readonly first?: number;
}

afterEach(() => offerLiveHost(undefined as never));

const turn = (): Promise<void> => new Promise((done) => setImmediate(done));

/** The live view of a frame, as a page uses it. */
function explored(frame: Frame, size?: number) {
  const specs: LiveViewSpec[] = [];
  const replies: Page[] = [];
  offerLiveHost({
    open(spec) {
      specs.push(spec);
      return { send: (page) => replies.push(page as Page), keep: () => undefined, close: () => undefined };
    },
  });
  const bundle = bundleOf(frame.explore({ ...(size !== undefined && { page: size }) })) as Record<string, string>;
  const [spec] = specs;
  let seq = 0;
  return {
    bundle,
    spec,
    replies,
    async ask({ filters = frame.columns.map(() => ""), sort, first = 0 }: Query): Promise<Page> {
      spec.onMessage({ kind: "page", seq: ++seq, filters, sort: sort ?? null, first });
      await turn();
      return replies.at(-1) as Page;
    },
  };
}

const prices = Frame.fromRows(
  [
    { ticker: "AAA", date: "2024-01-02", close: "10.10", volume: 5, note: "Rise" },
    { ticker: "BBB", date: "2024-01-03", close: "10.09", volume: null, note: null },
    { ticker: "AAA", date: "2024-01-04", close: null, volume: 9007199254740993n, note: "fall" },
    { ticker: "CCC", date: null, close: "-0.01", volume: 7, note: "" },
  ],
  columnSpecs({ ticker: "String", date: "Date", close: "BigDecimal(20,2)", volume: "Integer", note: "String" }),
);

const filter = (at: number, text: string): string[] => prices.columns.map((_, i) => (i === at ? text : ""));

describe("the bundle", () => {
  it("holds the static form, whose element the view names", () => {
    const { bundle, spec } = explored(prices);
    const { target, columns, total, size } = spec.state as Record<string, never>;
    expect(bundle["text/html"]).toContain(`<div id="${target as string}"><div>`);
    expect([Object.keys(bundle), total, size]).toEqual([["text/html", "text/plain"], 4, 100]);
    expect((columns as { name: string; type: string }[])[2]).toMatchObject({ name: "close", type: "BigDecimal(20,2)" });
    expect(explored(prices).spec.state["target"]).not.toBe(target);
  });

  it("says what the live form needs only where the page's own form lacks rows", () => {
    const long = Frame.fromColumns({ n: Int32Array.from({ length: 1_001 }, (_, i) => i) });
    const html = (frame: Frame) => (bundleOf(frame.explore()) as Record<string, string>)["text/html"];
    expect(html(long)).toContain("pip install anywidget");
    expect(html(prices)).not.toContain("anywidget");
    const body = html(long);
    expect(cellsOf(parseHtml(body.slice(0, body.indexOf("<script>")).trim()))[0]).toEqual(["", "n"]);
    const withScript = explored(long).bundle["text/html"];
    expect(withScript.length).toBeLessThan(60_000);
  });

  it("has a module that compiles", () => {
    const { module } = explored(prices).spec;
    expect(() => new Function(module.replace(/export default/, "return"))).not.toThrow();
  });
});

describe("a request", () => {
  it("returns the rows that match, exactly compared", async () => {
    const { ask } = explored(prices);
    expect(await ask({})).toMatchObject({ seq: 1, first: 0, matching: 4, numbers: [0, 1, 2, 3], faults: {} });
    for (const [column, text, rows] of [
      [2, ">10.09", [0]],
      [2, ">=10.09", [0, 1]],
      [2, "!=10.10", [1, 3]],
      [2, "-1..10.09", [1, 3]],
      [2, "null", [2]],
      [2, "!null", [0, 1, 3]],
      [2, "10.", [0, 1]],
      [3, "=9007199254740993", [2]],
      [3, "=9007199254740992", []],
      [1, ">=2024-01-03", [1, 2]],
      [1, "2024-01-02..2024-01-03", [0, 1]],
      [1, "2024-01", [0, 1, 2]],
      [0, "aa", [0, 2]],
      [0, "=AAA", [0, 2]],
      [0, "=aaa", []],
      [4, "RISE", [0]],
      [4, ">", [0, 1, 2, 3]],
      [4, "  ", [0, 1, 2, 3]],
    ] as const) {
      const { numbers, faults } = await ask({ filters: filter(column, text) });
      expect([column, text, numbers, faults]).toEqual([column, text, [...rows], {}]);
    }
  });

  it("reports a filter that does not fit its column, and applies the others", async () => {
    const { ask } = explored(prices);
    const filters = ["AAA", ">=2024-13-01", ">x", "", ""];
    const { numbers, faults } = await ask({ filters });
    expect(numbers).toEqual([0, 2]);
    expect(Object.keys(faults)).toEqual(["1", "2"]);
    expect(faults["2"]).toMatch(/close|x/);
  });

  it("sorts, and pages from within the rows", async () => {
    const { ask } = explored(prices, 2);
    const sort = { column: 2, descending: true };
    expect((await ask({ sort })).cells[2]).toEqual(["10.10", "10.09"]);
    expect(await ask({ sort, first: 2 })).toMatchObject({ first: 2, numbers: [3, 2], matching: 4 });
    expect(await ask({ sort, first: 1e9 })).toMatchObject({ first: 2 });
    expect(await ask({ filters: filter(0, "none"), first: 2 })).toMatchObject({ first: 0, numbers: [], matching: 0 });
  });

  it.each([
    null,
    5,
    "page",
    {},
    { kind: "page" },
    { kind: "page", seq: 1, first: -1, filters: ["", "", "", "", ""] },
    { kind: "page", seq: 1.5, first: 0, filters: ["", "", "", "", ""] },
    { kind: "page", seq: 1, first: 0, filters: [""] },
    { kind: "page", seq: 1, first: 0, filters: ["", "", "", "", 5] },
    { kind: "page", seq: 1, first: 0, filters: "12345" },
    { kind: "summary", columns: "01" },
    { kind: "summary", columns: [5] },
    { kind: "summary", columns: [-1] },
  ])("that is malformed (%j) is ignored", async (message) => {
    const { spec, replies } = explored(prices);
    spec.onMessage(message);
    await turn();
    expect(replies).toEqual([]);
  });

  it("for summaries is answered for these columns, beside pages", async () => {
    const { spec, replies, ask } = explored(prices);
    spec.onMessage({ kind: "summary", columns: [2, 0] });
    await ask({});
    await turn();
    await turn();
    const found = replies.filter(({ kind }) => (kind as string) === "summary") as unknown as Summary[];
    expect(found.map(({ column, summary: { lines } }) => [column, lines])).toEqual([
      [2, ["-0.01 … 10.10", "1 null · 3 distinct"]],
      [0, ["AAA 50%", "3 distinct"]],
    ]);
    expect(found[1].summary.label).toBe(
      "ticker: AAA to CCC; most frequent AAA 50%, BBB 25%, CCC 25%; no nulls; 3 distinct",
    );
  });

  it("compares booleans", async () => {
    const { ask } = explored(Frame.fromColumns({ is: [true, false, null] }));
    expect(await ask({ filters: ["=true"] })).toMatchObject({ numbers: [0], faults: {} });
    expect(await ask({ filters: ["!=TRUE"] })).toMatchObject({ numbers: [1], faults: {} });
  });

  it("with an unknown column to sort by is not sorted", async () => {
    const { ask } = explored(prices);
    expect((await ask({ sort: { column: 5, descending: false } })).numbers).toEqual([0, 1, 2, 3]);
  });

  it("is answered once where 10,000 arrive at a time: the newest", async () => {
    const { spec, replies } = explored(prices);
    for (let seq = 1; seq <= 10_000; seq++) {
      spec.onMessage({ kind: "page", seq, first: 0, filters: filter(0, seq % 2 ? "BBB" : "AAA") });
    }
    await turn();
    await turn();
    expect(replies.map(({ seq, numbers }) => [seq, numbers])).toEqual([[10_000, [0, 2]]]);
  });
});

it("filters and sorts as the frame's own verbs", async () => {
  const cell = fc.option(fc.integer({ min: -20, max: 20 }), { nil: null });
  const row = fc.record({ n: cell, d: cell, s: fc.option(fc.constantFrom("a", "b", "ab", ""), { nil: null }) });
  const types = columnSpecs({ n: "Integer", d: "BigDecimal(9,2)", s: "String" });
  const sign = fc.constantFrom(["<", "lt"], ["<=", "le"], [">", "gt"], [">=", "ge"], ["=", "eq"], ["!=", "ne"]);
  await forAllAsync(
    runs(300),
    fc.array(row, { maxLength: 30 }),
    sign,
    fc.integer({ min: -21, max: 21 }),
    fc.constantFrom("a", "b", ""),
    fc.constantFrom(0, 1, 2),
    fc.boolean(),
    async (rows, [mark, method], limit, part, column, descending) => {
      const frame = Frame.fromRows(rows, types);
      const { ask } = explored(frame);
      const { cells, matching } = await ask({
        filters: ["", `${mark}${limit}.00`, part],
        sort: { column, descending },
      });
      const computed = (from: Frame, name: string) => from.column(name) as never as Record<string, Test>;
      let expected = frame.filter(computed(frame, "d")[method](`${limit}.00`));
      if (part !== "") expected = expected.filter(computed(expected, "s")["contains"](part));
      expected = expected.sort([types[column].name, descending ? "desc" : "asc"]);
      expect(matching).toBe(expected.numRows);
      expect(cells).toEqual(types.map(({ name }) => expected.column(name).toStrings()));
    },
  );
});

type Test = (other: string) => Column<boolean | null>;
