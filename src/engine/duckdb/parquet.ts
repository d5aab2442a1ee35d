import type { Schema } from "../../columns/arrow/arrow.js";
import { DataError } from "../../errors/errors.js";
import { suggestion } from "../../errors/nearest.js";
import { type ColumnSpec, parseType } from "../../spec/columns.js";
import type { StatementRunner } from "../contract/dialect.js";
import { quoteName } from "../contract/statements.js";
import { engineType, storedType, wideColumns } from "./types.js";

/**
 * Loads a Parquet file as the engine's table `name` without passing rows through this process.
 *
 * @throws {DataError} WrongColumn if the file lacks a column or has it in a type that would lose information
 */
export async function loadParquet(
  engine: StatementRunner,
  name: string,
  path: string,
  columns: readonly ColumnSpec[],
): Promise<void> {
  const file = parquetScan(path);
  const found = await engine.query(`SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM ${file})`);
  const types = new Map([...found].map((row) => [String(row?.["column_name"]), String(row?.["column_type"])]));
  const list = columns.map((column, i) => {
    const type = types.get(column.name);
    if (type === undefined) {
      throw new DataError(
        `${path}: the file has no column ${JSON.stringify(column.name)}. ${suggestion(column.name, [...types.keys()], "columns")}`,
        { code: "WrongColumn", column: column.name },
      );
    }
    const declared = parseType(column.type);
    const target = engineType(declared);
    if (!target.takes(type, declared)) {
      throw new DataError(
        `${path}: column ${JSON.stringify(column.name)} is ${type}, which the catalogue's ${column.type} cannot represent exactly.`,
        { code: "WrongColumn", column: column.name, hint: "Declare the type of the file, or rewrite the file." },
      );
    }
    return `CAST(${quoteName(column.name)} AS ${target.declared(declared)}) AS c${i}`;
  });
  await checkTimestamps(engine, path, file, columns);
  await engine.query(`CREATE OR REPLACE TABLE ${quoteName(name)} AS SELECT ${list.join(", ")} FROM ${file}`);
}

/** The service's timestamps are in milliseconds (docs/types.md); a file may have finer ones. */
async function checkTimestamps(
  engine: StatementRunner,
  path: string,
  file: string,
  columns: readonly ColumnSpec[],
): Promise<void> {
  for (const { name, type } of columns) {
    if (parseType(type).kind !== "datetime") continue;
    const column = quoteName(name);
    const finer = await engine.query(
      `SELECT 1 FROM ${file} WHERE ${column} <> CAST(CAST(${column} AS TIMESTAMP_MS) AS TIMESTAMP) LIMIT 1`,
    );
    if (finer.numRows === 0) continue;
    throw new DataError(`${path}: column ${JSON.stringify(name)} has timestamps finer than a millisecond.`, {
      code: "WrongColumn",
      column: name,
      hint: "Write the file with milliseconds.",
    });
  }
}

/**
 * Makes Parquet files the view `name`, if the engine reads each column in the type as which a column of `schema` is
 * loaded, in all files; returns whether it did.
 */
export async function parquetView(
  engine: StatementRunner,
  name: string,
  paths: readonly string[],
  schema: Schema,
): Promise<boolean> {
  if (wideColumns(schema).size > 0) return false;
  const expected = schema.fields.map((field) => `${field.name} ${storedType(field.type)}`).join();
  for (const path of paths) {
    const found = await engine.query(`SELECT column_name, column_type FROM (DESCRIBE FROM ${parquetScan(path)})`);
    if ([...found].map((row) => `${row?.["column_name"]} ${row?.["column_type"]}`).join() !== expected) return false;
  }
  await engine.query(`CREATE VIEW ${quoteName(name)} AS FROM ${parquetScan(paths)}`);
  return true;
}

/**
 * The table function over Parquet files: their own columns only, whatever characters the path has. The engine would
 * take `[a]` in a path for a pattern, and `ticker=AAA` for a column that replaces the one in the file.
 *
 * @param path of a file, or of several
 * @param pattern of file names below the path, such as `/*.parquet`
 */
export function parquetScan(path: string | readonly string[], pattern = ""): string {
  const literals = [path].flat().map((each) => {
    const literal = each.replace(/[[*?]/g, "[$&]");
    return `'${`${literal}${pattern}`.replaceAll("'", "''")}'`;
  });
  return `read_parquet([${literals.join(", ")}], hive_partitioning = false)`;
}
