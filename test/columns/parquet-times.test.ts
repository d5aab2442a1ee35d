import { readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  Data,
  type DataType,
  DateDay,
  Duration,
  makeData,
  Table,
  Time,
  Timestamp,
  TimestampMicrosecond,
  TimestampNanosecond,
  TimeUnit,
  Vector,
} from "apache-arrow";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readParquet } from "../../src/columns/parquet/read/read.js";
import { duckdbEngine } from "../../src/engine/duckdb/duckdb.js";
import { Frame } from "../../src/frame/frame.js";
import { forAllAsync } from "../support/for-all.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { runs } from "../support/whole.js";
import { changedFooter } from "./parquet-footer.js";
import { fileOfPages, int32Bytes, int64Bytes } from "./parquet-pages.js";

let folder = "";
let engine: Awaited<ReturnType<typeof duckdbEngine>>;
beforeAll(async () => {
  folder = temporaryFolder("parquet-times");
  engine = await duckdbEngine();
});
afterAll(async () => {
  await engine.close();
});

/** A column of integers of 64 or 32 bits of a type; null is 0 in the buffer. */
function column(type: DataType, values: readonly (bigint | null)[], narrow = false): Table {
  const nullBitmap = new Uint8Array((values.length + 7) >> 3);
  for (const [i, value] of values.entries()) if (value !== null) nullBitmap[i >> 3] |= 1 << (i & 7);
  const nullCount = values.filter((value) => value === null).length;
  const data = narrow
    ? Int32Array.from(values, (value) => Number(value ?? 0n))
    : BigInt64Array.from(values, (value) => value ?? 0n);
  const made = new Data(type, 0, values.length, nullCount, [undefined, data, nullBitmap] as never);
  return new Table({ t: new Vector([made]) });
}

/** The integers of the only column, as they are in the buffers. */
function integers(table: Table): (bigint | null)[] {
  return table.batches.flatMap(({ data: { children } }) => {
    const [data] = children as Data[];
    return Array.from({ length: data.length }, (_, i) => (data.getValid(i) ? BigInt(data.values[i]) : null));
  });
}

const copied = async (sql: string, name: string): Promise<string> => {
  const path = join(folder, name);
  await engine.query(`copy (${sql}) to '${path}' (format parquet)`);
  return path;
};

