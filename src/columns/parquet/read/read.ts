import { DataError, isArrowbookError } from "../../../errors/errors.js";
import { bytesAccess, fileAccess, type RandomAccess } from "../../../format/random-access.js";
import type { RecordBatch, Schema, Table } from "../../arrow/arrow.js";
import { conform, tableOf } from "../../table/conform.js";
import { parquetFiles } from "./files.js";
import { ParquetFault, UnsupportedParquet } from "./format/fault.js";
import { readFooter } from "./format/footer.js";
import type { ParquetRead } from "./options.js";
import { ParquetRows } from "./rows.js";

/** A path of a file or of a folder of files, or the bytes of a file. */
export type ParquetSource = string | Uint8Array;

/**
 * A Parquet file, or all files of a folder, as a table: decimals by their digits, dates as days, the service's types
 * where this package wrote the file. Only the chosen columns and the row groups that may meet the conditions are read.
 *
 * @throws {FileError} where it cannot be read
 * @throws {DataError} BadParquet, UnsupportedParquet, SchemaMismatch; and for values that do not fit their types
 */
export async function readParquet(source: ParquetSource, options: ParquetRead = {}): Promise<Table> {
  const files = await filesOf(source);
  if (files.length === 1) return withFile(files[0], async (file) => (await rowsOf(file, options)).table());
  const batches: RecordBatch[] = [];
  for await (const batch of filesBatches(files, options)) batches.push(batch);
  return tableOf(batches);
}

/**
 * The rows of a Parquet file, or of all files of a folder, as record batches, one at a time: of a long file only some
 * pages of each column are in memory. There is at least one batch, without rows where there are none.
 *
 * @throws {FileError}, {DataError} as {@link readParquet}
 */
export async function* parquetFileBatches(
  source: ParquetSource,
  options: ParquetRead = {},
): AsyncGenerator<RecordBatch> {
  yield* filesBatches(await filesOf(source), options);
}

const filesOf = async (source: ParquetSource): Promise<readonly ParquetSource[]> =>
  typeof source === "string" ? parquetFiles(source) : [source];

const rowsOf = async (file: RandomAccess, options: ParquetRead): Promise<ParquetRows> =>
  new ParquetRows(file, await readFooter(file), options);

/** The batches of all files under the schema of the first. */
async function* filesBatches(files: readonly ParquetSource[], options: ParquetRead): AsyncGenerator<RecordBatch> {
  let first: { readonly rows: ParquetRows; readonly schema: Schema } | undefined;
  let isEmpty = true;
  for (const [i, source] of files.entries()) {
    const file = await opened(source);
    try {
      const footer = await readFooter(file);
      if (first !== undefined) first.rows.demandSame(footer, String(source), String(files[0]));
      const columns = options.columns ?? first?.rows.names;
      const onBytes: ParquetRead["onBytes"] =
        files.length === 1
          ? options.onBytes
          : (bytes, total) => options.onBytes?.(i * total + bytes, files.length * total);
      // Text is kept in the same way in all files.
      const rows = new ParquetRows(file, footer, {
        ...options,
        columns,
        onBytes,
        schema: first?.schema ?? options.schema,
      });
      for await (const batch of rows.batches()) {
        first ??= { rows, schema: batch.schema };
        const isLast = i === files.length - 1;
        if (batch.numRows === 0 && !(isLast && isEmpty)) continue;
        isEmpty = false;
        yield conform(batch, first.schema);
      }
    } catch (error) {
      throw readable(source, error);
    } finally {
      await file.close();
    }
  }
}

async function withFile<T>(source: ParquetSource, use: (file: RandomAccess) => Promise<T>): Promise<T> {
  const file = await opened(source);
  try {
    return await use(file);
  } catch (error) {
    throw readable(source, error);
  } finally {
    await file.close();
  }
}

const opened = async (source: ParquetSource): Promise<RandomAccess> =>
  typeof source === "string" ? fileAccess(source) : bytesAccess(source);

/** An error of a read as one of this package. What another library or the engine says is in its `cause` alone. */
function readable(source: ParquetSource, error: unknown): unknown {
  if (isArrowbookError(error)) return error;
  const name = typeof source === "string" ? source : "The bytes";
  if (error instanceof UnsupportedParquet) {
    return new DataError(`${name}: ${error.message}.`, { code: "UnsupportedParquet", hint: error.hint });
  }
  if (!(error instanceof Error)) return error;
  // An abort of the caller's signal is passed on.
  if (!(error instanceof ParquetFault) && !isEngineError(error)) return error;
  const what = error instanceof ParquetFault ? error.message : "its structure is damaged";
  return new DataError(`${name}: not a readable Parquet file: ${what}.`, {
    code: "BadParquet",
    hint: "Write or download the file again.",
    cause: error,
  });
}

/** Errors of the JavaScript engine and of WebAssembly. */
const isEngineError = (error: Error): boolean => ["TypeError", "RangeError", "RuntimeError"].includes(error.name);
