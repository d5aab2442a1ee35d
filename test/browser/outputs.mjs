// The outputs under test: made by the built package, from the sample data and from text that imitates markup.
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { connect, Frame, progress } from "arrowbook";
import { charts } from "./charts.mjs";

const SHOW = Symbol.for("Jupyter.display");
export const bundleOf = (value) => JSON.parse(JSON.stringify(value[SHOW]()));

/** Everything a notebook may show, by name. */
export async function outputs() {
  const service = await connect.sample();
  try {
    const prices = await service
      .table("MARKET/PRICES")
      .where({ ticker: "AAA", date: { gte: "2023-01-01" } })
      .frame();
    const series = await service
      .dataset("MARKET/AAA")
      .from("2015-01-01")
      .collapse("monthly")
      .transform("rdiff")
      .frame();
    const metadata = await service.table("TRANSPORT/STRIKES").metadata();
    let error;
    try {
      prices.column("clsoe");
    } catch (caught) {
      error = caught;
    }
    return {
      table: bundleOf(prices),
      wide: bundleOf(await service.dataset("LABOR/EMPLOYMENT").limit(5).frame()),
      column: bundleOf(prices.column("close")),
      chart: bundleOf(series.plot({ y: "Close" })),
      candles: bundleOf(prices.tail(90).plot({ mark: "candlestick" })),
      explore: bundleOf(prices.explore()),
      query: bundleOf(service.dataset("MARKET/AAA").collapse("monthly")),
      metadata: bundleOf(metadata),
      error: bundleOf(error),
      progress: progressBundle(),
    };
  } finally {
    await service.close();
  }
}

/** Charts of several series, for what the mouse does in them. */
export async function chartOutputs() {
  const service = await connect.sample();
  try {
    const prices = await service
      .table("MARKET/PRICES")
      .where({ ticker: ["AAA", "BBB", "CCC", "DDD"], date: { gte: "2022-01-01" } })
      .frame();
    const wide = prices.pivot({ index: "date", columns: "ticker", values: "close" });
    return Object.fromEntries(Object.entries(charts(prices, wide)).map(([name, chart]) => [name, bundleOf(chart)]));
  } finally {
    await service.close();
  }
}

/** What a bar sends to a notebook half way. */
function progressBundle() {
  const sent = [];
  globalThis.Deno = { jupyter: { display: (bundle) => void sent.push(bundle) } };
  const bar = progress("export");
  bar({ code: "MARKET/PRICES", phase: "download", rows: 31_000, bytes: 10_000_000, total: 40_000_000 });
  delete globalThis.Deno;
  return sent[0];
}

const repository = fileURLToPath(new URL("../..", import.meta.url));
const cases = process.env.ARROWBOOK_CASES ?? `${repository}../shared/cases`;

const OWN = [
  "<script>window.pwned('own')</script>",
  "<img src=x onerror=\"window.pwned('own')\">",
  "<svg onload=window.pwned('own')>",
  '"><iframe src="javascript:parent.pwned(\'own\')"></iframe>',
  "</script><script>window.pwned('own')</script>",
  '\\");window.pwned("own");//',
  "a'\\\"b[c].d",
];

/** Texts that want to be markup: the shared cases where they lie beside the repository, and a few of our own. */
export function payloads() {
  const path = `${cases}/xss/dompurify-expect.json`;
  const shared = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")).map(({ payload }) => payload) : [];
  return { all: [...OWN, ...shared], shared: shared.length };
}

/**
 * Outputs that hold those texts everywhere: cells, names, titles, descriptions, error texts, charts and live tables.
 */
export function hostileOutputs(texts) {
  const rows = texts.map((text, i) => ({ text, number: i + 1, date: new Date(Date.UTC(2024, 0, 1 + i)) }));
  const columns = [
    { name: "text", type: "String" },
    { name: "number", type: "Integer" },
    { name: "date", type: "Date" },
  ];
  const long = Frame.fromRows(rows, columns);
  const wide = Frame.fromRows([Object.fromEntries(texts.map((text, i) => [`${text}`, i]))].slice(0, 1));
  const found = {};
  const size = 40;
  for (let from = 0; from < texts.length; from += size) {
    const some = texts.slice(from, from + size);
    const source = { code: some[0], name: some[1] ?? "", description: some[2] ?? "", refreshed_at: some[3] ?? "" };
    const part = Frame.from(long.slice(from, from + size).table, source);
    found[`cells${from}`] = { "text/html": part.toHTML({ maxRows: size, maxText: 10_000 }), "text/plain": "" };
    found[`names${from}`] = { "text/html": wide.select(...some).toHTML({ maxColumns: size }), "text/plain": "" };
    found[`explore${from}`] = bundleOf(
      Frame.from(part.rename(["text", some[4] ?? "n", "date"]).table, source).explore({ rows: size, page: size }),
    );
    found[`bars${from}`] = bundleOf(
      part
        .rename({ number: some[5] ?? "n" })
        .plot({ x: "text", y: some[5] ?? "n", mark: "bar", title: some[6] ?? "t" }),
    );
    found[`lines${from}`] = bundleOf(
      part
        .rename({ number: some[0], date: some[1] ?? "d" })
        .plot({ x: some[1] ?? "d", y: some[0], color: "text", mark: "point" }),
    );
  }
  for (const [i, text] of texts.entries()) {
    let error;
    try {
      long.column(text);
    } catch (caught) {
      error = caught;
    }
    found[`error${i}`] = bundleOf(error);
  }
  return found;
}
