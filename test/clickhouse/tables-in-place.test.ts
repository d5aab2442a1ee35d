import { afterAll, describe, expect, it } from "vitest";
import { clickhouseEngine } from "../../src/engine/clickhouse/clickhouse.js";
import { quoteName } from "../../src/engine/clickhouse/statement.js";
import type { Engine } from "../../src/engine/contract/engine.js";
import { type EngineTable, type RunningService, type ServeOptions, serve } from "../../src/server.js";
import { folderOf, get } from "../server/support.js";
import { testServer } from "./server.js";

const server = await testServer();
const database = `in_place_${process.pid}`;
const first = await clickhouseEngine(server.address);
await first.query(`CREATE DATABASE ${database} ENGINE = Atomic`);
await first.close();
/** The one who loads the tables. */
const owner = await clickhouseEngine(server.address, { database });
/** The service's user, who may only read. */
const address = server.address.replace("default@", "reader:@");
const reader = await clickhouseEngine(process.env["CLICKHOUSE_URL"] ?? address, { database });
const services: RunningService[] = [];
afterAll(async () => {
  for (const service of services) await service.close();
  await owner.query(`DROP DATABASE ${database} SYNC`);
  for (const engine of [owner, reader]) await engine.close();
  await server.stop();
});

async function serving(table: string | EngineTable, options: Partial<ServeOptions> = {}): Promise<RunningService> {
  const service = await serve({ engine: reader, tables: { "V/T": table }, ...options });
  services.push(service);
  return service;
}

const PATH = "/datatables/V/T.csv";

interface Page {
  readonly status: number;
  readonly text: string;
  readonly cursor: string | null;
}

async function page(service: RunningService, query: string, cursor?: string | null): Promise<Page> {
  const at = cursor === undefined ? "" : `&qopts.cursor_id=${cursor}`;
  const { status, text, headers } = await get(service, `${PATH}?${query}${at}`);
  return { status, text, cursor: headers.get("cursor_id") || null };
}

/** All pages, without the line of names. */
async function pages(service: RunningService, query: string): Promise<string> {
  let text = "";
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const next: Page = await page(service, query, cursor);
    expect([next.status, next.text]).toEqual([200, next.text]);
    text += next.text.slice(next.text.indexOf("\n") + 1);
    cursor = next.cursor;
  }
  return text;
}

/** The rows of an export. */
async function exported(service: RunningService, query: string): Promise<string> {
  const { zipEntry } = await import("../../src/format/zip.js");
  for (;;) {
    const { text } = await get(service, `/datatables/V/T.json?${query}&qopts.export=true`);
    const { file } = JSON.parse(text).datatable_bulk_download;
    if (file.status === "fresh") {
      const entry = await zipEntry(new Uint8Array(await (await fetch(file.link)).arrayBuffer()));
      const parts: Uint8Array[] = [];
      for await (const chunk of entry.chunks()) parts.push(new Uint8Array(chunk));
      return Buffer.concat(parts).toString();
    }
    await new Promise((done) => setTimeout(done, 20));
  }
}

let tables = 0;

/** A table of its own for a test; returns its name. */
async function made(columns: string, definition: string, ...inserts: string[]): Promise<string> {
  const name = `t${++tables}`;
  await owner.query(`CREATE TABLE ${name} (${columns}) ENGINE = ${definition}`);
  for (const rows of inserts) await owner.query(`INSERT INTO ${name} ${rows}`);
  return name;
}

const NUMBERS = "n UInt32, text String";
const numbers = (from: number, count: number): string =>
  `SELECT number + ${from}, concat('row ', toString(number)) FROM numbers(${count})`;

const refusal = (table: string | EngineTable): Promise<{ code: string; message: string; hint: string }> =>
  serving(table).then(
    () => {
      throw new Error("It is served.");
    },
    (error) => error,
  );

