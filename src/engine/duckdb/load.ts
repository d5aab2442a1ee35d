import { randomUUID } from "node:crypto";
import type { DuckDBConnection } from "@duckdb/node-api";
import type { RecordBatch, Schema } from "../../columns/arrow/arrow.js";
import type { LoadOptions, Rows } from "../contract/engine.js";
import { checkAddedColumns, checkAddedKey, keyOf, openRows, type StoredColumn } from "../contract/rows.js";
import { checkNames, quoteName } from "../contract/statements.js";
import { bindings, type Native } from "./bindings.js";
import { cellWriters, sqlType, wideColumns } from "./types.js";
import { CHUNK_ROWS, fillChunk } from "./write.js";

type Api = typeof import("@duckdb/node-api");

/**
 * The comment of a table whose load is not complete. A file opened again has such tables where the process was killed;
 * tables of the same name without it are the user's.
 */
export const UNFINISHED = "arrowbook: rows of a load that is not complete";

export const stagingName = (): string => `arrowbook_load_${randomUUID().replaceAll("-", "")}`;

/** A load: rows go into the table `staging`, which then replaces `name` or is appended to it. */
export interface Load {
  readonly name: string;
  readonly staging: string;
  readonly data: Rows;
  readonly options: LoadOptions;
  /** Runs the last step of one load after the other: the engine refuses changes of one table at once. */
  inTurn(step: () => Promise<void>): Promise<void>;
}

/** The result of a load: the number of rows, and the service types of columns that the engine stores as text. */
export interface Loaded {
  readonly rows: number;
  readonly wide: ReadonlyMap<string, string>;
}

/** Runs a load on its own connection. A failed load leaves only the staging table, which the caller drops. */
export async function loadRows(api: Api, own: DuckDBConnection, load: Load): Promise<Loaded> {
  const { options } = load;
  const { batches, schema } = await openRows(JSON.stringify(load.name), load.data, options);
  const key = keyOf(schema, options);
  const columns = columnList(schema);
  const primaryKey = key.length > 0 ? `, PRIMARY KEY (${key.map(quoteName).join(", ")})` : "";
  const wide = wideColumns(schema);
  await own.run("BEGIN");
  await own.run(`CREATE TABLE ${quoteName(load.staging)} (${columns.join(", ")}${primaryKey})`);
  await own.run(`COMMENT ON TABLE ${quoteName(load.staging)} IS '${UNFINISHED}'`);
  await own.run("COMMIT");
  /** Whether rows are added to a table, which is checked. */
  const adds = async (): Promise<boolean> => {
    if (options.mode !== "append" && options.mode !== "upsert") return false;
    if (!(await tableExists(own, load.name))) return false;
    await checkTarget(own, load, key, wide);
    return true;
  };
  await adds();
  const rows = await append(api, own, load.staging, batches, schema);
  await load.inTurn(async () => {
    options.signal?.throwIfAborted();
    const [table, staging] = [quoteName(load.name), quoteName(load.staging)];
    // In one transaction with the types of wide columns, which would be text without them in a file opened again.
    await own.run("BEGIN");
    // Another load may have made the table since.
    if (await adds()) {
      const verb = key.length > 0 ? "INSERT OR REPLACE" : "INSERT";
      await own.run(`${verb} INTO ${table} BY NAME SELECT * FROM ${staging}`);
      await own.run(`DROP TABLE ${staging}`);
    } else {
      for (const [column, type] of wide) {
        await own.run(`COMMENT ON COLUMN ${staging}.${quoteName(column)} IS '${type.replaceAll("'", "''")}'`);
      }
      await own.run(`COMMENT ON TABLE ${staging} IS NULL`);
      await own.run(`DROP TABLE IF EXISTS ${table}`);
      await own.run(`ALTER TABLE ${staging} RENAME TO ${table}`);
    }
    await own.run("COMMIT");
  });
  return { rows, wide };
}

function columnList(schema: Schema): string[] {
  checkNames(schema);
  return schema.fields.map((field) => `${quoteName(field.name)} ${sqlType(field)}`);
}

async function tableExists(own: DuckDBConnection, name: string): Promise<boolean> {
  const found = await own.runAndReadAll(
    "SELECT 1 FROM duckdb_tables() WHERE table_name = $1 AND schema_name = current_schema()",
    [name],
  );
  return found.currentRowCount > 0;
}

async function checkTarget(
  own: DuckDBConnection,
  { name, staging }: Load,
  key: readonly string[],
  wide: ReadonlyMap<string, string>,
): Promise<void> {
  const found = await own.runAndReadAll(
    `SELECT unnest(constraint_column_names) FROM duckdb_constraints()
      WHERE table_name = $1 AND schema_name = current_schema() AND constraint_type = 'PRIMARY KEY'`,
    [name],
  );
  const stored = found.getRows().map(([column]) => String(column));
  if (key.length > 0) checkAddedKey(name, stored, key);
  const added = await columnsOf(own, staging);
  // Decimals that are stored as text have their type as a comment, once their rows are complete.
  for (const [id, { column, type }] of added) added.set(id, { column, type: wide.get(column) ?? type });
  checkAddedColumns({ engine: "DuckDB", table: name, stored: await columnsOf(own, name), added });
}

/** The columns of a table and their types, by their names without case. */
async function columnsOf(own: DuckDBConnection, table: string): Promise<Map<string, StoredColumn>> {
  const found = await own.runAndReadAll(
    `SELECT column_name, CASE WHEN comment LIKE 'BigDecimal(%' THEN comment ELSE data_type END FROM duckdb_columns()
      WHERE table_name = $1 AND schema_name = current_schema() AND database_name = current_database()`,
    [table],
  );
  const columns = found.getRows().map(([column, type]) => ({ column: String(column), type: String(type) }));
  return new Map(columns.map((each) => [each.column.toLowerCase(), each]));
}

async function append(
  api: Api,
  own: DuckDBConnection,
  staging: string,
  batches: AsyncIterable<RecordBatch>,
  schema: Schema,
): Promise<number> {
  const appender = await own.createAppender(staging);
  const types = schema.fields.map((_, i) => appender.columnType(i));
  const chunk = api.DuckDBDataChunk.create(types, CHUNK_ROWS);
  const native = chunk.chunk as unknown as Native;
  let rows = 0;
  for await (const batch of batches) {
    const writers = cellWriters(batch);
    for (let from = 0; from < batch.numRows; from += CHUNK_ROWS) {
      const count = Math.min(CHUNK_ROWS, batch.numRows - from);
      bindings().data_chunk_reset(native);
      fillChunk(native, writers, from, count);
      appender.appendDataChunk(chunk);
    }
    rows += batch.numRows;
  }
  appender.closeSync();
  return rows;
}