describe("timestamps keep their unit and their zone", () => {
  it("of any value and unit, round-trip", async () => {
    const path = join(folder, "random.parquet");
    await forAllAsync(
      runs(80),
      fc.constantFrom(TimeUnit.MILLISECOND, TimeUnit.MICROSECOND, TimeUnit.NANOSECOND),
      fc.constantFrom(null, "UTC", "America/New_York", "+02:00"),
      fc.array(fc.option(fc.bigInt({ min: -(2n ** 63n) + 2n, max: 2n ** 63n - 2n }), { freq: 5 }), { minLength: 1 }),
      async (unit, zone, values) => {
        const type = new Timestamp(unit, zone);
        await Frame.from(column(type, values)).toParquet(path);
        for (const table of [await readParquet(path), (await Frame.fromParquet(path)).table]) {
          expect(String(table.schema.fields[0].type)).toBe(String(type));
          expect(integers(table)).toEqual(values);
        }
      },
    );
    const seconds = column(new Timestamp(TimeUnit.SECOND, null), [-1n, null, 2n]);
    await Frame.from(seconds).toParquet(path);
    const back = await readParquet(path);
    // Parquet has no seconds.
    expect([String(back.schema.fields[0].type), integers(back)]).toEqual([
      "Timestamp<MILLISECOND>",
      [-1000n, null, 2000n],
    ]);
  });

  it("of DuckDB, also inside of lists and structs", async () => {
    const path = await copied(
      `select ts::TIMESTAMP_S s, ts::TIMESTAMP_MS ms, ts us, ts::TIMESTAMP_NS ns, ts::TIMESTAMPTZ tz, [ts::TIMESTAMPTZ] l, {'n': ts::TIMESTAMP_NS} st
       from (values (timestamp '2020-02-29 12:34:56.789012'), (null)) t(ts)`,
      "units.parquet",
    );
    const table = await readParquet(path);
    const types = table.schema.fields.map(({ type }) => String(type));
    expect(types.slice(2, 5)).toEqual([
      "Timestamp<MICROSECOND>",
      "Timestamp<NANOSECOND>",
      "Timestamp<MICROSECOND, UTC>",
    ]);
    expect(types.slice(5)).toEqual(["List<Timestamp<MICROSECOND, UTC>>", "Struct<{n:Timestamp<NANOSECOND>}>"]);
    expect(table.getChild("us")?.toJSON()).toEqual([1582979696789.012, null]);
    expect(table.getChild("ns")?.toJSON()).toEqual([1582979696789.012, null]);
    const [row] = [...Frame.from(table).rows()];
    expect([row["us"], row["tz"], row["l"], row["st"]]).toEqual([
      "2020-02-29T12:34:56.789012",
      "2020-02-29T12:34:56.789012Z",
      '["2020-02-29T12:34:56.789012Z"]',
      '{"n":"2020-02-29T12:34:56.789012"}',
    ]);
  });

  it("conditions compare in the unit of the column, also with finer or coarser constants", async () => {
    const base = 1_700_000_000_000_000_000n;
    const path = join(folder, "where.parquet");
    for (const [perUnit, type] of [
      [1n, new TimestampNanosecond("UTC")],
      [1000n, new TimestampMicrosecond("UTC")],
      [1000n, new TimestampMicrosecond(null)],
      [1_000_000n, new Timestamp(TimeUnit.MILLISECOND, "UTC")],
    ] as const) {
      const values = Array.from({ length: 5 }, (_, i) => base / perUnit + BigInt(i - 2));
      await Frame.from(column(type, [...values, null])).toParquet(path);
      for (let nanos = -3_000_000n; nanos <= 3_000_000n; nanos += 500_250n) {
        for (const [operator, holds] of [
          ["gt", (a: bigint, b: bigint) => a > b],
          ["lte", (a: bigint, b: bigint) => a <= b],
          ["eq", (a: bigint, b: bigint) => a === b],
        ] as const) {
          for (const at of [base + nanos, base + perUnit, base + perUnit + 1n]) {
            const fraction = String(at % 1_000_000_000n).padStart(9, "0");
            const text = `${new Date(Number(at / 1_000_000_000n) * 1000).toISOString().slice(0, 19)}.${fraction}Z`;
            const where = { t: operator === "eq" ? text : { [operator]: text } };
            const found = integers(await readParquet(path, { where }));
            expect(found, `${String(type)} ${operator} ${text}`).toEqual(
              values.filter((value) => holds(value * perUnit, at)),
            );
          }
        }
      }
    }
    expect((await Frame.fromParquet(path, { where: { t: { gte: "2023-11-14" } } })).numRows).toBe(5);
  });

  it("the zone is that of the file's schema where another writer changed the column", async () => {
    const path = join(folder, "zone.parquet");
    await Frame.from(column(new TimestampMicrosecond("Asia/Tokyo"), [1n])).toParquet(path);
    const bytes = await readFile(path);
    const local = { field_8: { field_1: false, field_2: { field_2: {} } } };
    const changed = changedFooter(
      changedFooter(bytes, ["field_6"], Buffer.from("another writer")),
      ["field_2", 1, "field_10"],
      local,
    );
    expect(String((await readParquet(changed)).schema.fields[0].type)).toBe("Timestamp<MICROSECOND>");
  });
});

