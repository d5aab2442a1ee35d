import type { DuckDBConnection } from "@duckdb/node-api";
import { expect, it } from "vitest";
import { textRows } from "../../src/columns/build/text-rows.js";
import { loadApi, openInstance } from "../../src/engine/duckdb/instance.js";
import { loadRows } from "../../src/engine/duckdb/load.js";

const table = (type: string, cell: string) =>
  textRows(
    [["1", cell]],
    [
      { name: "k", type: "Integer" },
      { name: "x", type },
    ],
  ).table();

/** A connection whose statement number `failing` and those after it are lost, as after a kill. */
function failingFrom(own: DuckDBConnection, failing: number): { own: DuckDBConnection; ran: () => number } {
  let ran = 0;
  const run = (sql: string) => {
    if (++ran >= failing) throw new Error("lost");
    return own.run(sql);
  };
  const proxy = new Proxy(own, {
    get(target, name) {
      if (name === "run") return run;
      const value = Reflect.get(target, name) as unknown;
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  return { own: proxy, ran: () => ran };
}

it.each(["replace", "append", "upsert"] as const)(
  "a load that is lost after any statement leaves the rows and types of before, or all of after: %s",
  async (mode) => {
    const api = await loadApi();
    const seen = new Set<string>();
    for (let failing = 1, finished = false; !finished; failing++) {
      const instance = await openInstance(api, undefined, {});
      const own = await instance.connect();
      const load = (connection: DuckDBConnection, staging: string, type: string, cell: string) =>
        loadRows(api, connection, {
          name: "t",
          staging,
          data: table(type, cell),
          options: { mode, ...(mode === "upsert" && { key: ["k"] }) },
          inTurn: (step) => step(),
        });
      const before = mode === "replace" ? "BigDecimal(60,2)" : "BigDecimal(50,4)";
      await load(own, "first", before, "1.00");
      const second = await instance.connect();
      const lossy = failingFrom(second, failing);
      finished = await load(lossy.own, "staged", "BigDecimal(50,4)", "2.0000").then(
        () => true,
        () => false,
      );
      second.closeSync();
      const found = await own.runAndReadAll(
        `SELECT string_agg(x, ' ' ORDER BY x),
          (SELECT comment FROM duckdb_columns() WHERE table_name = 't' AND column_name = 'x') FROM t`,
      );
      seen.add(found.getRows()[0].join(" "));
      own.closeSync();
      instance.closeSync();
    }
    const after = { replace: "2.0000", append: "1.0000 2.0000", upsert: "2.0000" }[mode];
    const first = mode === "replace" ? "1.00 BigDecimal(60,2)" : "1.0000 BigDecimal(50,4)";
    expect([...seen]).toEqual([first, `${after} BigDecimal(50,4)`]);
  },
);
