import type { DuckDBConnection } from "@duckdb/node-api";
import type { RecordBatch, Schema } from "../columns/arrow/arrow.js";
import { TYPE_KEY } from "../columns/arrow/schema.js";
import { adopt } from "../columns/table/foreign-table.js";
import { DataError, InputError } from "../errors/errors.js";
import { suggestion } from "../errors/nearest.js";
import { cellWriters, ENGINE_PRECISION, sqlType } from "./duckdb-types.js";
import { fillChunk } from "./duckdb-write.js";
import type { LoadOptions, Rows } from "./engine.js";
import { quoteName } from "./quote.js";

/** Rows of one chunk of the engine. */
export const CHUNK_ROWS = 2048;

type Api = typeof import("@duckdb/node-api");

/** One load: the rows go into `staging`, which takes the place of `name` (or is added to it) once all are in. */
export interface Load {
  readonly name: string;
  readonly staging: string;
  readonly data: Rows;
  readonly options: LoadOptions;
}

/** What came in: the number of rows, and the service types of columns that the engine holds as text. */
export interface Loaded {
  readonly rows: number;
  readonly wide: ReadonlyMap<string, string>;
}

/** Runs one load on its own connection. A failed one leaves only the staging table, for the caller to drop. */
export async function loadRows(api: Api, own: DuckDBConnection, load: Load): Promise<Loaded> {
  const { batches, schema } = await begin(load);
  const key = [load.options.key ?? []].flat();
  const columns = columnList(schema, key);
  const exists = await tableExists(own, load.name);
  const adds = load.options.mode === "append" && exists;
  if (adds && key.length > 0) await checkKey(own, load.name, key);
  const primaryKey = key.length > 0 ? `, PRIMARY KEY (${key.map(quoteName).join(", ")})` : "";
  await own.run(`CREATE TABLE ${quoteName(load.staging)} (${columns.join(", ")}${primaryKey})`);
  const rows = await append(api, own, load.staging, batches, schema);
  const [table, staging] = [quoteName(load.name), quoteName(load.staging)];
  if (adds) {
    const verb = key.length > 0 ? "INSERT OR REPLACE" : "INSERT";
    await own.run(`${verb} INTO ${table} BY NAME SELECT * FROM ${staging}`);
    await own.run(`DROP TABLE ${staging}`);
  } else {
    await own.run("BEGIN");
    await own.run(`DROP TABLE IF EXISTS ${table}`);
    await own.run(`ALTER TABLE ${staging} RENAME TO ${table}`);
    await own.run("COMMIT");
  }
  const wide = wideColumns(schema);
  for (const [column, type] of wide) {
    await own.run(`COMMENT ON COLUMN ${table}.${quoteName(column)} IS '${type.replaceAll("'", "''")}'`);
  }
  return { rows, wide };
}

/** The batches, and their schema: given, the table's own, or the first batch's. */
async function begin({ name, data, options }: Load): Promise<{ batches: AsyncIterable<RecordBatch>; schema: Schema }> {
  if ("batches" in data) {
    const table = adopt(data);
    return { batches: each(table.batches), schema: options.schema ?? table.schema };
  }
  const source = each(data)[Symbol.asyncIterator]();
  const first = await source.next();
  const schema = options.schema ?? (first.done ? undefined : first.value.schema);
  if (schema === undefined) {
    throw new InputError(`No batch came for ${JSON.stringify(name)}, so that its columns are not known.`, {
      code: "NoSchema",
      hint: "Give the schema in the options of load().",
    });
  }
  async function* all(): AsyncGenerator<RecordBatch> {
    if (first.done) return;
    yield first.value;
    for (let next = await source.next(); !next.done; next = await source.next()) yield next.value;
  }
  return { batches: all(), schema };
}

async function* each(data: AsyncIterable<RecordBatch> | Iterable<RecordBatch>): AsyncGenerator<RecordBatch> {
  for await (const batch of data) yield batch;
}

function columnList(schema: Schema, key: readonly string[]): string[] {
  const names = schema.fields.map((field) => field.name);
  for (const name of key) {
    if (!names.includes(name)) {
      throw new InputError(`The key has no column ${JSON.stringify(name)}. ${suggestion(name, names, "columns")}`, {
        code: "UnknownColumn",
        column: name,
      });
    }
  }
  const seen = new Map<string, string>();
  for (const name of names) {
    const other = seen.get(name.toLowerCase());
    if (other !== undefined) {
      throw new InputError(`Columns ${JSON.stringify(other)} and ${JSON.stringify(name)} are one name to the engine.`, {
        code: "DuplicateColumn",
        column: name,
        hint: "Rename one of them with rename(); the engine ignores case.",
      });
    }
    seen.set(name.toLowerCase(), name);
  }
  if (names.length === 0) {
    throw new InputError("A table without columns cannot be loaded.", { code: "NoColumns" });
  }
  return schema.fields.map((field) => `${quoteName(field.name)} ${sqlType(field)}`);
}

async function tableExists(own: DuckDBConnection, name: string): Promise<boolean> {
  const found = await own.runAndReadAll(
    "SELECT 1 FROM duckdb_tables() WHERE table_name = $1 AND schema_name = current_schema()",
    [name],
  );
  return found.currentRowCount > 0;
}

/** Rows take the place of those with their key only where the table was loaded with that key. */
async function checkKey(own: DuckDBConnection, name: string, key: readonly string[]): Promise<void> {
  const found = await own.runAndReadAll(
    `SELECT unnest(constraint_column_names) FROM duckdb_constraints()
      WHERE table_name = $1 AND schema_name = current_schema() AND constraint_type = 'PRIMARY KEY'`,
    [name],
  );
  const has = found.getRows().map(([column]) => String(column));
  if (has.length === key.length && has.every((column) => key.includes(column))) return;
  const was = has.length === 0 ? "without a key" : `with the key ${has.join(", ")}`;
  throw new InputError(`The table ${JSON.stringify(name)} was loaded ${was}, not ${key.join(", ")}.`, {
    code: "WrongKey",
    hint: 'Load it once with that key and mode: "replace".',
  });
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
  let rows = 0;
  for await (const batch of batches) {
    checkSchema(batch.schema, schema);
    const writers = cellWriters(batch);
    for (let from = 0; from < batch.numRows; from += CHUNK_ROWS) {
      const count = Math.min(CHUNK_ROWS, batch.numRows - from);
      const chunk = api.DuckDBDataChunk.create(types, count);
      fillChunk(chunk, writers, from, count);
      appender.appendDataChunk(chunk);
    }
    rows += batch.numRows;
  }
  appender.closeSync();
  return rows;
}

function checkSchema(found: Schema, expected: Schema): void {
  if (found === expected) return;
  const text = (schema: Schema) => schema.fields.map((field) => `${field.name}: ${field.type}`).join(", ");
  if (text(found) !== text(expected)) {
    throw new DataError(`A batch has the columns ${text(found)} where ${text(expected)} were expected.`, {
      code: "SchemaMismatch",
    });
  }
}

function wideColumns(schema: Schema): Map<string, string> {
  const wide = new Map<string, string>();
  for (const field of schema.fields) {
    const { precision, scale } = field.type as { precision?: unknown; scale?: number };
    if (typeof precision === "number" && scale !== undefined && precision > ENGINE_PRECISION) {
      wide.set(field.name, field.metadata.get(TYPE_KEY) ?? `BigDecimal(${precision},${scale})`);
    }
  }
  return wide;
}
