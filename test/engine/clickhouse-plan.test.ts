import { Field, Float16, List, Schema } from "apache-arrow";
import fc from "fast-check";
import { expect, it } from "vitest";
import { schemaOf } from "../../src/columns/arrow/schema.js";
import { targetOf } from "../../src/engine/clickhouse/options.js";
import { planLoad, planText } from "../../src/engine/clickhouse/plan.js";
import { quoteName, quoteText } from "../../src/engine/clickhouse/statement.js";
import { columnSpecs } from "../support/column-specs.js";
import { forAll } from "../support/for-all.js";

const schema = schemaOf(
  columnSpecs({
    ticker: "String",
    date: "Date",
    close: "BigDecimal(15,4)",
    wide: "BigDecimal(50,28)",
    at: "DateTime",
    flag: "Boolean",
    n: "Integer",
    x: "double",
  }),
);
const request = {
  database: "prices",
  name: "it's `sep`",
  schema,
  key: ["ticker", "date"],
  orderBy: [],
  shardBy: [],
  cluster: undefined,
  id: "1",
  publish: "exchange",
  shardRows: undefined,
} as const;

it("one server: a staging table that is counted and exchanged", () => {
  expect(planText(planLoad(request))).toMatchInlineSnapshot(`
    "CREATE TABLE IF NOT EXISTS \`prices\`.\`arrowbook_load_1\` (
      \`ticker\` LowCardinality(String),
      \`date\` Date32,
      \`close\` Nullable(Decimal(15,4)),
      \`wide\` Nullable(Decimal(50,28)),
      \`at\` Nullable(DateTime64(3,'UTC')),
      \`flag\` Nullable(Bool),
      \`n\` Nullable(Int64),
      \`x\` Nullable(Float64)
    ) ENGINE = ReplacingMergeTree ORDER BY (\`ticker\`, \`date\`) SETTINGS non_replicated_deduplication_window = 10000;
    INSERT INTO \`prices\`.\`arrowbook_load_1\` (\`ticker\`, \`date\`, \`close\`, \`wide\`, \`at\`, \`flag\`, \`n\`, \`x\`) FORMAT ArrowStream;
    SELECT count() AS n FROM \`prices\`.\`arrowbook_load_1\` FINAL;
    EXCHANGE TABLES \`prices\`.\`arrowbook_load_1\` AND \`prices\`.\`it's \\\`sep\\\`\`;
    DROP TABLE IF EXISTS \`prices\`.\`arrowbook_load_1\` SYNC;"
  `);
});

it("one server: without a key, renamed or added", () => {
  const sql = (publish: "rename" | "add") => planLoad({ ...request, key: [], publish });
  expect(sql("rename").create[0]).toContain("ENGINE = MergeTree ORDER BY tuple()");
  expect(sql("rename").drop).toEqual([]);
  expect(sql("add").publish).toBe(
    "ALTER TABLE `prices`.`arrowbook_load_1` MOVE PARTITION tuple() TO TABLE `prices`.`it's \\`sep\\``",
  );
  expect(sql("add").count).not.toContain("FINAL");
});

it("a cluster: replicated tables and a distributed one, sharded by the key", () => {
  expect(planText(planLoad({ ...request, name: "sep", cluster: "all", publish: "rename" }))).toMatchInlineSnapshot(`
    "CREATE TABLE IF NOT EXISTS \`prices\`.\`arrowbook_rows_1\` ON CLUSTER \`all\` (
      \`ticker\` LowCardinality(String),
      \`date\` Date32,
      \`close\` Nullable(Decimal(15,4)),
      \`wide\` Nullable(Decimal(50,28)),
      \`at\` Nullable(DateTime64(3,'UTC')),
      \`flag\` Nullable(Bool),
      \`n\` Nullable(Int64),
      \`x\` Nullable(Float64)
    ) ENGINE = ReplicatedReplacingMergeTree ORDER BY (\`ticker\`, \`date\`) SETTINGS replicated_deduplication_window = 10000;
    CREATE TABLE IF NOT EXISTS \`prices\`.\`arrowbook_load_1\` ON CLUSTER \`all\` AS \`prices\`.\`arrowbook_rows_1\` ENGINE = Distributed('all', 'prices', 'arrowbook_rows_1', cityHash64(\`ticker\`, \`date\`));
    INSERT INTO \`prices\`.\`arrowbook_load_1\` (\`ticker\`, \`date\`, \`close\`, \`wide\`, \`at\`, \`flag\`, \`n\`, \`x\`) FORMAT ArrowStream;
    SELECT count() AS n FROM \`prices\`.\`arrowbook_load_1\` FINAL;
    RENAME TABLE \`prices\`.\`arrowbook_load_1\` TO \`prices\`.\`sep\` ON CLUSTER \`all\`;"
  `);
});

