import { checkCsvDialect } from "../../columns/arrow/csv-dialect.js";
import { type CsvOptions, checkColumns, checkKey } from "../../columns/arrow/read-options.js";
import { InputError } from "../../errors/errors.js";
import { refuseUnknown } from "../../errors/options.js";
import { shown } from "../../errors/shown.js";
import type { Cell } from "../../frame/cells/rows.js";
import type { ColumnSpec } from "../../spec/columns.js";
import type { BulkStatus } from "./archive.js";
import { undeclaredColumns } from "./bulk-columns.js";
import { BulkFile } from "./bulk-file.js";

/** Options for reading a local archive. */
export interface LocalBulkOptions extends Pick<CsvOptions, "header" | "emptyText" | "lenient"> {
  /**
   * Name and service type of each column; may be omitted for a database bulk file, which starts with `Code` (spec 2.5).
   */
  readonly columns?: readonly ColumnSpec[];
  /** Names of the columns that identify a row: the `key` of its frames and files. */
  readonly key?: readonly string[];
}

/**
 * A zipped CSV file on disk as a {@link BulkFile}. Its methods throw FileError if it cannot be read, DataError if it is
 * corrupt or a cell does not fit its type.
 *
 * @example
 * ```ts no-run
 * import { bulkFile } from "arrowbook";
 * const local = bulkFile("SEP.zip", { columns: [{ name: "ticker", type: "String" }, { name: "date", type: "Date" }] });
 * await local.toParquet("SEP.parquet");
 * ```
 */
export function bulkFile<Row extends object = Record<string, Cell>>(
  path: string,
  options: LocalBulkOptions = {},
): BulkFile<Row> {
  if (typeof path !== "string" || path === "") {
    throw new InputError(`bulkFile() expects the path of a zip file; got ${shown(path)}.`, {
      code: "BadArgument",
      hint: "Pass the path of a zip archive; for bytes in memory use Frame.fromZip(bytes, { columns }).",
    });
  }
  refuseUnknown(options, ["columns", "key", "header", "emptyText", "lenient"], "bulkFile()");
  const { columns, key, header, emptyText = "quoted", lenient } = options;
  checkCsvDialect(options, "bulkFile()");
  if (columns !== undefined) checkColumns(columns, "bulkFile()");
  checkKey(key, columns, "bulkFile()");
  if (columns === undefined && header !== undefined) {
    throw new InputError("bulkFile() expects columns together with header; got header alone.", {
      code: "BadArgument",
      hint: 'Declare the columns: bulkFile(path, { header: false, columns: [{ name: "ticker", type: "String" }, …] }).',
    });
  }
  return new BulkFile<Row>(path, async () => {
    const { zipEntry } = await import("../../format/zip.js");
    const status = async (): Promise<BulkStatus> => {
      await zipEntry(path);
      return { status: "fresh", ready: true, data_snapshot_time: null, last_refreshed_time: null };
    };
    return {
      choose: columns
        ? () => ({ columns, key, header: header ?? true, lenient })
        : undeclaredColumns(path, { lenient, key }),
      emptyText,
      status,
      ready: status,
      from: { path },
    };
  });
}
