import {
  DateDay,
  type Decimal,
  makeData,
  makeVector,
  Table,
  TimestampMicrosecond,
  TimestampNanosecond,
  TimestampSecond,
  tableFromArrays,
  Utf8,
  type Vector,
  vectorFromArray,
} from "apache-arrow";
import { afterAll, describe, expect, it } from "vitest";
import { clickhouse } from "../../src/clickhouse.js";
import { Frame } from "../../src/frame/frame.js";
import { decimals } from "../engine/tables.js";
import { testServer } from "./server.js";

const server = await testServer();
const engine = await clickhouse(server.address);
afterAll(async () => {
  await engine.close();
  await server.stop();
});

const texts = async (sql: string, params?: readonly unknown[]): Promise<(string | null)[]> =>
  (await engine.query(sql, params)).column(0).toStrings();
const arrowType = async (sql: string): Promise<string> => String((await engine.query(sql)).table.schema.fields[0].type);

describe("types of the server in results", () => {
  it.each([
    ["toDateTime('2020-02-29 12:34:56', 'UTC')", "Timestamp<SECOND, UTC>", "2020-02-29T12:34:56Z"],
    ["toDateTime('2020-02-29 12:34:56', 'Asia/Tokyo')", "Timestamp<SECOND, UTC>", "2020-02-29T03:34:56Z"],
    ["toDateTime64('2020-02-29 12:34:56.789', 3, 'UTC')", "Timestamp<MILLISECOND, UTC>", "2020-02-29T12:34:56.789Z"],
    ["CAST('it\\'s', 'Enum8(\\'a\\' = -5, \\'it\\\\\\'s\\' = 7)')", "Dictionary<Int32, Utf8>", "it's"],
    ["CAST('b', 'Enum16(\\'a\\' = 1, \\'b\\' = 300)')", "Dictionary<Int32, Utf8>", "b"],
    [
      "toInt128('-170141183460469231731687303715884105728')",
      "Decimal[39e0]",
      "-170141183460469231731687303715884105728",
    ],
    [
      "toUInt128('340282366920938463463374607431768211455')",
      "Decimal[39e0]",
      "340282366920938463463374607431768211455",
    ],
    ["toInt256('-7')", "Decimal[76e0]", "-7"],
    [`toUInt256('${"9".repeat(76)}')`, "Decimal[76e0]", "9".repeat(76)],
    ["toUInt64('18446744073709551615')", "Uint64", "18446744073709551615"],
    ["toUInt32(4294967295)", "Uint32", "4294967295"],
    ["toInt8(-128)", "Int8", "-128"],
    ["toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0')", "Utf8", "61f0c404-5cb3-11e7-907b-a6006ad3dba0"],
    ["toIPv4('1.2.3.254')", "Utf8", "1.2.3.254"],
    ["toIPv6('2001:db8::ff00:42:8329')", "Utf8", "2001:db8::ff00:42:8329"],
    ["toIPv6('::1')", "Utf8", "::1"],
    ["toIPv6('1:0:0:2:0:0:0:3')", "Utf8", "1:0:0:2::3"],
    ["toIPv6('::ffff:1.2.3.4')", "Utf8", "::ffff:1.2.3.4"],
    ["toFixedString('abc', 16)", "Utf8", "abc"],
    ["toBFloat16(1.5)", "Float64", "1.5"],
    ["toFloat32(1.5)", "Float32", "1.5"],
    ["toDecimal256('1.5', 10)", "Decimal[76e+10]", "1.5000000000"],
    ["toLowCardinality('x')", "Utf8", "x"],
    ["true", "Bool", "true"],
    ["toDate('2149-06-06')", "Date32<DAY>", "2149-06-06"],
  ])("%s is %s %s, also beside null", async (sql, type, text) => {
    expect([await arrowType(`SELECT ${sql} AS v`), await texts(`SELECT ${sql} AS v`)]).toEqual([type, [text]]);
    if (sql.includes("LowCardinality")) return;
    const nullable = `SELECT if(number = 1, NULL, ${sql}) AS v FROM numbers(3)`;
    expect([await arrowType(nullable), await texts(nullable)]).toEqual([type, [text, null, text]]);
  });

  it("agrees with the server's own text for 500 wide integers, addresses and enums", async () => {
    const pairs = {
      "reinterpretAsInt128(generateUUIDv4())": "toString",
      "toIPv6(IPv6NumToString(reinterpretAsFixedString(generateUUIDv4())))": "toString",
      "toIPv4(rand(2))": "toString",
      "generateUUIDv4()": "toString",
      "toDateTime(rand(3), 'UTC')": "toString",
    };
    for (const [made, print] of Object.entries(pairs)) {
      const frame = await engine.query(
        `SELECT v, ${print}(v) AS t FROM (SELECT materialize(${made}) AS v FROM numbers(500))`,
      );
      const [found, expected] = [frame.column("v").toStrings(), frame.column("t").toStrings()];
      expect(
        found.map((text) => text?.replace("T", " ").replace("Z", "")),
        made,
      ).toEqual(expected);
    }
  });

  it.each([
    "[toDateTime(0)]",
    "(1, toInt128(1))",
    "map('a', generateUUIDv4())",
    "[toFixedString('a', 2)]",
    "uniqState(1)",
  ])("%s would be misread and is refused with its column", async (sql) => {
    await expect(engine.query(`SELECT 1 AS a, ${sql} AS odd`)).rejects.toMatchObject({
      code: "UnsupportedType",
      column: "odd",
      hint: expect.stringContaining("toString(odd)"),
    });
  });

  it("an integer of more than 76 digits is refused", async () => {
    await expect(engine.query("SELECT toUInt256('1' || repeat('0', 76)) AS big")).rejects.toMatchObject({
      code: "EngineData",
      column: "big",
    });
  });

  it("statements that cannot be described, and those without rows", async () => {
    expect((await engine.query("SHOW TABLES")).columns).toHaveLength(1);
    expect((await engine.query("EXPLAIN SELECT 1")).numRows).toBeGreaterThan(0);
    expect((await engine.query("CREATE TABLE own (a Int32) ENGINE = MergeTree ORDER BY a;")).numRows).toBe(0);
    await engine.query("INSERT INTO own SELECT $1", [5]);
    expect(await texts("/* first */ WITH 1 AS one SELECT a FROM own -- the end;\n;")).toEqual(["5"]);
    await expect(engine.query("SELECT 1 FORMAT CSV")).rejects.toMatchObject({ code: "BadStatement" });
  });
});