it("a cluster: the distributed tables are exchanged and the old rows dropped; added rows are moved on each shard", () => {
  const old = { ...request, name: "sep", cluster: "all", shardRows: "arrowbook_rows_0", shardBy: ["ticker"] };
  const exchanged = planLoad(old);
  expect(exchanged.create[1]).toContain("cityHash64(`ticker`)");
  expect(exchanged.publish).toBe("EXCHANGE TABLES `prices`.`arrowbook_load_1` AND `prices`.`sep` ON CLUSTER `all`");
  expect(exchanged.drop.map((sql) => sql.split(" ")[4])).toEqual([
    "`prices`.`arrowbook_load_1`",
    "`prices`.`arrowbook_rows_0`",
  ]);
  expect(exchanged.undo.join()).not.toContain("arrowbook_rows_0");
  const added = planLoad({ ...old, publish: "add" });
  expect(added.publish).toBe(
    "ALTER TABLE `prices`.`arrowbook_rows_1` ON CLUSTER `all` MOVE PARTITION tuple() TO TABLE `prices`.`arrowbook_rows_0`",
  );
  expect([...added.drop, ...added.undo].join()).not.toContain("arrowbook_rows_0");
  expect(planLoad({ ...old, key: [], shardBy: [] }).create[1]).toContain("rand()");
});

it("refuses shards by other columns than those of the key, and types that ClickHouse cannot hold", () => {
  const refused = (change: object, code: string) =>
    expect(() => planLoad({ ...request, cluster: "all", ...change })).toThrow(expect.objectContaining({ code }));
  refused({ shardBy: ["tickers"] }, "UnknownColumn");
  refused({ shardBy: ["close"] }, "BadArgument");
  for (const type of [new Float16(), new List(new Field("item", new Float16()))]) {
    refused({ schema: new Schema([new Field("odd", type)]), key: [] }, "UnsupportedType");
  }
});

it("quotes any name and text so that it ends where it should", () => {
  forAll(100, fc.string({ unit: fc.constantFrom("a", "`", "'", "\\", '"', "\n", "é") }), (text) => {
    for (const [quote, sql] of [
      ["`", quoteName(text)],
      ["'", quoteText(text)],
    ]) {
      const inner = sql.slice(1, -1);
      expect(inner.replace(/\\([\s\S])/g, "$1")).toBe(text);
      expect(inner.replace(/\\[\s\S]/g, "")).not.toContain(quote);
    }
  });
});

it.each([
  ["clickhouse://host", "http://host:8123", "default", "", undefined],
  ["clickhouse://u:p%40ss@host/prices", "http://host:8123", "u", "p@ss", "prices"],
  ["clickhouses://host/db", "https://host:8443", "default", "", "db"],
  ["clickhouse://host:9443/db?secure=true", "https://host:9443", "default", "", "db"],
  ["http://127.0.0.1:18123", "http://127.0.0.1:18123", "default", "", undefined],
  ["https://u@host", "https://host:8443", "u", "", undefined],
])("reads the address %s", (address, url, user, password, database) => {
  expect(targetOf(address, {})).toMatchObject({ url, user, password, database });
});

it("options come before the address, and wrong ones are refused without the password", () => {
  expect(targetOf("clickhouse://u:p@host/a", { user: "v", password: "q", database: "b" })).toMatchObject({
    user: "v",
    password: "q",
    database: "b",
  });
  for (const address of ["host", "ftp://u:verysecret@host", "clickhouse://", "postgres://u:verysecret@host/db"]) {
    expect(() => targetOf(address, {})).toThrow(
      expect.objectContaining({ code: "BadAddress", message: expect.not.stringContaining("verysecret") }),
    );
  }
  expect(() => targetOf("clickhouse://host", { retry: 1 } as never)).toThrow(
    expect.objectContaining({ code: "UnknownOption" }),
  );
  expect(() => targetOf("clickhouse://host", { timeout: -1 })).toThrow(
    expect.objectContaining({ code: "BadArgument" }),
  );
});
