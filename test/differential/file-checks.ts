import { rmSync } from "node:fs";
import { join } from "node:path";
import polars from "nodejs-polars";
import { Frame } from "../../src/index.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { type Canonical, canonicals, cellsOfFrame } from "./canonical.js";
import {
  at,
  type Check,
  type Checks,
  columnsOf,
  expectCells,
  expectFrame,
  expectNear,
  type Given,
  modelOf,
  tableOf,
} from "./given.js";
import { isNull, rowsByKey } from "./order.js";
import type { Kind } from "./random-table.js";

/** The kinds that every format keeps, with all their digits. */
const KEPT: readonly Kind[] = ["integer", "decimal", "text", "date"];

/** Writes a table, reads it back and compares all cells. */
function roundTrip(back: (frame: Frame, given: Given) => Frame | Promise<Frame>, kinds?: readonly Kind[]): Check {
  return async (given) => {
    const table = kinds === undefined ? given : tableOf(given, kinds);
    expectFrame(await back(table.frame, table), columnsOf(table));
  };
}

/** The service types of a table whose kinds every format keeps. */
const specsOf = (frame: Frame) => frame.columns.map(({ name, type }) => ({ name, type }));

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** A file that is gone afterwards. */
async function withFile<T>(name: string, use: (path: string) => Promise<T>): Promise<T> {
  const folder = temporaryFolder("differential");
  try {
    return await use(join(folder, name));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Empty text, which CSV reads back as null. */
const hasEmptyText = (given: Given): boolean => given.models.some(({ cells }) => cells.includes(""));

/** What frames are made of and written to, and other engines beside them. */
export const fileChecks: Checks = {
  from: roundTrip((frame) => Frame.from(frame.table)),
  "fromArrow.bytes": roundTrip((frame) => Frame.fromArrow(frame.toIPC())),
  fromBatches: roundTrip((frame) => Frame.fromBatches(frame.table.schema, frame.table.batches) as unknown as Frame),
  fromArrow: roundTrip((frame) =>
    withFile("rows.arrow", async (path) => {
      await frame.toArrow(path);
      return Frame.fromArrow(path);
    }),
  ),
  fromRows: roundTrip(
    (frame) => Frame.fromRows([...frame.rows({ decimals: "string" })] as never, specsOf(frame)),
    KEPT,
  ),
  fromColumns: roundTrip((frame) => {
    const columns = frame.columns.map(({ name }) => [name, frame.column(name).toStrings()]);
    return Frame.fromColumns(
      Object.fromEntries(columns),
      Object.fromEntries(frame.columns.map(({ name, type }) => [name, type])),
    ) as Frame;
  }, KEPT),
  fromParquet: roundTrip((frame) =>
    withFile("rows.parquet", async (path) => {
      await frame.toParquet(path);
      return Frame.fromParquet(path);
    }),
  ),
  fromCSV: async (given) => {
    const table = tableOf(given, ["integer", "decimal", "date"]);
    const text = table.frame.toCSV() as unknown as string;
    expectFrame(await Frame.fromCSV(bytesOf(text), { columns: specsOf(table.frame) }), columnsOf(table));
    const words = tableOf(given, ["integer", "text"]);
    if (hasEmptyText(words)) return;
    const written = words.frame.toCSV() as unknown as string;
    expectFrame(await Frame.fromCSV(bytesOf(written), { columns: specsOf(words.frame) }), columnsOf(words));
  },
  fromJSONLines: async (given) => {
    const table = tableOf(given, KEPT);
    const types = Object.fromEntries(specsOf(table.frame).map(({ name, type }) => [name, type]));
    if (table.rows === 0) return;
    const found = await Frame.fromJSONLines(bytesOf(table.frame.toJSONLines() as unknown as string), { types });
    expectFrame(found, columnsOf(table));
  },
  sql: async (given) => {
    const kinds = KEPT.filter((kind) => kind !== "decimal");
    const table = tableOf(given, [...kinds, "boolean", "double"]);
    const numbered = table.frame.with({ place: Array.from({ length: table.rows }, (_, i) => i) });
    if (table.rows === 0) return;
    const found = (await numbered.sql("select * exclude (place) from this order by place")) as Frame;
    expectFrame(found, columnsOf(table));
  },
  "sql.groupBy": async (given) => {
    const table = tableOf(given, ["text", "integer"]);
    const [key, value] = table.models;
    if (table.rows === 0) return;
    const groups = [...rowsByKey([key], table.rows).values()];
    const asked = (await table.frame.sql(
      `select ${key.name}, count(*) as n, sum(${value.name}::hugeint)::varchar as total from this group by all`,
    )) as Frame;
    const totals = cellsOfFrame(asked);
    const byKey = new Map(totals[key.name].map((word, i) => [word, i]));
    const found = cellsOfFrame(table.frame.groupBy(key.name).count() as unknown as Frame);
    const keys = canonicals(key);
    for (const [i, rows] of groups.entries()) {
      const place = byKey.get(keys[rows[0]]) as number;
      expectCells([found["count"][i], totals["n"][place]], [String(rows.length), String(rows.length)], "count");
      const sum = rows.reduce<bigint | null>((all, row) => {
        const cell = value.cells[row];
        return cell === null ? all : (all ?? 0n) + (cell as bigint);
      }, null);
      expectCells([totals["total"][place]], [sum === null ? null : String(sum)], "sum");
    }
  },
  "polars.groupBy": (given) => {
    const table = tableOf(given, ["text", "double"]);
    const [key, value] = table.models;
    if (table.rows === 0) return;
    const keys = key.cells.map((cell) => cell ?? "null");
    const tame = value.cells.map((cell) => (isNull(cell) || Math.abs(cell as number) > 1e6 ? null : (cell as number)));
    const theirs = polars
      .DataFrame({
        key: polars.Series("key", keys as string[], polars.Utf8),
        value: polars.Series("value", tame, polars.Float64),
      })
      .groupBy("key")
      .agg(polars.col("value").mean().alias("mean"), polars.col("value").max().alias("max"));
    const wanted = new Map(theirs.rows().map((row) => [row[0], row]));
    const ours = Frame.fromColumns({ key: keys as string[], value: tame }, { key: "String", value: "double" });
    const found = cellsOfFrame(ours.groupBy("key").agg({ value: ["mean", "max"] }) as unknown as Frame);
    const rows = found["key"].map((word) => wanted.get(word as string) as (number | null)[]);
    expectNear(
      found["value_mean"],
      rows.map((row) => row[1]),
      "mean",
      () => 1,
    );
    expectNear(
      found["value_max"],
      rows.map((row) => row[2]),
      "max",
    );
  },
  "polars.rolling": (given) => {
    const values = Array.from({ length: 1 + given.random.below(200) }, () =>
      given.random.pick([1.5, -2.25, 100, 0.1, 7]),
    );
    const size = 1 + given.random.below(9);
    const theirs = polars.Series("v", values, polars.Float64).rollingMean({ windowSize: size });
    const days = values.map((_, i) => new Date(i * 86_400_000).toISOString().slice(0, 10));
    const ours = Frame.fromColumns({ day: days, v: values }, { day: "Date", v: "double" }).rolling(size, "mean", {
      columns: "v",
    });
    expectNear(
      cellsOfFrame(ours as unknown as Frame)["v"],
      [...theirs] as (number | null)[],
      "rolling mean",
      () => 100,
    );
  },
  "polars.sort": (given) => {
    const model = modelOf(given, "integer");
    const values = model.cells.map((cell) => (cell === null ? null : Number((cell as bigint) % 1_000_000n)));
    if (values.length === 0) return;
    const theirs = polars.Series("v", values, polars.Float64).sort({ nullsLast: true });
    const ours = Frame.fromColumns({ v: values }, { v: "double" }).sort("v");
    expectCells(
      cellsOfFrame(ours as unknown as Frame)["v"],
      [...theirs].map((one) => (one === null ? null : (one as number) || 0)) as Canonical[],
      "sort",
    );
  },
  filterByMask: (given) => {
    const model = modelOf(given, "integer");
    const found = given.frame.filter(given.frame.column(model.name).gt(0) as never);
    const rows = model.cells
      .map((cell, row) => (cell !== null && (cell as bigint) > 0n ? row : -1))
      .filter((row) => row >= 0);
    expectFrame(found, at(columnsOf(given), rows));
  },
};
