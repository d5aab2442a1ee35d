import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { trino } from "../../src/trino.js";

/* A real Trino, with the connectors tpch (generated data of a standard), memory and system. */
const address = process.env["TRINO_URL"];
if (address === undefined) throw new Error("These tests need a server: npm run test:trino");
const url = new URL(address).origin;
const user = new URL(address).username || "ann";
const server = trino({ url, user, catalog: "tpch", schema: "tiny" });

const typed = async (sql: string, params?: readonly unknown[]) => {
  const frame = await server.query(sql, params);
  return frame.columns.map(({ name, type }) => [type, ...frame.column(name).toStrings()]);
};

describe("types", () => {
  it.each([
    ["DECIMAL '99999999999999999999999999999999999999'", "BigDecimal(38,0)", "99999999999999999999999999999999999999"],
    [
      "DECIMAL '-0.00000000000000000000000000000000000001'",
      "BigDecimal(38,38)",
      "-0.00000000000000000000000000000000000001",
    ],
    ["DECIMAL '-12.50'", "BigDecimal(4,2)", "-12.50"],
    ["9223372036854775807", "Integer", "9223372036854775807"],
    ["CAST(-128 AS TINYINT)", "Integer", "-128"],
    ["0.1e0", "double", "0.1"],
    ["REAL '0.1'", "double", "0.1"],
    ["-infinity()", "double", "-Infinity"],
    ["DOUBLE '-0'", "double", "-0.0"],
    ["true", "Boolean", "true"],
    ["DATE '0001-01-01'", "Date", "0001-01-01"],
    ["DATE '9999-12-31'", "Date", "9999-12-31"],
    ["U&'\\00e9, \\+01f600, it''s'", "String", "é, 😀, it's"],
    ["CAST('abc' AS CHAR(5))", "String", "abc  "],
    ["X'65683F'", "String", "ZWg/"],
    ["JSON '{\"a\": [1, null]}'", "String", '{"a":[1,null]}'],
    ["UUID '12151fd2-7586-11e9-8f9e-2a86e4085a59'", "String", "12151fd2-7586-11e9-8f9e-2a86e4085a59"],
    ["IPADDRESS '::1'", "String", "::1"],
    ["INTERVAL '2' DAY", "String", "2 00:00:00.000"],
    ["INTERVAL '14' MONTH", "String", "1-2"],
    ["json_format(CAST(ARRAY[1, 2] AS JSON))", "String", "[1,2]"],
    ["CAST(NULL AS DECIMAL(10,2))", "BigDecimal(10,2)", null],
  ])("%s is %s %s", async (sql, type, text) => {
    expect(await typed(`SELECT ${sql} AS a`)).toEqual([[type, text]]);
  });

  it.each(Array.from({ length: 13 }, (_, digits) => digits))("timestamps of %i digits lose nothing", async (digits) => {
    const point = digits === 0 ? "" : `.${"123456789012".slice(0, digits)}`;
    const [plain, zoned, time] = await typed(
      `SELECT TIMESTAMP '2024-02-29 01:02:03${point}' AS a, TIMESTAMP '2024-02-29 01:02:03${point} UTC' AS b, TIME '01:02:03${point}' AS c`,
    );
    expect(plain).toEqual(["String", `2024-02-29 01:02:03${point}`]);
    expect(time).toEqual(["String", `01:02:03${point}`]);
    const shown = digits === 0 ? "" : `.${"123456789012".slice(0, digits).padEnd(3, "0")}`;
    expect(zoned).toEqual(
      digits <= 3 ? ["DateTime", `2024-02-29T01:02:03${shown}Z`] : ["String", `2024-02-29 01:02:03${point} UTC`],
    );
  });

  it("a timestamp of another zone is converted in the statement, as its error says", async () => {
    const sql = "SELECT TIMESTAMP '2024-02-29 01:02:03.123 Europe/Berlin'";
    const error = await server.query(`${sql} AS a`).catch((each) => each);
    expect(error).toMatchObject({ code: "BadCell", column: "a", hint: expect.stringContaining("AT TIME ZONE 'UTC'") });
    expect(await typed(`${sql} AT TIME ZONE 'UTC' AS a`)).toEqual([["DateTime", "2024-02-29T00:02:03.123Z"]]);
  });

  it.each(["ARRAY[1]", "MAP(ARRAY['a'], ARRAY[1])", "ROW(1, 'x')"])("%s is refused with a conversion", async (sql) => {
    await expect(server.query(`SELECT ${sql} AS a`)).rejects.toMatchObject({
      code: "UnsupportedType",
      hint: expect.stringContaining("json_format(CAST(a AS JSON))"),
    });
  });

  it.each(["-0001-01-01", "12024-01-01"])("the date %s, which no service writes, is an error", async (day) => {
    await expect(server.query(`SELECT DATE '${day}' AS a`)).rejects.toMatchObject({ code: "BadCell", column: "a" });
  });
});

