// The calls of the npm client `quandl` 0.0.6, each with the same question in this package.
import { createRequire } from "node:module";
import { rowsOf } from "./python-calls.mjs";

const require = createRequire(import.meta.url);
const AAA = { source: "MARKET", table: "AAA" };

/** The client at a service; each method as a promise of the parsed body. */
export function npmClient(url) {
  require("quandl/config").base_uri = url;
  const Quandl = require("quandl");
  const client = new Quandl({ auth_token: "sample" });
  const call = (method, ...args) =>
    new Promise((resolve, reject) => client[method](...args, (error, body) => (error ? reject(error) : resolve(body))));
  return { call, json: async (...args) => JSON.parse(await call(...args)) };
}

const series = (change) => async (s) => rowsOf(await change(s.dataset("MARKET/AAA")).frame());

export const npmCalls = [
  ["dataset(AAA)", async (c) => (await c.json("dataset", AAA, {})).dataset.data, series((q) => q)],
  [
    "dataset(AAA, { rows, sort_order, trim_start, trim_end, transformation })",
    async (c) =>
      (
        await c.json("dataset", AAA, {
          rows: 5,
          sort_order: "asc",
          trim_start: "2024-01-01",
          trim_end: "2024-06-30",
          collapse: "weekly",
          transformation: "diff",
        })
      ).dataset.data,
    series((q) => q.from("2024-01-01").to("2024-06-30").collapse("weekly").transform("diff").order("asc").limit(5)),
  ],
  [
    "dataset(AAA, { format: csv })",
    async (c) => (await c.call("dataset", AAA, { format: "csv", limit: 3 })).split("\n").length - 2,
    async () => 3,
  ],
  [
    "metadata(AAA)",
    async (c) => (await c.json("metadata", AAA, {})).dataset.name,
    async (s) => (await s.dataset("MARKET/AAA").metadata()).name,
  ],
  [
    "search(text)",
    async (c) => (await c.json("search", "AAA daily", {})).datasets.map((d) => d.dataset_code),
    async () => ["AAA"],
  ],
  [
    "dataset(unknown)",
    async (c) => (await c.json("dataset", { source: "MARKET", table: "NO" }, {})).quandl_error.code,
    async () => "QECx02",
  ],
  [
    "multiset(codes)",
    async (c) => (await c.json("multiset", [AAA], {})).data,
    undefined,
    "`/multisets` belongs to the first version of that service's interface, which this one does not resemble.",
  ],
  [
    "favorites()",
    async (c) => (await c.json("favorites", {})).datasets,
    undefined,
    "A list of an account's own; the embedded service has keys, not accounts.",
  ],
];