describe("a table in place answers byte by byte as the same rows of a file", () => {
  const COLUMNS = [
    ["ticker", "String", "String", "['AAA', 'a b', 'Größe 大', 'it\\'s', 'quo\"te', 'x,y'][1 + number % 6]"],
    ["date", "Date32", "Date", "toDate32('1960-01-01') + intDiv(number, 6)"],
    [
      "at",
      "Nullable(DateTime64(3))",
      "DateTime",
      "if(number % 5 = 0, NULL, fromUnixTimestamp64Milli(number * 86399999, 'UTC'))",
    ],
    [
      "price",
      "Nullable(Decimal(15, 4))",
      "BigDecimal(15,4)",
      "if(number % 7 = 0, NULL, toDecimal64(number, 4) / 8 - 20)",
    ],
    ["wide", "Decimal(50, 10)", "BigDecimal(50,10)", "toDecimal256(number, 10) / 7"],
    ["size", "Int64", "Integer", "number * 1000003 - 500"],
    ["small", "LowCardinality(Nullable(String))", "String", "if(number % 4 = 0, NULL, ['x', ''][1 + number % 2])"],
    ["rate", "Nullable(Float64)", "double", "if(number % 9 = 0, NULL, number / 3)"],
    ["flag", "Bool", "Boolean", "number % 3 = 0"],
  ] as const;
  const names = COLUMNS.map(([name]) => name);
  const filters = names.filter((name) => name !== "wide");
  const rows = `SELECT ${COLUMNS.map(([, type, , sql]) => `CAST(${sql} AS ${type})`).join(", ")} FROM numbers(700)`;

  async function both(): Promise<[RunningService, RunningService]> {
    const name = await made(
      COLUMNS.map(([column, type]) => `${column} ${type}`).join(", "),
      "MergeTree ORDER BY (ticker, date)",
      rows,
    );
    const own = await serving({ from: `${database}.${name}`, filters });
    const csv = await exported(own, "");
    const table = {
      vendor_code: "V",
      datatable_code: "T",
      name: "V/T",
      columns: COLUMNS.map(([column, , type]) => ({ name: column, type })),
      filters,
      primary_key: ["ticker", "date"],
      file: "t.csv",
    };
    const judge = await serve({ data: folderOf({ "catalog.json": { tables: [table] }, "t.csv": csv }) });
    services.push(judge);
    return [own, judge];
  }

  it("pages, filters, columns, formats, exports and metadata", async () => {
    const [own, judge] = await both();
    // The file was written by the service itself: compare it with what the server prints.
    const printed = await owner.query(
      `SELECT ticker, toString(date), toString(price), toString(size) FROM t${tables} ORDER BY ticker, date`,
    );
    const cells = [...printed].map((row) => [...(row?.toArray() ?? [])].map(String));
    const read = (await get(judge, `${PATH}?qopts.columns=ticker,date,price,size`)).rows().slice(1);
    expect(read).toHaveLength(700);
    for (const [i, [ticker, date, price, size]] of cells.entries()) {
      expect(read[i].slice(0, 2)).toEqual([ticker, date]);
      expect([Number(read[i][2] || "NaN"), read[i][3]]).toEqual([price === "null" ? Number.NaN : Number(price), size]);
    }
    const queries = [
      "",
      "ticker=AAA",
      "ticker=it's,x%2Cy&date.gte=1960-02-01",
      "date.lt=1960-03-01&flag=true",
      "price.gt=-1.5&price.lte=10",
      "size=-500,1000003,99999999999999999999",
      "at.gte=1970-02-01&rate.gt=30.5",
      "small=x&qopts.columns=rate,small",
      "qopts.columns=wide,flag",
      "rate=1,2,0,-0.0&qopts.columns=ticker,rate",
      "ticker=nothing",
    ];
    for (const query of queries) {
      for (const format of ["json", "csv", "xml"]) {
        const path = `/datatables/V/T.${format}?${query}`;
        const [found, expected] = [await get(own, path), await get(judge, path)];
        expect([path, found.status, found.text]).toEqual([path, 200, expected.text]);
      }
      for (const size of [37, 700]) {
        const expected = await pages(judge, query);
        expect([query, size, await pages(own, `${query}&qopts.per_page=${size}`)]).toEqual([query, size, expected]);
      }
      expect([query, await exported(own, query)]).toEqual([query, await exported(judge, query)]);
    }
    const metadata = async (service: RunningService) =>
      JSON.parse((await get(service, "/datatables/V/T/metadata.json")).text).datatable;
    const found = await metadata(own);
    const { status } = found;
    expect(found).toEqual({ ...(await metadata(judge)), status });
    expect(Math.abs(Date.parse(status.refreshed_at) - Date.now())).toBeLessThan(600_000);
    for (const wrong of ["wide=1", "nothing=1", "date=x", "price.like=1", "qopts.cursor_id=abc"]) {
      const path = `/datatables/V/T.json?${wrong}`;
      expect(await get(own, path).then(({ text }) => text)).toBe(await get(judge, path).then(({ text }) => text));
    }
  });
});

