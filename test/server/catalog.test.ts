import { join } from "node:path";
import { expect, it } from "vitest";
import { duckdbEngine } from "../../src/engine/duckdb/duckdb.js";
import type { DataError, InputError } from "../../src/errors/errors.js";
import { type ServeOptions, serve } from "../../src/server.js";
import { columnSpecs } from "../support/column-specs.js";
import { databaseEntry, folderOf, get, seriesCatalog, tableEntry } from "./support.js";

const table = (changes: object): object => ({
  tables: [tableEntry("V/T", { a: "Integer", b: "BigDecimal(10,2)" }, changes)],
});

const refusal = async (files: Record<string, string | object>): Promise<Error> => {
  try {
    const service = await serve({ data: folderOf(files) });
    await service.close();
  } catch (error) {
    return error as Error;
  }
  throw new Error("it was accepted");
};

it.each([
  [{}, "tables[0].name must be a non-empty string", { name: "" }],
  [{}, 'tables[0].colums is not a member. Did you mean "columns"', { colums: [] }],
  [{}, "tables[0].columns must be a list", { columns: "a" }],
  [{}, 'tables[0].columns[0].type is "Decimal(99,2)"', { columns: [{ name: "a", type: "Decimal(99,2)" }] }],
  [
    {},
    'tables[0].columns holds "a" twice',
    {
      columns: [
        { name: "a", type: "Date" },
        { name: "a", type: "Date" },
      ],
    },
  ],
  [{}, 'tables[0].filters[1] is not a column. Did you mean "b"', { filters: ["a", "B"] }],
  [{}, "tables[0].primary_key[0] is not a column", { primary_key: ["x"] }],
  [{}, "tables[0].file must end in .csv or .parquet", { file: "t.txt" }],
  [{}, "tables[0].file must be inside the data folder", { file: "../t.csv" }],
  [{}, "tables[0].premium must be true or false", { premium: "yes" }],
  [{}, "tables[0].vendor_code must be a code: letters, digits, _, - or . only", { vendor_code: "V/W" }],
  [{}, "tables[0].status.refreshed_at must be a timestamp", { status: { refreshed_at: "yesterday" } }],
  [
    {},
    "more than 38 digits cannot be a filter",
    { columns: [{ name: "a", type: "BigDecimal(50,2)" }], filters: ["a"] },
  ],
])("names the file and the member: %#", async (_none, message, changes) => {
  const error = await refusal({ "catalog.json": table(changes), "t.csv": "a,b\n1,2\n" });
  expect(error).toMatchObject({ name: "InputError", code: "BadCatalog" });
  expect(error.message).toContain("catalog.json: ");
  expect(error.message).toContain(message);
});

it("names a catalogue that is missing or no JSON", async () => {
  expect(await refusal({})).toMatchObject({ name: "FileError", code: "FileNotFound" });
  expect((await refusal({ "catalog.json": "{" })).message).toMatch(/catalog\.json: the catalogue is not JSON/);
  expect((await refusal({ "catalog.json": "[]" })).message).toContain("the catalogue must be an object");
});

it("names the data file, row and column that are wrong", async () => {
  const bad = await refusal({ "catalog.json": table({}), "t.csv": "a,b\n1,2\nx,3\n" });
  expect(bad.name).toBe("DataError");
  expect(bad.message).toMatch(/t\.csv: .*"a"/);
  expect((await refusal({ "catalog.json": table({}), "t.csv": "a,c\n1,2\n" })).message).toMatch(/t\.csv: /);
  expect((await refusal({ "catalog.json": table({}), "t.csv": "a,b\n1,2.345\n" })).message).toMatch(/2\.345/);
  for (const [text, hint] of [
    ["a,b\n1,2.345\n", /^Declare .* "b" of V\/T .*catalog\.json.* t\.csv/],
    ["a,b\nx,2\n", /t\.csv.* "a" of V\/T .*catalog\.json/],
    ["a,b\n1\n", /t\.csv.* columns of V\/T .*catalog\.json/],
    ["a,b\n1,2,3\n", /t\.csv.* columns of V\/T .*catalog\.json/],
    ['a,b\n1,"2', /t\.csv/],
    ["a,c\n1,2\n", /t\.csv.* columns of V\/T .*catalog\.json/],
  ] as const) {
    const { hint: given = "", ...error } = (await refusal({ "catalog.json": table({}), "t.csv": text })) as DataError;
    expect(given, text).toMatch(hint);
    expect(given, text).not.toMatch(/onPrecisionLoss|onBadCell|lenient|header: false/);
    if (text.includes("2.345"))
      expect(error).toMatchObject({ code: "PrecisionLoss", row: 0, column: "b", value: "2.345" });
  }
  expect((await refusal({ "catalog.json": table({}) })).message).toMatch(
    /Cannot read the data of V\/T .*t\.csv: it does not exist/,
  );
  const key = { primary_key: ["a"] };
  expect((await refusal({ "catalog.json": table(key), "t.csv": "a,b\n1,2\n1,3\n" })).message).toBe(
    "t.csv: the primary key of V/T has 2 rows with a = 1.",
  );
  expect((await refusal({ "catalog.json": table(key), "t.csv": "a,b\n,2\n" })).message).toContain("a = null");
  const series = seriesCatalog(["Date", "V"]);
  expect((await refusal({ "catalog.json": series, "s.csv": "Date,V\n2020-01-01,1\n2020-01-01,2\n" })).message).toBe(
    "T/S: 2 rows have the date 2020-01-01; a series has one row per date.",
  );
});

