import { DataError, isArrowbookError } from "../../../errors/errors.js";
import {
  type AnyFile,
  anyAccess,
  type FileState,
  fileAccess,
  nameOfFile,
  type RandomAccess,
  type SendableFile,
} from "../../../format/random-access.js";
import { stat } from "../../../platform/node/files.js";
import type { RecordBatch, Schema, Table } from "../../arrow/arrow.js";
import { conform, tableOf } from "../../table/conform.js";
import { PageReader } from "./decode/pages.js";
import { parquetFiles } from "./files.js";
import { BeyondUnit, ParquetFault, UnsupportedParquet } from "./format/fault.js";
import { readFooter } from "./format/footer.js";
import { checkGrowth, type GrowthLimit, growthLimit, TooMuchGrowth } from "./format/growth.js";
import type { Footer, Leaf, SchemaNode } from "./format/types.js";
import { GroupBytes } from "./group-bytes.js";
import type { ParquetRead } from "./options.js";
import { fileColumns } from "./plan.js";
import { type DecodeElsewhere, ParquetRows } from "./rows.js";

/** A path of a file or of a folder of files, the paths of files, or another file. */
export type ParquetSource = AnyFile | readonly string[];

/** How the flat columns of a file in this state are decoded elsewhere. */
type DecodeFile = (file: SendableFile, state: FileState | undefined) => DecodeElsewhere;

/**
 * A Parquet file, or all files of a folder, as a table: decimals by their digits, dates as days, the service's types
 * where this package wrote the file. Only the chosen columns and the row groups that may meet the conditions are read.
 *
 * @throws {FileError} where it cannot be read
 * @throws {DataError} BadParquet, UnsupportedParquet, SchemaMismatch; and for values that do not fit their types
 */
export async function readParquet(
  source: ParquetSource,
  options: ParquetRead = {},
  decode?: DecodeFile,
): Promise<Table> {
  const tables: Table[] = [];
  const wholeTable = async function* (rows: ParquetRows, file: OpenFile): AsyncGenerator<RecordBatch> {
    const table = await rows.table(file.file === undefined ? undefined : decode?.(file.file, file.state));
    tables.push(table);
    yield* table.batches;
  };
  const batches: RecordBatch[] = [];
  for await (const batch of filesBatches(await filesOf(source), options, wholeTable)) batches.push(batch);
  return tables.length === 1 ? tables[0] : tableOf(batches);
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
  yield* filesBatches(await filesOf(source), options, (rows) => rows.batches());
}

/**
 * The number of rows of a file, and the names of its columns, from its footer.
 *
 * @throws {FileError}, {DataError} as {@link readParquet}
 */
export async function parquetShape(
  source: AnyFile,
): Promise<{ readonly rows: number; readonly names: readonly string[] }> {
  const file = await opened(source);
  try {
    const footer = await readFooter(file);
    return { rows: footer.rows, names: fileColumns(footer).map(({ name }) => name) };
  } catch (error) {
    throw readable(source, error);
  } finally {
    await file.close();
  }
}

async function filesOf(source: ParquetSource): Promise<readonly AnyFile[]> {
  if (typeof source === "string") return parquetFiles(source);
  return isPaths(source) ? source : [source];
}

const isPaths = (source: ParquetSource): source is readonly string[] => Array.isArray(source);

