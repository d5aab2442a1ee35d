import { type Stats, statSync } from "node:fs";
import { join } from "node:path";
import { Field, Int64, makeData, type RecordBatch, Schema, type Table } from "../../columns/arrow/arrow.js";
import { recordBatch } from "../../columns/arrow/record-batch.js";
import { schemaOf } from "../../columns/arrow/schema.js";
import { declaredBatches } from "../../columns/compute/cast.js";
import { csvBatches } from "../../columns/csv/reader.js";
import { fileBlocks } from "../../columns/io/file-blocks.js";
import { parquetFileBatches } from "../../columns/parquet/read/read.js";
import type { Engine } from "../../engine/contract/engine.js";
import { type ArrowbookError, FileError, hasCode, isArrowbookError, reworded } from "../../errors/errors.js";
import { fileError } from "../../errors/file-error.js";
import { type ColumnSpec, seriesColumns } from "../../spec/columns.js";
import type { Catalog, DatasetEntry, TableEntry } from "./catalog.js";
import { CATALOG_FILE, readCatalog } from "./catalog-file.js";
import { engineColumn } from "./filter-sql.js";

/** The source of the rows of one series or table. */
export interface RowSource {
  /** A string that changes when the rows change. */
  readonly version: string;
  /** ISO 8601 UTC. */
  readonly refreshedAt: string;
  /** Loads the rows as the engine's table `name` with the columns `c0`, `c1`, … */
  load(engine: Engine, name: string): Promise<void>;
}

/** A catalogue and the rows behind its entries. `code` is `DATABASE/DATASET` or `VENDOR/TABLE`. */
export interface Source {
  /** What there is to serve. */
  readonly catalog: Catalog;
  /** Whether rows of tables are loaded on first use instead of at the start; for rows that are known to be valid. */
  readonly tablesOnDemand?: boolean;
  /** The rows of a time series. */
  dataset(code: string, entry: DatasetEntry): RowSource;
  /** The rows of a table. */
  table(code: string, entry: TableEntry): RowSource;
}

/** The data of a folder with a `catalog.json`; `catalog` if it has already been read. */
export function folderSource(folder: string, catalog: Catalog = readCatalog(folder)): Source {
  return {
    catalog,
    dataset: (code, entry) =>
      fileRows(folder, code, entry.file as string, seriesColumns(entry.columns), entry.refreshed_at),
    table: (code, entry) => fileRows(folder, code, entry.file as string, entry.columns, entry.status.refreshed_at),
  };
}

function fileRows(
  folder: string,
  code: string,
  file: string,
  columns: readonly ColumnSpec[],
  refreshedAt: string | undefined,
): RowSource {
  const path = join(folder, file);
  let stats: Stats;
  try {
    stats = statSync(path);
  } catch (cause) {
    throw fileError(path, "read", cause, {
      what: `data of ${code}`,
      hint: `Correct the file's name in ${CATALOG_FILE}, or the file.`,
    });
  }
  return {
    version: `${file} ${stats.size} ${stats.mtimeMs} ${JSON.stringify(columns)}`,
    refreshedAt: refreshedAt ?? new Date(Math.floor(stats.mtimeMs / 1000) * 1000).toISOString(),
    async load(engine, name) {
      if (/\.parquet$/i.test(file)) return loadParquet(engine, name, path, columns);
      try {
        const batches = csvBatches(fileBlocks(path), { columns, text: "utf8" });
        await loadRows(engine, name, batches, schemaOf(columns, { text: "utf8" }));
      } catch (error) {
        if (!isArrowbookError(error) || error instanceof FileError) throw error;
        throw reworded(error, `${path}: ${error.message}`, { hint: repairHint(code, file, error), cause: error });
      }
    },
  };
}

/** What the owner of the data can do about an error: the options of the readers are not available here. */
function repairHint(code: string, file: string, error: ArrowbookError): string {
  if (error.row === undefined || error.column === undefined) {
    return `Correct ${file}, or the columns of ${code} in ${CATALOG_FILE}.`;
  }
  const column = `column ${JSON.stringify(error.column)} of ${code} in ${CATALOG_FILE}`;
  if (!hasCode(error, "PrecisionLoss")) return `Correct ${file}, or the type of ${column}.`;
  return `Declare more digits for ${column}, or round the numbers of ${file}.`;
}

/** Generated rows: always the same for one `version`. */
export function madeRows(version: string, refreshedAt: string, make: () => Table): RowSource {
  return {
    version,
    refreshedAt,
    async load(engine, name) {
      const table = make();
      await loadRows(engine, name, table.batches, table.schema);
    },
  };
}

/**
 * Loads rows as a table whose columns are numbered: engines may ignore case and have reserved names. The rows are
 * numbered too where the engine does not do that itself.
 */
async function loadRows(
  engine: Engine,
  name: string,
  batches: AsyncIterable<RecordBatch> | Iterable<RecordBatch>,
  columns: Schema,
): Promise<void> {
  const { rowNumber, sortedBy } = engine.dialect;
  const fields = columns.fields.map((field, i) => new Field(engineColumn(i), field.type, true, field.metadata));
  const numbers = rowNumber.isLoaded ? [new Field(rowNumber.column, new Int64(), false)] : [];
  const schema = new Schema([...fields, ...numbers]);
  const order = rowNumber.isLoaded ? sortedBy([rowNumber.column]) : {};
  await engine.load(name, withSchema(batches, schema, rowNumber.isLoaded), { schema, ...order });
}

async function* withSchema(
  batches: AsyncIterable<RecordBatch> | Iterable<RecordBatch>,
  schema: Schema,
  isNumbered: boolean,
): AsyncGenerator<RecordBatch> {
  let before = 0;
  for await (const { data, numRows } of batches) {
    const children = [...data.children];
    if (isNumbered) {
      const numbers = new BigInt64Array(numRows);
      for (let i = 0; i < numRows; i++) numbers[i] = BigInt(before + i);
      children.push(makeData({ type: new Int64(), length: numRows, nullCount: 0, data: numbers }));
    }
    before += numRows;
    yield recordBatch(schema, children, numRows);
  }
}

/**
 * Loads a Parquet file as the engine's table `name`: by the engine itself if it can, otherwise through this process.
 *
 * @throws {DataError} if the file lacks a column, or has values that the declared type cannot represent exactly
 */
async function loadParquet(engine: Engine, name: string, path: string, columns: readonly ColumnSpec[]): Promise<void> {
  const { loadParquet: ownLoad } = engine.dialect;
  if (ownLoad !== undefined) return ownLoad(engine, name, path, columns);
  const schema = schemaOf(columns, { text: "utf8" });
  const names = columns.map((column) => column.name);
  const batches = parquetFileBatches(path, { columns: names, text: "utf8" });
  return loadRows(engine, name, declaredBatches(batches, schema, path), schema);
}