it("nothing is written: the service's user may only read, and the database has the owner's tables only", async () => {
  const before = await owner.tables();
  const name = await made(NUMBERS, "MergeTree ORDER BY n", numbers(0, 100));
  const service = await serving(name);
  expect((await pages(service, "qopts.per_page=30")).split("\n")).toHaveLength(101);
  await service.refresh("V/T");
  await service.close();
  expect(await owner.tables()).toEqual([...before, name].sort());
  if (process.env["CLICKHOUSE_URL"] === undefined) {
    await expect(reader.query("CREATE TABLE x (a Int8) ENGINE = Memory")).rejects.toMatchObject({
      code: "EngineAccess",
    });
  }
});

describe("pages of a table that changes", () => {
  /** Reads a page, changes the table, and asks for the next page. */
  async function changed(
    definition: string,
    change: (name: string) => Promise<unknown>,
    given: Partial<EngineTable> = {},
  ) {
    const name = await made(NUMBERS, definition, numbers(0, 100), numbers(100, 100));
    const service = await serving({ from: name, ...given });
    const { cursor } = await page(service, "qopts.per_page=50");
    expect(cursor).not.toBeNull();
    await change(name);
    const next = await page(service, "qopts.per_page=50", cursor);
    return { name, service, next };
  }
  const PLAIN = "MergeTree ORDER BY n";
  const ENDED = /QESx06,"?The cursor is not valid for this query/;

  it.each<[string, (name: string) => Promise<unknown>]>([
    ["inserted rows", (name) => owner.query(`INSERT INTO ${name} ${numbers(1_000, 1)}`)],
    ["a mutation", (name) => owner.query(`ALTER TABLE ${name} DELETE WHERE n = 199 SETTINGS mutations_sync = 2`)],
    [
      "an updated row",
      (name) => owner.query(`ALTER TABLE ${name} UPDATE text = 'x' WHERE n = 199 SETTINGS mutations_sync = 2`),
    ],
    ["deleted rows", (name) => owner.query(`DELETE FROM ${name} WHERE n = 150`)],
    ["truncation", (name) => owner.query(`TRUNCATE TABLE ${name}`)],
    ["a dropped column", (name) => owner.query(`ALTER TABLE ${name} DROP COLUMN text SETTINGS alter_sync = 2`)],
    [
      "a column of another type",
      (name) => owner.query(`ALTER TABLE ${name} MODIFY COLUMN text LowCardinality(String) SETTINGS alter_sync = 2`),
    ],
    ["an added column", (name) => owner.query(`ALTER TABLE ${name} ADD COLUMN more Int8`)],
    [
      "an exchanged table",
      async (name) => {
        const other = await made(NUMBERS, PLAIN, numbers(0, 100), numbers(100, 100));
        await owner.query(`EXCHANGE TABLES ${name} AND ${other}`);
      },
    ],
  ])("end with %s: the cursor is of another version", async (_what, change) => {
    const { next, service, name } = await changed(PLAIN, change);
    expect([next.status, next.text]).toEqual([400, expect.stringMatching(ENDED)]);
    const rows = [...(await owner.query(`SELECT * FROM ${name} ORDER BY n`))].map((row) =>
      [...(row?.toArray() ?? [])].join(),
    );
    expect(
      (await get(service, PATH))
        .rows()
        .slice(1)
        .map((row) => row.join()),
    ).toEqual(rows);
  });

  it("end with a dropped table, which is found again once it is back", async () => {
    const { next, service, name } = await changed(PLAIN, (table) => owner.query(`DROP TABLE ${table} SYNC`));
    expect([next.status, next.text]).toEqual([404, expect.stringContaining("QECx02")]);
    expect((await get(service, "/datatables/V/T/metadata.json")).status).toBe(404);
    await owner.query(`CREATE TABLE ${name} (${NUMBERS}, more Nullable(Date)) ENGINE = ${PLAIN}`);
    await owner.query(`INSERT INTO ${name} VALUES (7, 'a', NULL)`);
    expect((await get(service, PATH)).text).toBe("n,text,more\n7,a,\n");
  });

  it("end where the table is no longer one that is served: a Nullable key", async () => {
    const { service, name } = await changed(PLAIN, async () => undefined);
    await owner.query(`DROP TABLE ${name} SYNC`);
    await owner.query(
      `CREATE TABLE ${name} (n Nullable(UInt32), text String) ENGINE = ${PLAIN} SETTINGS allow_nullable_key = 1`,
    );
    expect((await get(service, PATH)).status).toBe(500);
  });

  it.each([PLAIN, "ReplacingMergeTree ORDER BY n"])("hold when parts are merged: %s", async (definition) => {
    const { next } = await changed(definition, (name) => owner.query(`OPTIMIZE TABLE ${name} FINAL`));
    expect([next.status, next.text.split("\n")[1]]).toEqual([200, "50,row 50"]);
  });

  it("end with a merge where that may remove rows", async () => {
    const name = await made(
      `${NUMBERS}, at DateTime DEFAULT now()`,
      `${PLAIN} TTL at + INTERVAL 1 DAY`,
      `(n, text) ${numbers(0, 100)}`,
      `(n, text) ${numbers(100, 100)}`,
    );
    const service = await serving(name);
    const { cursor } = await page(service, "qopts.per_page=50");
    await owner.query(`OPTIMIZE TABLE ${name} FINAL`);
    expect((await page(service, "qopts.per_page=50", cursor)).text).toMatch(ENDED);
  });

  it("a change while a page after the first is read ends it too", async () => {
    const name = await made(NUMBERS, PLAIN, numbers(0, 100));
    let during: (() => Promise<unknown>) | undefined;
    const engine: Engine = {
      ...reader,
      async *batches(...call) {
        await during?.();
        yield* reader.batches(...call);
      },
    };
    const service = await serving(name, { engine });
    const { cursor } = await page(service, "qopts.per_page=50");
    during = () => owner.query(`INSERT INTO ${name} ${numbers(75, 1)}`);
    expect((await page(service, "qopts.per_page=40", cursor)).text).toMatch(ENDED);
    during = () => owner.query(`DROP TABLE ${name} SYNC`);
    const again = await page(service, "qopts.per_page=50");
    expect(again.status).toBe(500);
  });

  it("hold with a version column while rows are added, also before the cursor", async () => {
    const name = await made("n UInt32, v UInt64", PLAIN, "SELECT number * 2, 1 + number % 3 FROM numbers(100)");
    const service = await serving({ from: name, version: "v" });
    const before = await pages(service, "");
    let text = "";
    let cursor: string | null | undefined;
    for (let i = 0; cursor !== null; i++) {
      const next: Page = await page(service, "qopts.per_page=30", cursor);
      text += next.text.slice(next.text.indexOf("\n") + 1);
      cursor = next.cursor;
      await owner.query(`INSERT INTO ${name} VALUES (${2 * i + 1}, ${10 + i}), (${151 + 2 * i}, ${10 + i})`);
    }
    expect(text).toBe(before);
    expect((await pages(service, "")).split("\n")).toHaveLength(before.split("\n").length + 8);
    expect((await exported(service, "")).split("\n")).toHaveLength(before.split("\n").length + 9);
    const { cursor: last } = await page(service, "qopts.per_page=30");
    await owner.query(`ALTER TABLE ${name} ADD COLUMN more Int8`);
    expect((await page(service, "qopts.per_page=30", last)).text).toMatch(ENDED);
  });

  it("a row of a ReplacingMergeTree is read once, and its refresh time is that of its last change", async () => {
    const name = await made(
      "n UInt32, v UInt32",
      "ReplacingMergeTree(v) ORDER BY n",
      "SELECT number, 1 FROM numbers(50)",
    );
    await owner.query(`INSERT INTO ${name} SELECT number * 2, 2 FROM numbers(20)`);
    const service = await serving(name);
    const rows = Array.from({ length: 50 }, (_, i) => `${i},${i < 40 && i % 2 === 0 ? 2 : 1}\n`).join("");
    expect(await pages(service, "qopts.per_page=7")).toBe(rows);
    const time = async (): Promise<string> =>
      JSON.parse((await get(service, "/datatables/V/T/metadata.json")).text).datatable.status.refreshed_at;
    const before = await time();
    await new Promise((done) => setTimeout(done, 1_100));
    await owner.query(`OPTIMIZE TABLE ${name} FINAL`);
    expect(await time()).toBe(before);
    await owner.query(`INSERT INTO ${name} VALUES (3, 3)`);
    expect(Date.parse(await time())).toBeGreaterThan(Date.parse(before));
  });

  it("the refresh time is later after each change, also of removed rows and of columns", async () => {
    const name = await made(
      "n UInt32, p UInt8",
      "MergeTree PARTITION BY p ORDER BY n",
      "VALUES (1, 1)",
      "VALUES (2, 2)",
    );
    const service = await serving(name);
    const times: string[] = [];
    for (const change of ["DROP PARTITION 1", "ADD COLUMN more Int8", "DROP COLUMN more", ""]) {
      const { text } = await get(service, "/datatables/V/T/metadata.json");
      times.push(JSON.parse(text).datatable.status.refreshed_at);
      if (change !== "") await owner.query(`ALTER TABLE ${name} ${change} SETTINGS alter_sync = 2`);
    }
    expect(times).toEqual([...new Set(times)].sort());
  });

  it("columns that are added while the table is described are served", async () => {
    const name = await made(NUMBERS, PLAIN, numbers(0, 1));
    let during: (() => Promise<unknown>) | undefined;
    const engine: Engine = {
      ...reader,
      async query(...call) {
        const found = await reader.query(...call);
        const change = call[0].includes("system.columns") ? during : undefined;
        if (change !== undefined) during = undefined;
        await change?.();
        return found;
      },
    };
    const service = await serving(name, { engine });
    await owner.query(`ALTER TABLE ${name} ADD COLUMN first Int8`);
    during = () => owner.query(`ALTER TABLE ${name} ADD COLUMN second Int8`);
    expect((await get(service, PATH)).text).toBe("n,text,first,second\n0,row 0,0,0\n");
  });

  it("keys whose texts with commas look alike are not taken for repeated ones, row by row", async () => {
    const name = await made("a Enum('x' = 1, 'x,y' = 2), b Enum('y,z' = 1, 'z' = 2)", "MergeTree ORDER BY (a, b)");
    await owner.query(`INSERT INTO ${name} VALUES ('x', 'y,z'), ('x,y', 'z')`);
    const engine: Engine = {
      ...reader,
      async *batches(...call) {
        for await (const batch of reader.batches(...call))
          for (let row = 0; row < batch.numRows; row++) yield batch.slice(row, row + 1);
      },
    };
    const service = await serving(name, { engine });
    expect((await get(service, PATH)).text).toBe('a,b\nx,"y,z"\n"x,y",z\n');
  });

  it("rows of one key are an error, never a lost row", async () => {
    const { next, service } = await changed(PLAIN, (name) => owner.query(`INSERT INTO ${name} VALUES (49, 'again')`));
    expect(next.text).toMatch(ENDED);
    for (const size of [49, 50, 51, 200])
      expect((await page(service, `qopts.per_page=${size}`)).status).toBe(size < 50 ? 200 : 500);
  });
});