/** The batches of all files under the schema of the first. */
async function* filesBatches(
  files: readonly AnyFile[],
  options: ParquetRead,
  batchesOf: (rows: ParquetRows, file: OpenFile) => AsyncIterable<RecordBatch>,
): AsyncGenerator<RecordBatch> {
  let first: { readonly rows: ParquetRows; readonly schema: Schema } | undefined;
  let isEmpty = true;
  const onBytesOf = await bytesOfFiles(files, options);
  for (const [i, source] of files.entries()) {
    const file = await opened(source);
    try {
      const { columns: names } = options;
      const isRead = (name: string): boolean => names === undefined || names.includes(name);
      const footer = await withUnits96(file, await readFooter(file), isRead, growthLimit(file.size, options));
      if (first !== undefined) first.rows.demandSame(footer, nameOfFile(source, BYTES), nameOfFile(files[0], BYTES));
      const columns = options.columns ?? first?.rows.names;
      // Text is kept in the same way in all files.
      const rows = new ParquetRows(file, footer, {
        ...options,
        columns,
        onBytes: onBytesOf(i),
        schema: first?.schema ?? options.schema,
      });
      for await (const batch of batchesOf(rows, file)) {
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

/** What reports the bytes of one file after the other: of several, their share of the sizes of all. */
async function bytesOfFiles(
  files: readonly AnyFile[],
  { onBytes }: ParquetRead,
): Promise<(file: number) => ParquetRead["onBytes"]> {
  if (files.length === 1 || onBytes === undefined) return () => onBytes;
  const sizes = await Promise.all(files.map(sizeOfFile));
  const sum = (all: readonly number[]): number => all.reduce((total, size) => total + size, 0);
  return (file) => (bytes, total) =>
    onBytes(sum(sizes.slice(0, file)) + Math.round(sizes[file] * (bytes / total)), sum(sizes));
}

/** Bytes of a file; 0 where it is missing, which the read reports. */
const sizeOfFile = async (source: AnyFile): Promise<number> =>
  typeof source === "string"
    ? stat(source).then(
        ({ size }) => size,
        () => 0,
      )
    : (await anyAccess(source, "end")).size;

/** An open file, and what a thread can be sent of it. */
type OpenFile = RandomAccess & { readonly file?: SendableFile; readonly state?: FileState };

async function opened(source: AnyFile): Promise<OpenFile> {
  if (typeof source === "string") return { ...(await fileAccess(source)), file: source };
  if (source instanceof Uint8Array || source.blob === undefined) return anyAccess(source, "end");
  return { ...(await source.open("end")), file: source.blob };
}

/** The name of bytes in messages. */
const BYTES = "The bytes";

/** An error of a read as one of this package. What another library or the engine says is in its `cause` alone. */
function readable(source: AnyFile, error: unknown): unknown {
  if (isArrowbookError(error)) return error;
  const name = nameOfFile(source, BYTES);
  if (error instanceof UnsupportedParquet) {
    return new DataError(`${name}: ${error.message}.`, { code: "UnsupportedParquet", hint: error.hint });
  }
  if (error instanceof TooMuchGrowth) {
    return new DataError(`${name}: ${error.message}.`, { code: "ParquetBomb", hint: error.hint });
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

/**
 * The footer with the unit of timestamps of 96 bits: nanoseconds as they are stored, or microseconds where a column has
 * dates that nanoseconds in 64 bits do not hold, such as 9999-12-31.
 *
 * @param isRead whether a column is read, by its name
 */
async function withUnits96(
  file: RandomAccess,
  footer: Footer,
  isRead: (name: string) => boolean,
  limit: GrowthLimit,
): Promise<Footer> {
  const read = footer.leaves.filter(({ type, path }) => type === "INT96" && isRead(path[0]));
  checkGrowth(footer, read, [...footer.groups.keys()], limit);
  const wide = new Set<Leaf>();
  for (const leaf of read) if (!(await fitsNanos(file, footer, leaf))) wide.add(leaf);
  if (wide.size === 0) return footer;
  const leafOf = (leaf: Leaf): Leaf =>
    wide.has(leaf) ? { ...leaf, meaning: { kind: "timestamp", unit: "MICROS", utc: true } } : leaf;
  const nodeOf = (node: SchemaNode): SchemaNode => ({
    ...node,
    children: node.children.map(nodeOf),
    ...(node.leaf && { leaf: leafOf(node.leaf) }),
  });
  return { ...footer, columns: footer.columns.map(nodeOf), leaves: footer.leaves.map(leafOf) };
}

/** Whether all values of a column are within the range of nanoseconds. */
async function fitsNanos(file: RandomAccess, { groups }: Footer, leaf: Leaf): Promise<boolean> {
  try {
    for (const { chunks } of groups) {
      const chunk = chunks[leaf.index];
      if (chunk === undefined) continue;
      const bytes = new GroupBytes(file, [chunk]);
      const pages = new PageReader(bytes.reader(chunk), chunk, leaf, { stride: 2 });
      while (await pages.next(() => undefined));
      await bytes.release();
    }
  } catch (error) {
    // Other faults are met again when the column is read, which names it.
    return !(error instanceof BeyondUnit);
  }
  return true;
}
