import { readFile } from "node:fs/promises";
import type { SchemaElement } from "hyparquet";
import { DataError, isArrowbookError } from "../../../errors/errors.js";
import { fileError } from "../../../errors/file-error.js";
import type { ColumnSpec } from "../../../spec/columns.js";
import type { Table } from "../../arrow/arrow.js";
import { distinctNames } from "../../arrow/column-names.js";
import { KEY, parsedKey } from "../../arrow/key.js";
import type { ReadOptions } from "../../arrow/read-options.js";
import { CellPolicy } from "../../build/bad-cells.js";
import { BatchMaker, textModes, warnUnknownTypes } from "../../build/batch-maker.js";
import { buildersFor, type ColumnBuilder, type RawBatch } from "../../build/builder.js";
import { COLUMNS_KEY } from "../columns-key.js";
import { kindOfLeaf, parquetType } from "../types.js";
import type { DecodedPage } from "./decode.js";
import { type LeafStore, leafStore } from "./leaves.js";
import { openParquet } from "./source.js";

/**
 * A Parquet file as a table: decimals by their digits, dates as days, the service's types where this package wrote the
 * file.
 *
 * @throws {FileError} when it cannot be read
 * @throws {DataError} for a file that is not Parquet, has nested columns, or is compressed in an unknown way
 */
export async function readParquet(path: string, options: ReadOptions = {}): Promise<Table> {
  const bytes = await readFile(path).catch((error: unknown) => Promise.reject(fileError(path, "read", error)));
  const { buffer, byteOffset, length } = bytes;
  const whole = length === buffer.byteLength ? buffer : buffer.slice(byteOffset, byteOffset + length);
  try {
    return await parquetTable(whole as ArrayBuffer, options);
  } catch (error) {
    if (isArrowbookError(error)) throw error;
    const what = error instanceof Error ? error.message : String(error);
    throw new DataError(`${path}: not a readable Parquet file: ${what}.`, { code: "BadParquet", cause: error });
  }
}

async function parquetTable(bytes: ArrayBuffer, options: ReadOptions): Promise<Table> {
  const { leaves, groups, metadata, pages } = await openParquet(bytes);
  const noted = (name: string): string | undefined =>
    metadata.key_value_metadata?.find(({ key }) => key === name)?.value;
  const columns = declaredColumns(noted(COLUMNS_KEY), leaves);
  warnUnknownTypes(columns, options);
  const builders = buildersFor(columns, options, textModes(options.schema), groups[0] ?? 0);
  const policy = new CellPolicy(options);
  const stores = leaves.map((leaf, i) => leafStore(leaf, builders[i], policy));
  const raws: RawBatch[] = [];
  for (const [g, rows] of groups.entries()) {
    if (rows === 0) continue;
    for (const [i, builder] of builders.entries()) {
      options.signal?.throwIfAborted();
      builder.reserve(rows);
      const place = `column ${JSON.stringify(leaves[i].name)} of row group ${g}`;
      const decoded = await pages(g, i).catch((error: unknown) => Promise.reject(placed(error, place)));
      const stored = storePages(decoded, builder, stores[i]);
      if (stored !== rows) throw new Error(`${place} has ${stored} of ${rows} rows`);
    }
    raws.push({ rows, columns: builders.map((builder) => builder.take(rows, g === groups.length - 1)) });
    policy.rowsBefore += rows;
  }
  policy.report();
  const key = options.key ?? parsedKey(noted(KEY) ?? "[]");
  return new BatchMaker(columns, { ...options, key }).table(raws);
}

function placed(error: unknown, place: string): unknown {
  if (isArrowbookError(error) || !(error instanceof Error)) return error;
  return new Error(`${place}: ${error.message}`, { cause: error });
}

/** Puts the values of a column of a row group into its builder; gives how many rows there were. */
function storePages(pages: readonly DecodedPage[], builder: ColumnBuilder, store: LeafStore): number {
  let row = 0;
  for (const { rows, present, values } of pages) {
    for (let i = 0, k = 0; i < rows; i++, row++) {
      const value = present === undefined || present[i] === 1 ? values[k++] : null;
      if (value === null || value === undefined) builder.setNull(row);
      else store(row, value);
    }
  }
  return row;
}

/** The service's columns as this package noted them, or the nearest type of each leaf. */
function declaredColumns(noted: string | undefined, leaves: readonly SchemaElement[]): ColumnSpec[] {
  const parsed: unknown = noted === undefined ? undefined : JSON.parse(noted);
  const names = Array.isArray(parsed) ? distinctNames(parsed.map((column) => String(column?.name))) : [];
  const fits = names.length === leaves.length && names.every((name, i) => name === leaves[i].name);
  return fits
    ? (parsed as ColumnSpec[])
    : leaves.map((leaf) => ({ name: leaf.name, type: parquetType(kindOfLeaf(leaf)).serviceType(leaf) }));
}