describe("names and keys of any kind", () => {
  it("quotes, question marks, dollars, dots and reserved names", async () => {
    const odd = ['a"b', "c`d", "what?", "$1", "back\\slash", "dot.ted", "Größe", "select", "n, text", "it's"];
    const name = `odd "ta\`ble" ?.$2`;
    const list = odd.map((column) => `${quoteName(column)} String`).join(", ");
    const key = odd.map(quoteName).join(", ");
    await owner.query(`CREATE TABLE ${quoteName(name)} (${list}) ENGINE = MergeTree ORDER BY (${key})`);
    const cells = odd.map((_, i) => `toString(intDiv(number, ${2 ** (9 - i)}) % 2)`).join(", ");
    await owner.query(`INSERT INTO ${quoteName(name)} SELECT ${cells} FROM numbers(40)`);
    const service = await serving({ from: [database, name] });
    const rows = Array.from({ length: 40 }, (_, i) => `${[...i.toString(2).padStart(10, "0")].join()}\n`).join("");
    expect(await pages(service, "qopts.per_page=7")).toBe(rows);
    const found = await get(service, `${PATH}?${encodeURIComponent("what?")}=0&${encodeURIComponent("$1")}.gte=0`);
    expect(found.rows()).toHaveLength(41);
  });

  it.each([
    ["String", "concat(char(number % 256), 'x', char(0), toString(number))", 300],
    ["LowCardinality(String)", "concat('it\\'s ', toString(number))", 50],
    ["FixedString(3)", "reverse(leftPad(toString(number), 3, '0'))", 50],
    ["Enum16('what?' = -3, 'it\\'s $1' = 0, 'b' = 300)", "['what?', 'it\\'s $1', 'b'][1 + number]", 3],
    [
      "UUID",
      "toUUID(concat('00000000-0000-', leftPad(toString(number * 173 % 10000), 4, '0'), '-0000-', leftPad(toString(number), 12, '0')))",
      50,
    ],
    ["IPv4", "toIPv4(toUInt32(number * 99999999))", 40],
    ["IPv6", "toIPv6(concat('fe80::', hex(number)))", 40],
    ["Date", "toDate(number * 1000)", 60],
    ["Date32", "toDate32('1900-01-01') + number * 1000", 60],
    // The hour of 2024-11-03 01:30 is repeated there.
    ["DateTime('America/New_York')", "toDateTime(1730608200 + number * 600, 'America/New_York')", 40],
    [
      "DateTime64(9, 'America/New_York')",
      "fromUnixTimestamp64Nano(toInt64(1730608200000000001) + number * 600000000000, 'America/New_York')",
      40,
    ],
    ["DateTime64(6, 'UTC')", "toDateTime64('1901-01-01', 6, 'UTC') + number * 100000000", 60],
    ["Decimal(76, 20)", "toDecimal256('123456789012345678901234567890.00000000000000000001', 20) * (number - 20)", 40],
    ["Int8", "toInt8(number - 128)", 256],
    ["Int64", "toInt64(-9223372036854775808) + number", 20],
    ["UInt64", "18446744073709551615 - number", 20],
    ["Int128", "toInt128('-170141183460469231731687303715884105728') + number", 20],
    ["UInt128", "toUInt128('340282366920938463463374607431768211455') - number", 20],
    ["Bool", "number = 1", 2],
  ])("a key of %s is sought exactly", async (type, sql, count) => {
    const name = await made(
      `k ${type}, n UInt32`,
      "MergeTree ORDER BY k",
      `SELECT ${sql}, number FROM numbers(${count})`,
    );
    const service = await serving({ from: name });
    const order = [...(await owner.query(`SELECT n FROM ${name} ORDER BY k`))].map((row) => String(row?.["n"]));
    const query = "qopts.columns=n&qopts.per_page=";
    for (const size of [1, 7]) {
      if (size === 1 && count > 60) continue;
      expect(
        (await pages(service, `${query}${size}`))
          .trim()
          .split("\n")
          .map((cell) => String(Number(cell))),
      ).toEqual(order);
    }
  });

  it("filters of types that the specification writes otherwise", async () => {
    const columns =
      "k UInt64, id UUID, kind Enum8('b' = 1, 'a' = 2), ip IPv4, f FixedString(4), d Date, t DateTime, r Float32, s UInt8";
    const name = await made(
      columns,
      "MergeTree ORDER BY k",
      `SELECT 18446744073709551615 - number, toUUID('00000000-0000-0000-0000-00000000000a'), ['a','b'][1 + number % 2],
        toIPv4(toUInt32(number)), toString(number), toDate(number), toDateTime(number * 86400, 'UTC'), number / 2, number FROM numbers(20)`,
    );
    const filters = ["k", "id", "kind", "ip", "f", "d", "t", "r", "s"];
    const service = await serving({ from: name, filters });
    const count = async (query: string): Promise<number> => (await get(service, `${PATH}?${query}`)).rows().length - 1;
    expect(await count("k=18446744073709551615,18446744073709551614,3")).toBe(2);
    expect(await count("k.lt=18446744073709551600")).toBe(4);
    expect(await count("id=00000000-0000-0000-0000-00000000000a")).toBe(20);
    expect(await count("kind=a")).toBe(10);
    expect(await count("kind.gt=a")).toBe(10);
    expect(await count("ip=0.0.0.5")).toBe(1);
    expect(await count("f=12,13,1")).toBe(3);
    expect(await count("d.gte=1970-01-11")).toBe(10);
    expect(await count("d=1970-01-02,1970-01-03,2290-01-01")).toBe(2);
    expect(await count("t.lt=1970-01-03T00:00:00Z")).toBe(2);
    expect(await count("t=1970-01-03,1970-01-04")).toBe(2);
    expect(await count("r=0.5,1")).toBe(2);
    expect(await count("s.gte=-5&s.lt=300")).toBe(20);
    const text = (await get(service, `${PATH}?k=18446744073709551614`)).text;
    expect(text.split("\n")[1]).toBe(
      "18446744073709551614.0,00000000-0000-0000-0000-00000000000a,b,0.0.0.1,1,1970-01-02,1970-01-02T00:00:00Z,0.5,1",
    );
  });

  it("seeks by the primary index, in the order of the rows, wherever the page is", async () => {
    const name = await made(
      "ticker LowCardinality(String), date Date, close Decimal(15, 4)",
      "MergeTree ORDER BY (ticker, date) SETTINGS index_granularity = 1024",
      "SELECT concat('T', leftPad(toString(intDiv(number, 1000)), 4, '0')), toDate(number % 1000), number FROM numbers(300000)",
    );
    const statements: [string, readonly unknown[]][] = [];
    const engine: Engine = {
      ...reader,
      batches(sql, params, options) {
        statements.push([sql, params ?? []]);
        return reader.batches(sql, params, options);
      },
    };
    const service = await serving(name, { engine });
    let cursor: string | null | undefined;
    for (let i = 0; i < 30; i++) ({ cursor } = await page(service, "", cursor));
    const [sql, params] = statements[27];
    const plan = [...(await owner.query(`EXPLAIN indexes = 1 ${sql}`, params))]
      .map((row) => row?.toString())
      .join("\n");
    expect(plan).toContain("Read type: InOrder");
    const [, read] = /PrimaryKey[\s\S]*?Granules: (\d+)\/293/.exec(plan) ?? [];
    expect(Number(read)).toBeLessThan(35);
  });
});

