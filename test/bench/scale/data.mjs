// Makes the tables: the sample's MARKET/PRICES repeated under other tickers, with prices and volumes scaled by the
// number of the copy, so that the rows of every size are the same on every machine.
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { built } from "./settings.mjs";

/** The sample table, and how many rows of it each copy has. */
const COLUMNS = [
  { name: "ticker", type: "String" },
  { name: "date", type: "Date" },
  ...["open", "high", "low", "close"].map((name) => ({ name, type: "BigDecimal(15,4)" })),
  { name: "volume", type: "BigDecimal(20,0)" },
];

/** Writes `prices.parquet` and its `catalog.json` into a folder. */
export async function makeData(folder, rows) {
  const { connect } = await built("index");
  const { duckdb } = await built("duckdb");
  const service = await connect.sample();
  const sample = await service.table("MARKET/PRICES").frame();
  await service.close();
  const engine = await duckdb(undefined, { threads: 1, memoryLimit: "1GB" });
  await engine.load("sample", sample);
  await engine.query("CREATE TABLE numbered AS SELECT rowid AS n, * FROM sample");
  const prices = ["open", "high", "low", "close"].map(
    (name) => `CAST(${name} * (500 + copy * 7919 % 1000) / 1000 AS DECIMAL(15,4)) AS ${name}`,
  );
  const target = join(folder, "prices.parquet");
  await engine.query(`COPY (
    SELECT ticker || lpad(copy::VARCHAR, 4, '0') AS ticker, date, ${prices.join(", ")},
      CAST(volume + i * 7919 % 100003 AS DECIMAL(20,0)) AS volume
    FROM (
      SELECT i, i // ${sample.numRows} AS copy, i % ${sample.numRows} AS n FROM range(${rows}) AS numbers(i)
    ) AS made
    JOIN numbered USING (n)
  ) TO '${target}.part' (FORMAT parquet, COMPRESSION zstd)`);
  const [checked] = (
    await engine.query(`SELECT count(*)::BIGINT AS n,
      count(*) FILTER (WHERE volume - i * 7919 % 100003 <> old)::BIGINT AS moved
      FROM (SELECT file_row_number AS i, volume FROM read_parquet('${target}.part', file_row_number = true)) AS rows
      JOIN (SELECT n, volume AS old FROM numbered) AS numbered ON i % ${sample.numRows} = n`)
  ).toArray();
  if (Number(checked.n) !== rows || Number(checked.moved) !== 0) throw new Error("the rows are not in their order");
  await engine.close();
  renameSync(`${target}.part`, target);
  const table = {
    vendor_code: "SCALE",
    datatable_code: "PRICES",
    name: "Prices",
    columns: COLUMNS,
    filters: ["ticker", "date"],
    primary_key: ["ticker", "date"],
    status: { refreshed_at: "2025-01-02T06:00:00Z" },
    file: "prices.parquet",
  };
  writeFileSync(join(folder, "catalog.json"), JSON.stringify({ databases: [], tables: [table] }));
}

/** The columns as the service declares them. */
export { COLUMNS };
