import type { RecordBatch, Table } from "../../columns/arrow/arrow.js";
import { checkDeclaredTypes } from "../../columns/arrow/declared-types.js";
import { CSV_OPTIONS, type CsvOptions, checkCsvOptions, checkKey } from "../../columns/arrow/read-options.js";
import { columnsOf } from "../../columns/arrow/schema.js";
import type { UndeclaredOptions } from "../../columns/csv/infer.js";
import type { TextOptions } from "../../columns/files/text-file.js";
import { TEXT_ENCODINGS } from "../../columns/io/text-encoding.js";
import { InputError } from "../../errors/errors.js";
import { checkWords, refuseUnknown } from "../../errors/options.js";
import { shown } from "../../errors/shown.js";
import type { ColumnSpec } from "../../spec/columns.js";
import type { FrameSource } from "../../spec/frame-source.js";
import { localFile } from "./local-source.js";
import { sourceOfPath } from "./source-of.js";
import { type Watched, watched, watchedBatches } from "./watched.js";

/** How a CSV file is read: its columns declared, or taken from the file (`infer`, `header`). */
export type CsvFileOptions = (CsvOptions | UndeclaredOptions) & TextOptions & Watched;

/** Reads a CSV file for `Frame.fromCSV`. */
export async function readCsv(
  source: string | URL | Uint8Array,
  options: CsvFileOptions,
): Promise<{ readonly table: Table; readonly source: FrameSource | undefined }> {
  checkOptions(options, "fromCSV()");
  const local = localFile(source, "fromCSV()", "a CSV file");
  const { csvFileTable } = await import("../../columns/files/text-file.js");
  const table = await watched(local, options, (onBytes) => csvFileTable(local, { ...options, onBytes }));
  const known = sourceOfPath(local);
  if ((options.columns ?? "infer") !== "infer") return { table, source: known };
  return { table, source: { code: "CSV", ...known, inferred: typesText(columnsOf(table.schema)) } };
}

/**
 * Reads a CSV file, or its bytes, as record batches, one at a time: of a long file, one batch is in memory. With
 * `columns: "infer"` the file is read twice, first for its types. Yields at least one batch, which may be empty.
 *
 * @param options as for `Frame.fromCSV`; a batch has at most 65,536 rows
 * @throws {InputError} for wrong options
 * @throws {FileError} in the iteration
 * @throws {DataError} in the iteration, with row, line, column, value and byte offset
 * @example
 * ```ts no-run
 * import { csvBatches } from "arrowbook";
 * let rows = 0;
 * for await (const batch of csvBatches("prices.csv", { columns: "infer", delimiter: ";" })) rows += batch.numRows;
 * ```
 */
export function csvBatches(
  source: string | URL | Uint8Array,
  options: CsvFileOptions = {},
): AsyncGenerator<RecordBatch> {
  checkOptions(options, "csvBatches()");
  const local = localFile(source, "csvBatches()", "a CSV file");
  return watchedBatches(local, options, async function* (onBytes) {
    const { csvFileBatches } = await import("../../columns/files/text-file.js");
    yield* csvFileBatches(local, { ...options, onBytes });
  });
}

const FILE_OPTIONS = ["maxRatio", "maxSize", "onProgress", "encoding"] as const;

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