describe("what cannot be promised is refused by name", () => {
  it.each<[string, string, string, RegExp]>([
    ["no sorting key", "n UInt32", "MergeTree ORDER BY tuple()", /is not sorted by a column/],
    ["a sorting key of an expression", "n UInt32", "MergeTree ORDER BY intDiv(n, 10)", /is not sorted by a column/],
    [
      "a sorting key with an expression",
      "n UInt32, d Date",
      "MergeTree ORDER BY (n, toYear(d))",
      /is sorted by \(n, toYear\(d\)\)/,
    ],
    [
      "a Nullable key",
      "n Nullable(UInt32)",
      "MergeTree ORDER BY n SETTINGS allow_nullable_key = 1",
      /"n" of the key .* may be null/,
    ],
    ["a key of floats", "n Float64", "MergeTree ORDER BY n", /"n" of the key .* is Float64/],
    [
      "a descending key",
      "n UInt32",
      "MergeTree ORDER BY (n DESC) SETTINGS allow_experimental_reverse_key = 1",
      /descending/,
    ],
    ["a SummingMergeTree", "n UInt32, s Int64", "SummingMergeTree ORDER BY n", /engine SummingMergeTree/],
    ["an AggregatingMergeTree", "n UInt32", "AggregatingMergeTree ORDER BY n", /engine AggregatingMergeTree/],
    ["a CollapsingMergeTree", "n UInt32, s Int8", "CollapsingMergeTree(s) ORDER BY n", /engine CollapsingMergeTree/],
    ["a Memory table", "n UInt32", "Memory", /engine Memory/],
    ["a Log table", "n UInt32", "Log", /engine Log/],
    ["a Merge table", "n UInt32", "Merge(currentDatabase(), '^t1$')", /engine Merge,/],
  ])("%s", async (_what, columns, definition, message) => {
    const error = await refusal(await made(columns, definition));
    expect([error.code, error.message, error.hint.length > 20]).toEqual([
      "NotServable",
      expect.stringMatching(message),
      true,
    ]);
  });

  it("views, tables that are not there, and databases without UUIDs", async () => {
    const name = await made(NUMBERS, "MergeTree ORDER BY n");
    await owner.query(`CREATE VIEW ${name}_view AS SELECT * FROM ${name}`);
    expect(await refusal(`${name}_view`)).toMatchObject({
      code: "NotServable",
      message: expect.stringContaining("View"),
    });
    expect(await refusal("nothing")).toMatchObject({
      code: "NotServable",
      message: expect.stringContaining("no table"),
    });
    expect(await refusal("a.b.c")).toMatchObject({
      code: "NotServable",
      message: expect.stringContaining("not the name"),
    });
    const memory = `${database}_memory`;
    await owner.query(`CREATE DATABASE ${memory} ENGINE = Memory`);
    await owner.query(`CREATE TABLE ${memory}.t (n UInt32) ENGINE = MergeTree ORDER BY n`);
    expect(await refusal(`${memory}.t`)).toMatchObject({
      code: "NotServable",
      message: expect.stringContaining("UUID"),
    });
    await owner.query(`DROP DATABASE ${memory} SYNC`);
  });

  it.each(["Array(String)", "Map(String, Int8)", "Tuple(a Int8)", "AggregateFunction(sum, Int64)", "Int256", "JSON"])(
    "a column of %s, unless it is left out",
    async (type) => {
      const name = await made(`n UInt32, odd ${type}`, "MergeTree ORDER BY n", "(n) VALUES (1)");
      expect(await refusal(name)).toMatchObject({ code: "UnsupportedType", column: "odd" });
      const service = await serving({ from: name, columns: ["n"] });
      expect((await get(service, PATH)).text).toBe("n\n1\n");
    },
  );

  it("keys and versions that do not hold", async () => {
    const name = await made(
      "a UInt32, b UInt32, f Float64, t String, c ALIAS a + b",
      "MergeTree ORDER BY (a, b)",
      "(a, b) VALUES (1, 1), (1, 2)",
    );
    const code = async (given: Partial<EngineTable>) => (await refusal({ from: name, ...given })).code;
    expect(await code({ key: ["b", "a"] })).toBe("NotServable");
    expect(await code({ key: ["x"] })).toBe("NotServable");
    expect(await code({ key: ["a", "b", "x"] })).toBe("UnknownColumn");
    expect(await code({ key: ["a", "b", "f"] })).toBe("NotServable");
    expect(await code({ key: ["a", "b", "c"] })).toBe("NotServable");
    expect(await code({ key: ["a"] })).toBe("DuplicateKey");
    expect(await code({ version: "t" })).toBe("NotServable");
    expect(await code({ version: "f" })).toBe("NotServable");
    expect(await code({ filters: ["nothing"] })).toBe("UnknownColumn");
    const replacing = await made("n UInt32, v UInt32", "ReplacingMergeTree(v) ORDER BY n");
    expect((await refusal({ from: replacing, version: "v" })).message).toMatch(/replaces or expires rows/);
    // A longer key than the table is sorted by, and a computed column that is named.
    const service = await serving({ from: name, key: ["a", "b", "t"], columns: ["b", "c"] });
    expect((await get(service, PATH)).text).toBe("b,c\n1,2.0\n2,3.0\n");
    expect(JSON.parse((await get(service, "/datatables/V/T/metadata.json")).text).datatable.primary_key).toEqual([]);
  });
});
