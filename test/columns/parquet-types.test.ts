import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  makeData,
  Table,
  type Timestamp,
  TimestampMicrosecond,
  TimestampMillisecond,
  TimestampNanosecond,
  TimestampSecond,
  TimeUnit,
  Vector,
} from "apache-arrow";
import { parquetMetadata } from "hyparquet";
import { parquetWriteBuffer } from "hyparquet-writer";
import { describe, expect, it } from "vitest";
import { readParquet } from "../../src/columns/parquet/read/read.js";
import { duckdbEngine } from "../../src/engine/duckdb/duckdb.js";
import { Frame } from "../../src/frame/frame.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const folder = temporaryFolder("parquet");

/** Thrift's compact form of the member `type` of a column in the schema: BYTE_ARRAY and INT96. */
const BYTE_ARRAY = Buffer.from([0x15, 12]);
const INT96 = Buffer.from([0x15, 6]);

it("a column whose schema names another type than its pages is refused, not read as the type of its pages", async () => {
  const bytes = Buffer.from(
    parquetWriteBuffer({ columnData: [{ name: "a", data: ["x", "y", "x"], type: "BYTE_ARRAY" }] }),
  );
  const footer = bytes.length - 8 - bytes.readUInt32LE(bytes.length - 8);
  INT96.copy(bytes, bytes.indexOf(BYTE_ARRAY, footer));
  const { schema, row_groups } = parquetMetadata(new Uint8Array(bytes).buffer);
  expect([schema[1].type, row_groups[0].columns[0].meta_data?.type]).toEqual(["INT96", "BYTE_ARRAY"]);
  const path = join(folder, "types.parquet");
  writeFileSync(path, bytes);
  await expect(readParquet(path)).rejects.toMatchObject({
    name: "DataError",
    code: "BadParquet",
    message: expect.stringContaining("a column of type INT96 has pages of another type"),
  });
});

/** A table with the column `t`; 0 is also what null has in the buffer. */
function times(values: readonly (bigint | null)[], type: Timestamp): Table {
  const data = BigInt64Array.from(values, (value) => value ?? 0n);
  const nullBitmap = new Uint8Array(8);
  for (const [i, value] of values.entries()) if (value !== null) nullBitmap[i >> 3] |= 1 << (i & 7);
  const nullCount = values.filter((value) => value === null).length;
  return new Table({ t: new Vector([makeData({ type, length: values.length, nullCount, nullBitmap, data })]) });
}

describe("timestamps are written in their unit, with or without a zone", () => {
  const TIMES: readonly (readonly [string, Timestamp, bigint])[] = [null, "UTC", "America/New_York"].flatMap((zone) => [
    [`s ${zone}`, new TimestampSecond(zone), 1n],
    [`ms ${zone}`, new TimestampMillisecond(zone), 1_000n],
    [`us ${zone}`, new TimestampMicrosecond(zone), 1_000_000n],
    [`ns ${zone}`, new TimestampNanosecond(zone), 1_000_000_000n],
  ]);
  const seconds = [-2_208_988_800n, -1n, 0n, 1_700_000_000n, null];

  it.each(TIMES)("%s", async (name, type, factor) => {
    const values = seconds.map((value) => (value === null ? null : value * factor));
    const path = join(folder, `${name.replace("/", "_")}.parquet`);
    await Frame.from(times(values, type)).toParquet(path);
    const back = await Frame.fromParquet(path);
    expect(back.column("t").toDates()).toEqual(
      seconds.map((value) => (value === null ? null : new Date(Number(value) * 1000))),
    );
    const engine = await duckdbEngine();
    const [row] = await engine.query(`select typeof(t) as type from read_parquet('${path}') limit 1`);
    const [sum] = await engine.query(`select sum(epoch(t))::bigint as s, count(*) as n from read_parquet('${path}')`);
    await engine.close();
    const plain = type.unit === TimeUnit.NANOSECOND ? "TIMESTAMP_NS" : "TIMESTAMP";
    expect(row?.["type"]).toBe(type.timezone ? "TIMESTAMP WITH TIME ZONE" : plain);
    expect([Number(sum?.["s"]), Number(sum?.["n"])]).toEqual([-2_208_988_800 - 1 + 1_700_000_000, 5]);
  });

  it("digits below a microsecond are kept in the file", async () => {
    const path = join(folder, "fine.parquet");
    await Frame.from(times([1_700_000_000_123_456_789n], new TimestampNanosecond(null))).toParquet(path);
    const engine = await duckdbEngine();
    const [row] = await engine.query(`select t::varchar as t from read_parquet('${path}')`);
    await engine.close();
    expect(row?.["t"]).toBe("2023-11-14 22:13:20.123456789");
    const [back] = (await Frame.fromParquet(path)).toArray();
    expect(back).toEqual({ t: "2023-11-14T22:13:20.123456789" });
  });

  it("seconds beyond the range of milliseconds are an error", async () => {
    const written = Frame.from(times([2n ** 62n], new TimestampSecond("UTC"))).toParquet(join(folder, "far.parquet"));
    await expect(written).rejects.toMatchObject({ code: "PrecisionLoss" });
  });
});