it("serves an empty table and an empty series", async () => {
  const catalog = { ...table({}), ...seriesCatalog(["Date", "V"]) };
  const service = await serve({ data: folderOf({ "catalog.json": catalog, "t.csv": "a,b\n", "s.csv": "Date,V\n" }) });
  expect((await get(service, "/datatables/V/T.csv")).text).toBe("a,b\n");
  expect((await get(service, "/datatables/V/T.json")).text).toContain('"data":[]');
  expect((await get(service, "/datasets/T/S.csv?collapse=monthly&transform=rdiff")).text).toBe("Date,V\n");
  expect((await get(service, "/datasets/T/S/metadata.json")).text).toContain('"newest_available_date":null');
  await service.close();
});

it("a table and a series may share a code", async () => {
  const catalog = { ...table({ vendor_code: "T", datatable_code: "S" }), ...seriesCatalog(["Date", "V"]) };
  const files = { "catalog.json": catalog, "t.csv": "a,b\n1,2\n", "s.csv": "Date,V\n2020-01-01,3\n" };
  const service = await serve({ data: folderOf(files) });
  expect((await get(service, "/datatables/T/S.csv")).text).toBe("a,b\n1,2.00\n");
  expect((await get(service, "/datasets/T/S.csv")).text).toMatch(/^Date,V\n2020-01-01,3(\.0)?\n$/);
  await service.refresh("T/S");
  expect((await get(service, "/datasets/T/S.csv")).rows()).toHaveLength(2);
  await service.close();
});

it("text of few different values reads as it was written, empty text and null apart", async () => {
  const values = ["x", '""', "", '"ünïcode, longer than twelve bytes"', "y"];
  const lines = Array.from({ length: 200 }, (_, i) => `${i},${values[i % 5]},a\u0000${i % 2}`);
  const columns = columnSpecs({ k: "Integer", t: "String", z: "String" });
  const csv = `k,t,z\n${lines.join("\n")}\n`;
  const files = { "catalog.json": table({ columns, filters: ["t"] }), "t.csv": csv };
  const service = await serve({ data: folderOf(files) });
  expect((await get(service, "/datatables/V/T.csv")).text).toBe(csv);
  expect((await get(service, "/datatables/V/T.csv?t=x")).rows()).toHaveLength(41);
  expect((await get(service, "/datatables/V/T.csv?t.gte=x")).rows()).toHaveLength(121);
  expect((await get(service, "/datatables/V/T.csv?t=nowhere")).text).toBe("k,t,z\n");
  await service.close();
});

it("series of one database may differ in their columns; bulk has them all", async () => {
  const folder = folderOf({
    "catalog.json": {
      databases: [databaseEntry("D", { X: ["Date", "A", "B"], Y: ["Day", "B", "b"] }, { premium: true })],
    },
    "X.csv": "Date,A,B\n2020-01-02,1,2\n2020-01-01,3,4\n",
    "Y.csv": "Day,B,b\n2020-01-03,5,6\n",
  });
  const service = await serve({ data: folder });
  expect((await get(service, "/datasets/D/Y.csv")).text).toMatch(/^Day,B,b\n2020-01-03,5(\.0)?,6(\.0)?\n$/);
  const { zipEntry } = await import("../../src/format/zip.js");
  const answer = await fetch(`${service.url}/api/v3/databases/D/data?download_type=full&api_key=sample`);
  const zip = await zipEntry(new Uint8Array(await answer.arrayBuffer()));
  const chunks: Uint8Array[] = [];
  for await (const chunk of zip.chunks()) chunks.push(new Uint8Array(chunk));
  expect(Buffer.concat(chunks).toString()).toBe(
    "Code,Date,A,B,b\nX,2020-01-01,3.0,4.0,\nX,2020-01-02,1.0,2.0,\nY,2020-01-03,,5.0,6.0\n",
  );
  await service.close();
});