describe("timestamps of 96 bits", () => {
  /** Nanoseconds of the day and the Julian day. */
  const file = (values: readonly bigint[]): Uint8Array => {
    const bytes = new Uint8Array(values.length * 12);
    const view = new DataView(bytes.buffer);
    const day = 86_400_000_000_000n;
    for (const [i, value] of values.entries()) {
      const nanos = ((value % day) + day) % day;
      view.setBigInt64(i * 12, nanos, true);
      view.setInt32(i * 12 + 8, Number((value - nanos) / day) + 2_440_588, true);
    }
    return fileOfPages(
      {
        schema: [
          { name: "root", num_children: 1 },
          { name: "t", type: "INT96", repetition_type: "REQUIRED" },
        ],
        rows: values.length,
      },
      [
        {
          path: ["t"],
          type: "INT96",
          slots: values.length,
          definitions: [],
          repetitions: [],
          maxDefinition: 0,
          maxRepetition: 0,
          values: bytes,
        },
      ],
    );
  };
  const FAR = 253_402_214_400_000_000_000n; // 9999-12-31

  it("are nanoseconds, or microseconds where dates are far", async () => {
    const near = [1_700_000_000_123_456_789n, -1n, 2n ** 63n - 1n, -(2n ** 63n)];
    const table = await readParquet(file(near));
    expect([String(table.schema.fields[0].type), integers(table)]).toEqual(["Timestamp<NANOSECOND, UTC>", near]);
    const far = [1_700_000_000_123_456_000n, -62_135_596_800_000_000_000n, FAR];
    const wide = await readParquet(file(far));
    expect(String(wide.schema.fields[0].type)).toBe("Timestamp<MICROSECOND, UTC>");
    expect(integers(wide)).toEqual(far.map((value) => value / 1000n));
    await expect(readParquet(file([1n, FAR]))).rejects.toMatchObject({
      code: "UnsupportedParquet",
      message: expect.stringContaining('column "t"'),
    });
  });
});

describe("dates and timestamps outside of the years 1 to 9999", () => {
  it("are read, and the others with them", async () => {
    const days = [-(2 ** 31), -800_000, 0, 2_932_897, 2 ** 31 - 1];
    const path = join(folder, "days.parquet");
    const data = makeData({ type: new DateDay(), length: days.length, nullCount: 0, data: Int32Array.from(days) });
    await Frame.from(new Table({ t: new Vector([data]) })).toParquet(path);
    expect(integers(await readParquet(path))).toEqual(days.map(BigInt));
    const other = await copied(
      "select unnest([date '2024-02-29', date '12345-01-02', date '0044-03-15 (BC)']) d, unnest([timestamp '12345-01-02', timestamp '2024-02-29', null]) t",
      "far.parquet",
    );
    expect(Frame.from(await readParquet(other)).toArray()).toEqual([
      { d: "2024-02-29", t: "+012345-01-02T00:00:00" },
      { d: "+012345-01-02", t: "2024-02-29T00:00:00" },
      { d: "-000043-03-15", t: null },
    ]);
  });
});