describe("what is loaded is exact or refused", () => {
  const days = (...values: number[]) =>
    new Table({
      d: makeVector(makeData({ type: new DateDay(), length: values.length, data: Int32Array.from(values) })),
    });
  const times = (Type: typeof TimestampSecond, ...values: bigint[]) =>
    new Table({
      t: makeVector(
        makeData({ type: new Type("UTC"), length: values.length, data: BigInt64Array.from(values) } as never),
      ),
    });

  it("dates from 1900 to 2299", async () => {
    await engine.load("dates", days(-25_567, 120_529));
    expect(await texts("SELECT d FROM dates ORDER BY d")).toEqual(["1900-01-01", "2299-12-31"]);
    for (const [day, text] of [
      [-25_568, "1899-12-31"],
      [120_530, "2300-01-01"],
      [-719_162, "0001-01-01"],
      [2_932_896, "9999-12-31"],
    ] as const) {
      await expect(engine.load("dates", days(0, day))).rejects.toMatchObject({
        code: "EngineData",
        column: "d",
        row: 1,
        value: text,
      });
    }
    expect(await engine.verify("dates", days(-25_567, 120_529))).toMatchObject({ equal: true });
  });

  it("timestamps of every unit", async () => {
    const first = -2_208_988_800n;
    const last = 10_413_791_999n;
    const micro = TimestampMicrosecond as unknown as typeof TimestampSecond;
    const nano = TimestampNanosecond as unknown as typeof TimestampSecond;
    for (const [Type, unit, most] of [
      [TimestampSecond, 1n, last],
      [micro, 1_000_000n, last],
      [nano, 1_000_000_000n, 9_223_372_036n],
    ] as const) {
      const table = times(Type, first * unit, 1n, -1n, most * unit);
      await engine.load("times", table);
      expect(await engine.verify("times", table)).toMatchObject({ equal: true, rows: 4 });
      await expect(engine.load("times", times(Type, first * unit - 1n))).rejects.toMatchObject({ code: "EngineData" });
    }
    await expect(engine.load("times", times(TimestampSecond, last + 1n))).rejects.toMatchObject({ code: "EngineData" });
  });

  it("decimals at the ends of their precision, and none that would wrap", async () => {
    for (const [precision, scale] of [
      [4, 0],
      [9, 9],
      [10, 2],
      [18, 6],
      [19, 6],
      [38, 38],
      [39, 1],
      [76, 38],
    ]) {
      const most = 10n ** BigInt(precision) - 1n;
      const table = new Table({
        d: decimals(precision, scale, [most, -most, 0n, null, 1n], precision > 38 ? 256 : 128),
      });
      await engine.load("exact", table);
      expect(await engine.verify("exact", table), `${precision},${scale}`).toMatchObject({ equal: true });
    }
    const foreign = new Table({ d: decimals(4, 2, [1n, 2n ** 64n + 5n]) as Vector<Decimal> });
    await expect(engine.load("exact", foreign)).rejects.toMatchObject({ code: "EngineData", row: 1, column: "d" });
  });

  it("a column of nulls, integers of all widths, single floats", async () => {
    const table = new Table({
      nothing: vectorFromArray([null, null]),
      a: makeVector(Int8Array.of(-128, 127)),
      b: makeVector(Uint16Array.of(0, 65_535)),
      c: makeVector(Uint32Array.of(0, 4_294_967_295)),
      d: makeVector(BigUint64Array.of(0n, 2n ** 64n - 1n)),
      e: makeVector(Float32Array.of(1.5, -0)),
    });
    await engine.load("widths", table);
    expect(await engine.verify("widths", table)).toMatchObject({ equal: true, rows: 2 });
  });

  it("rows are only added to a table of load() with the same columns", async () => {
    const one = (value: bigint, scale: number) => new Table({ d: decimals(15, scale, [value]) });
    await engine.load("scaled", one(12_345n, 4));
    const refused = (rows: Table, name = "scaled") =>
      expect(engine.load(name, rows, { mode: "append" })).rejects.toMatchObject({ code: "WrongTable" });
    await refused(one(1n, 6));
    await refused(new Table({ d: decimals(15, 4, [1n]), e: vectorFromArray(["x"], new Utf8()) }));
    await refused(tableFromArrays({ e: ["x"] }));
    await engine.query("CREATE TABLE parted (n Float64) ENGINE = MergeTree PARTITION BY n > 1 ORDER BY n");
    await refused(tableFromArrays({ n: Float64Array.of(1) }), "parted");
    await engine.query("CREATE VIEW seen AS SELECT 1 AS n");
    await refused(tableFromArrays({ n: Float64Array.of(1) }), "seen");
    expect(await texts("SELECT d FROM scaled")).toEqual(["1.2345"]);
  });
});