it("serves Parquet files as they are, and refuses types that would lose something", async () => {
  const folder = folderOf({});
  const engine = await duckdbEngine();
  const path = join(folder, "t.parquet").replaceAll("'", "''");
  await engine.query(
    `COPY (SELECT i::INTEGER AS a, (i / 100.0)::DECIMAL(9,2) AS b, DATE '2020-01-01' + i::INTEGER AS "c d", 'x' || i AS e FROM range(3) r(i)) TO '${path}'`,
  );
  await engine.close();
  const columns = columnSpecs({ e: "String", "c d": "Date", b: "BigDecimal(10,2)", a: "Integer" });
  const start = async (changed: object[]) => {
    const { writeFileSync } = await import("node:fs");
    const catalog = table({ columns: changed, file: "t.parquet" });
    writeFileSync(join(folder, "catalog.json"), JSON.stringify(catalog));
    return serve({ data: folder });
  };
  const service = await start(columns);
  expect((await get(service, "/datatables/V/T.csv?qopts.per_page=2")).text).toBe(
    "e,c d,b,a\nx0,2020-01-01,0.00,0\nx1,2020-01-02,0.01,1\n",
  );
  await service.close();
  await expect(start([{ name: "b", type: "BigDecimal(10,1)" }])).rejects.toThrow(
    /t\.parquet: column "b" is DECIMAL\(9,2\), which the catalogue's BigDecimal\(10,1\) cannot represent exactly/,
  );
  await expect(start([{ name: "A", type: "Integer" }])).rejects.toThrow(/no column "A"\. Did you mean "a"/);
});

it("serves the columns of a Parquet file, whatever its path looks like", async () => {
  const { copyFileSync, mkdirSync, writeFileSync } = await import("node:fs");
  const folder = join(folderOf({}), "[a]*", "a=7");
  mkdirSync(folder, { recursive: true });
  const engine = await duckdbEngine();
  const plain = join(folder, "..", "..", "plain.parquet");
  await engine.query(`COPY (SELECT i::BIGINT AS a FROM range(3) r(i)) TO '${plain}'`);
  await engine.close();
  copyFileSync(plain, join(folder, "t.parquet"));
  const catalog = table({ columns: [{ name: "a", type: "Integer" }], file: "t.parquet" });
  writeFileSync(join(folder, "catalog.json"), JSON.stringify(catalog));
  const service = await serve({ data: folder });
  expect((await get(service, "/datatables/V/T.csv")).text).toBe("a\n0\n1\n2\n");
  await service.close();
});

it.each([
  [{ prot: 0 }, "UnknownOption", /serve\(\) has no option "prot"/, /"port"/],
  [{ timeouts: { header: 1 } }, "UnknownOption", /no option "header"/, /"headers"/],
  [{ timeouts: { idle: "1s" } }, "BadArgument", /timeouts\.idle is "1s"/, /0 or more/],
  [{ port: "80" }, "BadArgument", /port is "80"/, /0 to 65535/],
  [{ port: 70_000 }, "BadArgument", /port is 70000/, /0 to 65535/],
  [{ graceMs: Number.NaN }, "BadArgument", /graceMs is NaN/, /0 or more/],
  [{ maxConnections: -1 }, "BadArgument", /maxConnections is -1/, /0 or more/],
  [{ host: 1 }, "BadArgument", /host is 1/, /non-empty string/],
  [{ log: true }, "BadArgument", /log is true/, /function/],
  [{ data: 7 }, "BadArgument", /data is 7/, /folder/],
  [{ engine: {} }, "BadArgument", /engine is/, /duckdb/],
  [{ profile: 7 }, "BadArgument", /profile is 7/, /name of a profile/],
  [{ apiKeys: ["secret-key-1"] }, "BadArgument", /apiKeys is a list/, /subscriptions: "all"/],
  [{ apiKeys: "secret-key-1" }, "BadArgument", /apiKeys is/, /subscriptions: "all"/],
  [{ apiKeys: {} }, "BadArgument", /apiKeys holds no key/, /subscriptions: "all"/],
  [{ apiKeys: { "": { subscriptions: "all" } } }, "BadArgument", /Key 1 of apiKeys is empty/, /subscriptions: "all"/],
  [{ apiKeys: { "secret-key-1": "all" } }, "BadArgument", /Key 1 of apiKeys/, /subscriptions: "all"/],
  [{ apiKeys: { "secret-key-1": {} } }, "BadArgument", /Key 1 of apiKeys/, /subscriptions: "all"/],
  [{ apiKeys: { "secret-key-1": { subscriptions: "EOD" } } }, "BadArgument", /subscriptions is "EOD"/, /\["EOD"\]/],
  [{ apiKeys: { "secret-key-1": { subscriptions: [1] } } }, "BadArgument", /Key 1 of apiKeys/, /subscriptions: "all"/],
  [
    { apiKeys: { keys: { "secret-key-1": {} } } },
    "BadArgument",
    /Key 1 of apiKeys has a member/,
    /subscriptions: "all"/,
  ],
  [{ apiKeys: { "secret-key-1": { subscription: "all" } } }, "UnknownOption", /"subscription"/, /"subscriptions"/],
])("serve refuses what it would not obey: %j", async (options, code, message, hint) => {
  const data = folderOf({ "catalog.json": table({}), "t.csv": "a,b\n1,2\n" });
  const refused = await serve({ data, ...options } as unknown as ServeOptions).then(
    (service) => service.close(),
    (error: Error) => error,
  );
  expect(refused).toMatchObject({ name: "InputError", code });
  expect((refused as InputError).message).toMatch(message);
  expect((refused as InputError).hint).toMatch(hint);
  expect(JSON.stringify(refused) + (refused as InputError).stack).not.toContain("secret-key-1");
});
