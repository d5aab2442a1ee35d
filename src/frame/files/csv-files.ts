import type { RecordBatch } from "../../columns/arrow/arrow.js";
import { checkDeclaredTypes } from "../../columns/arrow/declared-types.js";
import {
  CSV_OPTIONS,
  type CsvOptions,
  checkCsvOptions,
  checkKey,
  type OnBytes,
} from "../../columns/arrow/read-options.js";
import { columnsOf, schemaOf } from "../../columns/arrow/schema.js";
import type { InferredColumn, UndeclaredOptions } from "../../columns/csv/infer.js";
import type { TextOptions } from "../../columns/files/text-file.js";
import { TEXT_ENCODINGS } from "../../columns/io/text-encoding.js";
import { InputError } from "../../errors/errors.js";
import { checkWords, refuseUnknown } from "../../errors/options.js";
import { shown } from "../../errors/shown.js";
import type { AnyFile } from "../../format/random-access.js";
import type { ColumnSpec } from "../../spec/columns.js";
import type { FileKind, FileSource, FileSources, FoundFile } from "./find-files.js";
import { localFile } from "./local-source.js";
import { type FilesRead, filesToUnite, readFiles, UNION_OPTIONS, unionBatches } from "./many-files.js";
import type { UnionOptions } from "./union.js";
import { type Watched, watched, watchedBatches } from "./watched.js";

/** How a CSV file is read: its columns declared, or taken from the file (`infer`, `header`); and how several are. */
export type CsvFileOptions = (CsvOptions | UndeclaredOptions) & TextOptions & UnionOptions & Watched;

const kind = (where: string): FileKind => ({
  where,
  what: "a CSV file",
  names: /\.(?:csv|tsv|txt)(?:\.gz|\.zst)?$/i,
});

/** What to do about columns of several files without a common type. */
export const REMEDY = 'Declare its type: types: { COLUMN: "String" }.';

/** Reads CSV files for `Frame.fromCSV`. */
export async function readCsv(sources: FileSources, options: CsvFileOptions): Promise<FilesRead> {
  checkOptions(options, "fromCSV()");
  const { csvFileTable } = await import("../../columns/files/csv-file.js");
  const read = await readFiles(sources, kind("fromCSV()"), unionOf(options), REMEDY, (local, isPart) =>
    watched(local, options, (onBytes) => csvFileTable(local, { ...options, isPart, onBytes })),
  );
  if ((options.columns ?? "infer") !== "infer") return read;
  const { table, source } = read;
  return { table, source: { code: "CSV", ...source, inferred: typesText(columnsOf(table.schema)) } };
}

const unionOf = ({ source, missingColumns, ...rest }: CsvFileOptions) => ({
  source,
  missingColumns,
  types: (rest as UndeclaredOptions).types,
});

/**
 * Reads CSV files, or the bytes of one, as record batches, one at a time: of a long file, one batch is in memory. Files
 * whose types are inferred are read twice, first for their types. Yields at least one batch, which may be empty.
 *
 * @param options as for `Frame.fromCSV`; a batch has at most 65,536 rows
 * @throws {InputError} for wrong options
 * @throws {FileError} in the iteration
 * @throws {DataError} in the iteration, with row, line, column, value and byte offset
 * @example
 * ```ts no-run
 * import { csvBatches } from "arrowbook";
 * let rows = 0;
 * for await (const batch of csvBatches("prices.csv", { delimiter: ";" })) rows += batch.numRows;
 * ```
 */
export function csvBatches(sources: FileSources, options: CsvFileOptions = {}): AsyncGenerator<RecordBatch> {
  checkOptions(options, "csvBatches()");
  const local = Array.isArray(sources) ? undefined : localFile(sources as FileSource, "csvBatches()", "a CSV file");
  return watchedBatches(local, options, async function* (onBytes) {
    const { csvFileBatches } = await import("../../columns/files/csv-file.js");
    const files = await filesToUnite(sources, kind("csvBatches()"), options);
    if (files === undefined) yield* csvFileBatches(local as AnyFile, { ...options, onBytes });
    else yield* manyBatches(files, options, onBytes);
  });
}

async function* manyBatches(
  files: readonly FoundFile[],
  options: CsvFileOptions,
  onBytes: OnBytes["onBytes"],
): AsyncGenerator<RecordBatch> {
  const { csvFileBatches, csvFileColumns } = await import("../../columns/files/csv-file.js");
  // The layout of text is the same in all files.
  const text = options.text === "dictionary" ? "dictionary" : "utf8";
  const found: (readonly InferredColumn[])[] = [];
  const declared = typeof options.columns === "object";
  const partOf = async ({ source }: FoundFile) => {
    const columns = declared
      ? (options as CsvOptions).columns
      : await csvFileColumns(source, { ...(options as UndeclaredOptions), isPart: true });
    found.push(columns);
    return { schema: schemaOf(columns, { ...options, text }), isEmpty: isEmptyOf(columns) };
  };
  yield* unionBatches(files, unionOf(options), REMEDY, partOf, ({ source }, i) =>
    csvFileBatches(source, {
      ...options,
      onBytes,
      text,
      ...(!declared && { columns: found[i], byPosition: true }),
    } as CsvOptions & OnBytes),
  );
}

const isEmptyOf =
  (columns: readonly InferredColumn[]) =>
  (column: number): boolean =>
    columns[column].isEmpty === true;

const FILE_OPTIONS = ["maxRatio", "maxSize", "onProgress", "encoding", ...UNION_OPTIONS] as const;

function checkOptions(options: CsvFileOptions, where: string): void {
  refuseUnknown(options, [...CSV_OPTIONS, "types", ...FILE_OPTIONS], where);
  checkWords(options, { encoding: TEXT_ENCODINGS });
  const { columns = "infer" } = options;
  if (typeof columns !== "string") {
    checkCsvOptions(options as CsvOptions, where, FILE_OPTIONS);
    return;
  }
  checkWords({ columns }, { columns: ["infer", "header"] });
  const { key, types, ...rest } = options as UndeclaredOptions;
  checkTypes(types, where);
  checkCsvOptions({ ...rest, columns: [] }, where, FILE_OPTIONS);
  if (options.header === "detect") {
    throw new InputError(`The header of ${where} cannot be detected where columns is ${JSON.stringify(columns)}.`, {
      code: "BadArgument",
      hint: "Pass header: true if the first line holds the names, header: false if it does not.",
    });
  }
  checkKey(key, undefined, where);
}

/** @throws {InputError} BadArgument for anything but types by name, UnknownType */
export function checkTypes(types: unknown, where: string): void {
  if (types === undefined) return;
  const isTypes = typeof types === "object" && types !== null && !Array.isArray(types);
  if (!isTypes || !Object.values(types).every((type) => typeof type === "string")) {
    throw new InputError(`The types of ${where} must be service types by column name; got ${shown(types)}.`, {
      code: "BadArgument",
      hint: 'Pass an object such as { id: "String", close: "BigDecimal(9,2)" }.',
    });
  }
  checkDeclaredTypes(
    Object.entries(types as Readonly<Record<string, string>>).map(([name, type]) => ({ name, type })),
    where,
  );
}

/** Columns in the note on inferred types. */
const NOTED = 12;

export const typesText = (columns: readonly ColumnSpec[]): string => {
  const shownTypes = columns.slice(0, NOTED).map(({ name, type }) => `${name} ${type}`);
  return `${shownTypes.join(", ")}${columns.length > NOTED ? ", …" : ""}`;
};