describe("times of day and durations", () => {
  const TIMES = [
    [new Time(TimeUnit.SECOND, 32), 1n],
    [new Time(TimeUnit.MILLISECOND, 32), 1_000n],
    [new Time(TimeUnit.MICROSECOND, 64), 1_000_000n],
    [new Time(TimeUnit.NANOSECOND, 64), 1_000_000_000n],
  ] as const;

  it.each(TIMES)("%s is printed as a time, and is one in the file", async (type, perSecond) => {
    const values = [0n, 3_723n * perSecond, null, 86_399n * perSecond + (perSecond - 1n)];
    const frame = Frame.from(column(type, values, type.bitWidth === 32));
    const fraction = perSecond === 1n ? "" : `.${String(perSecond - 1n)}`;
    const texts = ["00:00:00", "01:02:03", null, `23:59:59${fraction}`];
    expect([...frame.rows()].map((row) => row["t"])).toEqual(texts);
    expect(frame.toCSV().trim().split("\n").slice(1)).toEqual(texts.map((text) => text ?? ""));
    const path = join(folder, "clock.parquet");
    await frame.toParquet(path);
    const back = await Frame.fromParquet(path);
    expect([...back.rows()].map((row) => row["t"])).toEqual(texts);
    // Parquet has no seconds.
    const kept = perSecond === 1n ? "Time32<MILLISECOND>" : String(type);
    expect(String(back.table.schema.fields[0].type)).toBe(kept);
    const found = await engine.query(`select typeof(t) as type, t::varchar as t from read_parquet('${path}')`);
    expect([...found].map((row) => String(row?.["type"]).slice(0, 4))).toEqual(["TIME", "TIME", "TIME", "TIME"]);
    expect([...found].map((row) => row?.["t"])).toEqual(texts);
  });

  it("durations are printed in ISO 8601 in any unit", () => {
    const units = [TimeUnit.SECOND, TimeUnit.MILLISECOND, TimeUnit.MICROSECOND, TimeUnit.NANOSECOND];
    for (const [k, unit] of units.entries()) {
      const perSecond = 1000n ** BigInt(k);
      const values = [0n, perSecond, -90n * perSecond, 93_784n * perSecond, null];
      const frame = Frame.from(column(new Duration(unit), values));
      expect([...frame.rows()].map((row) => row["t"])).toEqual(["PT0S", "PT1S", "-PT1M30S", "PT26H3M4S", null]);
    }
    const fine = Frame.from(column(new Duration(TimeUnit.NANOSECOND), [1_500_000_000n, 1n, -1n]));
    expect([...fine.rows()].map((row) => row["t"])).toEqual(["PT1.500S", "PT0.000000001S", "-PT0.000000001S"]);
  });
});

it("notes about columns that another writer replaced do not decide their types", async () => {
  const columns = [
    ["count", "Date"],
    ["price", "Integer"],
    ["date", "BigDecimal(50,2)"],
    ["text", "BigDecimal(50,2)"],
    ["double", "BigDecimal(15,4)"],
    ["same", "Text"],
  ] as const;
  const leaf = { definitions: [], repetitions: [], maxDefinition: 0, maxRepetition: 0, slots: 2 };
  const text = new Uint8Array([1, 0, 0, 0, 97, 1, 0, 0, 0, 98]);
  const file = fileOfPages(
    {
      schema: [
        { name: "root", num_children: columns.length },
        { name: "count", type: "INT64", repetition_type: "REQUIRED" },
        {
          name: "price",
          type: "INT64",
          repetition_type: "REQUIRED",
          converted_type: "DECIMAL",
          precision: 9,
          scale: 2,
        },
        { name: "date", type: "INT32", repetition_type: "REQUIRED", converted_type: "DATE" },
        { name: "text", type: "BYTE_ARRAY", repetition_type: "REQUIRED", converted_type: "UTF8" },
        { name: "double", type: "DOUBLE", repetition_type: "REQUIRED" },
        { name: "same", type: "BYTE_ARRAY", repetition_type: "REQUIRED", converted_type: "UTF8" },
      ],
      rows: 2,
      keyValues: { "arrowbook.columns": JSON.stringify(columns.map(([name, type]) => ({ name, type }))) },
    },
    [
      { ...leaf, path: ["count"], type: "INT64", values: int64Bytes([1n, 2n]) },
      { ...leaf, path: ["price"], type: "INT64", values: int64Bytes([1n, 2n]) },
      { ...leaf, path: ["date"], type: "INT32", values: int32Bytes([0, 1]) },
      { ...leaf, path: ["text"], type: "BYTE_ARRAY", values: text },
      { ...leaf, path: ["double"], type: "DOUBLE", values: new Uint8Array(Float64Array.of(0.5, 0.1).buffer) },
      { ...leaf, path: ["same"], type: "BYTE_ARRAY", values: text },
    ],
  );
  const frame = Frame.from(await readParquet(file));
  expect(frame.columns.map(({ type }) => type)).toEqual([
    "Integer",
    "BigDecimal(9,2)",
    "Date",
    "String",
    "double",
    "Text",
  ]);
  expect([...frame.rows()][1]).toEqual({
    count: 2,
    price: 0.02,
    date: "1970-01-02",
    text: "b",
    double: 0.1,
    same: "b",
  });
});