it("binds dates, wide integers and decimals as text exactly", async () => {
  expect(await texts("SELECT $1 AS v", [new Date("2024-02-29T01:02:03.004Z")])).toEqual(["2024-02-29T01:02:03.004Z"]);
  expect(await texts("SELECT $1 AS v", [-(2n ** 200n)])).toEqual([String(-(2n ** 200n))]);
  expect(await texts("SELECT $1::Decimal(76, 4) AS v", [`${"9".repeat(72)}.1234`])).toEqual([`${"9".repeat(72)}.1234`]);
  expect(await texts("SELECT $1 + 1 AS v", [2n ** 62n])).toEqual([String(2n ** 62n + 1n)]);
  expect(await texts("SELECT toTypeName($1) AS v", [1.5])).toEqual(["Float64"]);
});

it("documents the server's own arithmetic as it is", async () => {
  const nines = "9".repeat(38);
  expect(
    await texts(`SELECT sum(d) AS s FROM (SELECT arrayJoin([1, 2, 3]), toDecimal128('${nines}', 0) AS d)`),
  ).not.toEqual([String(3n * BigInt(nines))]);
  expect(
    await texts(
      `SELECT sum(d::Decimal(76, 0)) AS s FROM (SELECT arrayJoin([1, 2, 3]), toDecimal128('${nines}', 0) AS d)`,
    ),
  ).toEqual([String(3n * BigInt(nines))]);
  expect(await texts("SELECT CAST(toDecimal32('1.99999', 5) AS Decimal(9, 2)) AS v")).toEqual(["1.99"]);
  expect(await texts("SELECT toDate32('0001-01-01') AS v")).toEqual(["1900-01-01"]);
  expect(await arrowType("SELECT avg(toDecimal32('1.5', 2)) AS v")).toBe("Float64");
});

it("Frames in and out, outer joins with nulls, upserted rows read once", async () => {
  const columns = [
    { name: "ticker", type: "String" },
    { name: "close", type: "BigDecimal(15,4)" },
  ];
  const frame = (rows: object[]) => Frame.fromRows(rows as never, columns);
  await engine.load(
    "left",
    frame([
      { ticker: "A", close: "1.5000" },
      { ticker: "B", close: "2.5000" },
    ]),
    { key: "ticker" },
  );
  await engine.load("left", frame([{ ticker: "B", close: "3.5000" }]), { key: "ticker", mode: "upsert" });
  await engine.load("right", frame([{ ticker: "B", close: "7.0000" }]));
  const joined = await engine.query(
    "SELECT l.ticker AS ticker, l.close AS a, r.close AS b FROM left l LEFT JOIN right r USING (ticker) ORDER BY ticker",
  );
  expect(joined).toBeInstanceOf(Frame);
  expect([joined.column("a").toStrings(), joined.column("b").toStrings()]).toEqual([
    ["1.5000", "3.5000"],
    [null, "7.0000"],
  ]);
  expect(await engine.explainLoad("left", frame([]), { key: "ticker" })).toMatch(
    /ReplacingMergeTree[\s\S]*EXCHANGE TABLES/,
  );
  expect(await engine.explainLoad("left", frame([]), { key: "ticker", mode: "upsert" })).toMatch(/MOVE PARTITION/);
  expect(await engine.explainLoad("new", frame([]))).toMatch(/MergeTree ORDER BY tuple\(\)[\s\S]*RENAME TABLE/);
  expect(await engine.tables()).not.toContain("new");
});