describe("parameters", () => {
  it("are returned as they were bound", async () => {
    const values = ["it's; -- $2", -5, 2 ** 40, 0.1, -0, 2n ** 63n - 1n, 10n ** 37n, true, null, new Date(1234)];
    const columns = await typed(`SELECT ${values.map((_, i) => `$${i + 1} AS c${i}`).join(", ")}`, values);
    expect(columns.map(([, text]) => text)).toEqual([
      "it's; -- $2",
      "-5",
      "1099511627776",
      "0.1",
      "-0.0",
      "9223372036854775807",
      `1${"0".repeat(37)}`,
      "true",
      null,
      "1970-01-01T00:00:01.234Z",
    ]);
  });

  it("are integers where Trino needs them, and beside operators", async () => {
    expect(await typed("SELECT round(DECIMAL '2.345', $1) AS a, 1 -$2 AS b, 5 -$3 AS c", [2, -Infinity, -2])).toEqual([
      ["BigDecimal(5,3)", "2.350"],
      ["double", "Infinity"],
      ["Integer", "7"],
    ]);
    const some = await server.query(
      "SELECT name FROM nation WHERE regionkey = $1 ORDER BY name OFFSET $2 LIMIT $3",
      [1, 1, 2],
    );
    expect(some.column("name").toStrings()).toEqual(["BRAZIL", "CANADA"]);
  });
});

describe("a session", () => {
  it("keeps what USE, SET and PREPARE changed, for this engine alone", async () => {
    const own = trino({ url, user, catalog: "tpch", schema: "tiny", session: { query_max_run_time: "8m" } });
    const one = async (sql: string) => (await own.query(sql)).toArray({ decimals: "string" });
    const limit = async () => Object.values((await one("SHOW SESSION LIKE 'query_max_run_time'"))[0])[1];
    expect(await limit()).toBe("8m");
    await one("SET SESSION query_max_run_time = '9m'");
    expect(await limit()).toBe("9m");
    await one("RESET SESSION query_max_run_time");
    expect(await limit()).not.toBe("9m");
    await one("USE tpch.sf1");
    expect(await one("SELECT count(*) AS n FROM orders")).toEqual([{ n: 1_500_000 }]);
    expect((await server.query("SELECT count(*) AS n FROM orders")).toArray()).toEqual([{ n: 15_000 }]);
    await one("PREPARE p FROM SELECT 'é,= ' || ? AS a");
    expect(await one("EXECUTE p USING 'x'")).toEqual([{ a: "é,= x" }]);
    await one("DEALLOCATE PREPARE p");
    await expect(one("EXECUTE p USING 'x'")).rejects.toMatchObject({ code: "BadStatement" });
    await one("SET TIME ZONE 'Europe/Berlin'");
    expect(await one("SELECT current_timezone() AS zone")).toEqual([{ zone: "Europe/Berlin" }]);
  });
});

describe("errors", () => {
  it.each([
    ["SELECT * FROM nope", "BadStatement", /VENDOR/],
    ["SELECT nope FROM nation", "BadStatement", /VENDOR/],
    ["SELEC 1", "BadStatement", undefined],
    ["START TRANSACTION", "BadStatement", undefined],
    ["SELECT 1 / 0", "EngineData", undefined],
    ["SELECT CAST('x' AS BIGINT)", "EngineData", undefined],
    // After some millions of rows.
    ["SELECT 1 / (orderkey - 5999975) AS a FROM sf1.lineitem", "EngineData", undefined],
  ])("%s: %s", async (sql, code, hint) => {
    const error = await server.query(sql).catch((each) => each);
    expect(error).toMatchObject({ code });
    expect(error.hint ?? "").toMatch(hint ?? /^$/);
  });
});

describe("large results", () => {
  it("1.5 million rows are those that the server sums up, in batches of one schema", async () => {
    const columns = "orderkey, custkey, orderstatus, totalprice, orderdate, orderpriority, comment";
    let rows = 0;
    let keys = 0n;
    let letters = 0;
    const schemas = new Set<string>();
    const prices: number[] = [];
    for await (const batch of server.batches(`SELECT ${columns} FROM sf1.orders`)) {
      rows += batch.numRows;
      schemas.add(String(batch.schema));
      for (const key of batch.getChild("orderkey")!.toArray() as BigInt64Array) keys += key;
      for (const price of batch.getChild("totalprice")!.toArray() as Float64Array) prices.push(price);
      for (const text of batch.getChild("comment") ?? []) letters += text.length;
    }
    const sums = await server.query(
      "SELECT count(*) AS n, sum(orderkey) AS k, sum(length(comment)) AS l, max(totalprice) AS top, min(totalprice) AS low FROM sf1.orders",
    );
    expect(schemas.size).toBe(1);
    expect(sums.toArray({ decimals: "string" })).toEqual([
      {
        n: rows,
        k: Number(keys),
        l: letters,
        top: prices.reduce((a, b) => Math.max(a, b)),
        low: prices.reduce((a, b) => Math.min(a, b)),
      },
    ]);
    expect(rows).toBe(1_500_000);
  });

  it("an abort and a loop that is left end the query on the server", async () => {
    const states = async (mark: string) =>
      (await server.query("SELECT state FROM system.runtime.queries WHERE query LIKE $1", [`SELECT /* ${mark} */%`]))
        .column("state")
        .toStrings();
    const aborted = randomUUID();
    const stop = new AbortController();
    const waits = server.query(`SELECT /* ${aborted} */ * FROM sf100.lineitem`, [], { signal: stop.signal });
    await expect.poll(() => states(aborted), { timeout: 30_000 }).toEqual(["RUNNING"]);
    stop.abort(new Error("enough"));
    await expect(waits).rejects.toThrow("enough");
    await expect.poll(() => states(aborted), { timeout: 30_000 }).toEqual(["FAILED"]);
    const left = randomUUID();
    for await (const batch of server.batches(`SELECT /* ${left} */ * FROM sf100.lineitem`)) {
      if (batch.numRows > 0) break;
    }
    await expect.poll(() => states(left), { timeout: 30_000 }).toEqual(["FAILED"]);
  });
});
