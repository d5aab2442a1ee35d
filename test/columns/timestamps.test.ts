import { rmSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { Engine } from "../../src/engine/contract/engine.js";
import { duckdbEngine } from "../../src/engine/duckdb/duckdb.js";
import { Frame } from "../../src/index.js";
import { forAllAsync } from "../support/for-all.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { runs } from "../support/whole.js";
import { textsOf, utf8 } from "./rows.js";

const csvOf = (cells: readonly string[]): Uint8Array => utf8(`t,x\n${cells.map((cell) => `${cell},x\n`).join("")}`);

async function columnOf(cells: readonly string[]): Promise<[string, (string | null)[]]> {
  const frame = await Frame.fromCSV(csvOf(cells));
  return [frame.columns[0].type, frame.column("t").toStrings()];
}

const declared = async (
  cells: readonly string[],
  type = "DateTime",
  options: object = {},
): Promise<(string | null)[]> => {
  const columns = [
    { name: "t", type },
    { name: "x", type: "String" },
  ];
  return (await Frame.fromCSV(csvOf(cells), { columns, ...options })).column("t").toStrings();
};

describe("timestamps as pandas, polars and DuckDB write them", () => {
  it.each<[string, string[], (string | null)[]]>([
    [
      "DateTime",
      ["2024-12-31 09:30:00", "", "2024-12-31 09:30:00.5"],
      ["2024-12-31T09:30:00Z", null, "2024-12-31T09:30:00.500Z"],
    ],
    ["DateTime", ["2024-12-31T09:30:00"], ["2024-12-31T09:30:00Z"]],
    ["DateTime", ["2024-12-31 09:30:00.000000"], ["2024-12-31T09:30:00Z"]],
    [
      "DateTime",
      ["2024-12-31 09:30:00+01:00", "2024-06-30 09:30:00+02:00"],
      ["2024-12-31T08:30:00Z", "2024-06-30T07:30:00Z"],
    ],
    [
      "DateTime",
      ["2024-12-31 09:30:00+00", "2024-12-31 09:30:00-05"],
      ["2024-12-31T09:30:00Z", "2024-12-31T14:30:00Z"],
    ],
    [
      "DateTime",
      ["2024-12-31T09:30:00Z", "2024-12-31T09:30:00.000Z"],
      ["2024-12-31T09:30:00Z", "2024-12-31T09:30:00Z"],
    ],
    [
      "DateTime(6)",
      ["2024-12-31 09:30:00.123456", "0001-01-01 00:00:00"],
      ["2024-12-31T09:30:00.123456Z", "0001-01-01T00:00:00Z"],
    ],
    ["DateTime(9)", ["2024-12-31 09:30:00.123456789"], ["2024-12-31T09:30:00.123456789Z"]],
    ["DateTime(9)", ["1969-12-31 23:59:59.999999999"], ["1969-12-31T23:59:59.999999999Z"]],
    ["String", ["2024-12-31 09:30:00.1234567891"], ["2024-12-31 09:30:00.1234567891"]],
    [
      "String",
      ["2024-12-31 09:30:00.123456789", "2300-01-01 00:00:00"],
      ["2024-12-31 09:30:00.123456789", "2300-01-01 00:00:00"],
    ],
    ["String", ["2024-12-31 09:30:00", "2024-12-31 09:30:00Z"], ["2024-12-31 09:30:00", "2024-12-31 09:30:00Z"]],
    ["String", ["2024-12-31 09:30:00", "2024-12-31"], ["2024-12-31 09:30:00", "2024-12-31"]],
    ["String", ["2024-12-31 09:30:00."], ["2024-12-31 09:30:00."]],
    ["String", ["2024-02-30 09:30:00"], ["2024-02-30 09:30:00"]],
    ["String", ["2024-12-31 24:00:00"], ["2024-12-31 24:00:00"]],
    ["String", ["2024-12-31 09:30"], ["2024-12-31 09:30"]],
    ["String", ["2024-12-31 09:30:00+1:00"], ["2024-12-31 09:30:00+1:00"]],
    ["String", ["2024-12-31-09:30:00"], ["2024-12-31-09:30:00"]],
  ])("%s: %j", async (type, cells, texts) => {
    expect(await columnOf(cells)).toEqual([type, texts]);
    const lines = await Frame.fromJSONLines(utf8(cells.map((t) => `${JSON.stringify({ t: t || null })}\n`).join("")));
    expect([lines.columns[0].type, lines.column("t").toStrings()]).toEqual([type, texts]);
  });

  it("declared: digits that the type does not keep are an error, or rounded half to even", async () => {
    const cell = "2024-12-31 09:30:00.123456500";
    await expect(declared([cell])).rejects.toMatchObject({ code: "PrecisionLoss", row: 0, column: "t", value: cell });
    await expect(declared([cell], "DateTime(6)")).rejects.toMatchObject({ code: "PrecisionLoss" });
    expect(await declared([cell], "timestamp(9)")).toEqual(["2024-12-31T09:30:00.123456500Z"]);
    const round = { onPrecisionLoss: "round" };
    expect(await declared([cell, "2024-12-31 09:30:00.1234575"], "DateTime(6)", round)).toEqual([
      "2024-12-31T09:30:00.123456Z",
      "2024-12-31T09:30:00.123458Z",
    ]);
    expect(await declared([cell], "DateTime", round)).toEqual(["2024-12-31T09:30:00.123Z"]);
    await expect(declared(["2300-01-01 00:00:00"], "DateTime(9)")).rejects.toMatchObject({ code: "PrecisionLoss" });
    await expect(declared(["9999-12-31 23:59:59.9999"], "DateTime", round)).rejects.toMatchObject({ code: "BadCell" });
    expect(await declared(["9999-12-31 23:59:59.9999999"], "DateTime(6)", { ...round, onBadCell: "null" })).toEqual([
      null,
    ]);
  });

  it("a type with digits is kept by files, casts and SQL", async () => {
    const frame = await Frame.fromCSV(csvOf(["2024-12-31 09:30:00.123456789", "2024-01-01 00:00:00"]));
    const folder = temporaryFolder("timestamps");
    onTestFinished(() => rmSync(folder, { recursive: true }));
    await frame.toParquet(join(folder, "a.parquet"));
    await frame.toArrow(join(folder, "a.arrow"));
    for (const back of [
      await Frame.fromParquet(join(folder, "a.parquet")),
      await Frame.fromArrow(join(folder, "a.arrow")),
      await Frame.fromCSV(utf8(frame.toCSV())),
      await Frame.fromJSONLines(utf8(frame.toJSONLines())),
    ]) {
      expect(back.columns).toEqual(frame.columns);
      expect(textsOf(back.table)).toEqual(textsOf(frame.table));
    }
    const sql = await frame.sql("select max(t) as t from this");
    expect(sql.column("t").toStrings()).toEqual(["2024-12-31T09:30:00.123456789Z"]);
    expect(() => frame.cast({ t: "DateTime" })).toThrow(expect.objectContaining({ code: "PrecisionLoss", row: 0 }));
    const days = Frame.fromColumns({ t: ["2024-02-29", null] }, { t: "Date" });
    const times = days.cast({ t: "DateTime(9)" });
    expect([times.columns[0].type, times.column("t").toStrings()]).toEqual([
      "DateTime(9)",
      ["2024-02-29T00:00:00Z", null],
    ]);
    const far = Frame.fromColumns({ t: ["9999-12-31"] }, { t: "Date" });
    expect(() => far.cast({ t: "DateTime(9)" })).toThrow(expect.objectContaining({ code: "Overflow" }));
    expect(frame.filter(frame.column("t").gt("2024-12-31T09:30:00.123456788Z")).numRows).toBe(1);
  });
});

describe("against DuckDB", () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await duckdbEngine();
    return () => engine.close();
  });

  const times = fc.record({
    // Within the nanoseconds of 64 bits.
    seconds: fc.integer({ min: -8_000_000_000, max: 8_000_000_000 }),
    fraction: fc.option(fc.integer({ min: 0, max: 999_999_999 }).map((n) => String(n).padStart(9, "0"))),
    digits: fc.integer({ min: 1, max: 9 }),
    separator: fc.constantFrom(" ", "T"),
  });
  const written = fc.array(times, { minLength: 1, maxLength: 20 }).map((all) =>
    all.map(({ seconds, fraction, digits, separator }) => {
      const iso = new Date(seconds * 1000).toISOString().slice(0, 19).replace("T", separator);
      return fraction === null ? iso : `${iso}.${fraction.slice(0, digits)}`;
    }),
  );
  const zones = fc.constantFrom("", "Z", "+00", "+01:00", "-0530", "+14:00");

  it("timestamps are the same, to the digit", async () => {
    await forAllAsync(runs(60), written, zones, async (cells, zone) => {
      const micros = zone === "" ? cells : cells.map((cell) => cell.replace(/(\.\d{6})\d+$/, "$1"));
      const [, own] = await columnOf(micros.map((cell) => cell + zone));
      const type = zone === "" ? "TIMESTAMP_NS" : "TIMESTAMPTZ";
      const values = micros.map((cell) => `('${cell}${zone.replace("-0530", "-05:30")}')`).join(", ");
      const theirs = await engine.query(`select cast(t as ${type}) as t from (values ${values}) v(t)`);
      expect(own).toEqual(textsOf(theirs).map(([text]) => text));
    });
  });
});
