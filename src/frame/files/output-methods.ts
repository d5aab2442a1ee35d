import {
  CSV_TEXT_OPTIONS,
  type CsvTextOptions,
  checkCsvText,
  csvHead,
  csvLineBlocks,
} from "../../columns/csv/write.js";
import { type IPCOptions, tableToIPCBytes, writeArrowStream } from "../../columns/ipc/stream.js";
import { jsonLines } from "../../columns/json/write.js";
import type { ParquetOptions } from "../../columns/parquet/write/write.js";
import { type Chart, plotTable } from "../../display/chart/chart.js";
import type { PlotOptions } from "../../display/chart/options.js";
import { type TearSheet, type TearSheetOptions, tearSheet } from "../../display/chart/tear-sheet.js";
import { Exploration, type ExploreOptions } from "../../display/table/explore.js";
import { htmlTable } from "../../display/table/html.js";
import { textTable } from "../../display/table/text.js";
import type { TableOptions } from "../../display/table/view.js";
import { refuseUnknown } from "../../errors/options.js";
import { utf8Text } from "../../platform/node/bytes.js";
import type { Columns } from "../../spec/columns.js";
import type { FrameSource } from "../../spec/frame-source.js";
import { needPath } from "../cells/given.js";
import type { RowsOptions } from "../cells/rows.js";
import { type DanfoOptions, toDanfo } from "../danfo/danfo.js";
import type { DanfoDataFrame } from "../danfo/danfo-class.js";
import { exploredRows } from "../verbs/explored.js";
import { SeriesMethods } from "../verbs/series-methods.js";
import type { ExcelWriteOptions } from "./excel.js";

/** The methods of a `Frame` that output its rows: files and bytes, Danfo, charts, HTML and text. */
export abstract class OutputMethods<Row extends object> extends SeriesMethods<Row> {
  abstract readonly source: FrameSource | undefined;

  abstract rows(options?: RowsOptions): Iterable<Row>;

  /** The table as Arrow IPC stream bytes; service types are stored in the field metadata, the source is not. */
  toIPC(options?: IPCOptions): Uint8Array {
    return tableToIPCBytes(this.table, options);
  }

  /**
   * Writes an Arrow IPC stream file.
   *
   * @throws {FileError}
   */
  async toArrow(path: string): Promise<void> {
    needPath(path, "toArrow()");
    await writeArrowStream(this.table.batches, path, { schema: this.table.schema });
  }

  /**
   * The table as CSV text, or written to a path block by block, compressed if it ends in `.gz`. Nulls are empty cells,
   * empty text is `""`. Excel in much of Europe opens `{ bom: true, delimiter: ";", decimal: "," }`.
   *
   * @throws {InputError} BadArgument
   * @throws {FileError}
   */
  toCSV(options?: CsvTextOptions): string;
  toCSV(path: string, options?: CsvTextOptions): Promise<void>;
  toCSV(path?: string | CsvTextOptions, options?: CsvTextOptions): string | Promise<void> {
    const given = typeof path === "string" ? options : path;
    refuseUnknown(given, CSV_TEXT_OPTIONS, "toCSV()");
    checkCsvText(given, "toCSV()");
    if (typeof path !== "string") return textOf(this.#csvBlocks(path));
    return this.#write(path, this.#csvBlocks(options));
  }

  /**
   * The table as JSON lines (NDJSON), or written to a path block by block, compressed if it ends in `.gz`: an object on
   * each line with all columns, integers and decimals as numbers of all their digits, dates and timestamps as ISO
   * strings, null, NaN and infinities as null.
   *
   * @throws {FileError}
   */
  toJSONLines(): string;
  toJSONLines(path: string): Promise<void>;
  toJSONLines(path?: string): string | Promise<void> {
    if (path === undefined) return textOf(jsonLines(this.table.schema, this.table.batches));
    needPath(path, "toJSONLines()");
    return this.#write(path, jsonLines(this.table.schema, this.table.batches));
  }

  *#csvBlocks(options: CsvTextOptions | undefined): Generator<Uint8Array> {
    yield csvHead(this.table.schema, options);
    for (const batch of this.table.batches) yield* csvLineBlocks(batch, options);
  }

  async #write(path: string, blocks: Iterable<Uint8Array>): Promise<void> {
    const { writeBlocks } = await import("../../columns/io/write-blocks.js");
    await writeBlocks(path, blocks);
  }

  /**
   * Writes a Parquet file: exact decimals of up to 38 digits, wider ones as text with a warning, the service's types in
   * the metadata.
   *
   * @throws {FileError}
   */
  async toParquet(path: string, options: Omit<ParquetOptions, "schema"> = {}): Promise<void> {
    needPath(path, "toParquet()");
    refuseUnknown(options, ["warn", "compression"], "toParquet()");
    const { writeParquet } = await import("../../columns/parquet/write/write.js");
    await writeParquet(this.table.batches, path, { ...options, schema: this.table.schema });
  }

  /**
   * Writes an Excel workbook with one worksheet: numbers of at most 15 digits, dates from March 1900, timestamps in
   * milliseconds and booleans as such, everything else as its exact text. Needs the package hucre.
   *
   * @throws {InputError} MissingPackage with the install command; BadArgument for more than 1,048,575 rows
   * @throws {DataError} CellTooLong for text of more than 32,767 characters
   * @throws {FileError}
   */
  async toExcel(path: string, options?: ExcelWriteOptions): Promise<void> {
    needPath(path, "toExcel()");
    const { writeExcel } = await import("./excel.js");
    await writeExcel(this.table, path, options);
  }

  /**
   * Converts the rows to a Danfo frame: dates and text as strings, numbers as the nearest doubles, nulls in number
   * columns as `NaN`. Reports what could not be preserved.
   *
   * @throws {InputError} MissingPackage with the install command
   */
  toDanfo<DataFrame = DanfoDataFrame>(options?: DanfoOptions<DataFrame>): Promise<DataFrame> {
    return toDanfo<DataFrame>(this.table, options);
  }

  /**
   * Charts the columns; notebooks render the result.
   *
   * @throws {InputError} UnknownColumn, UnknownValue, NothingToPlot
   */
  plot(options?: PlotOptions<Columns<Row>["name"]>): Chart {
    return plotTable(this.table, options, this.source);
  }

  /**
   * One series of prices or returns on one page: cumulative return, drawdown, returns by month and year, distribution,
   * and its key figures, also as `figures`.
   *
   * @throws {InputError} UnknownColumn, UnknownOption, WrongType, BadArgument, RepeatedDate, NothingToPlot
   */
  tearSheet(options?: TearSheetOptions<Columns<Row>["name"]>): TearSheet {
    return tearSheet(this.table, options, this.source);
  }

  /**
   * The rows as a table to sort, filter and page: all of them by the kernel where the notebook has anywidget, otherwise
   * the first ones in the browser; a static table if scripts may not run.
   */
  explore(options?: ExploreOptions): Exploration {
    const { table } = this;
    return new Exploration(table, options, this.source, (query) => exploredRows(table, query));
  }

  /** The rows as an array for `JSON.stringify`: integers beyond 2^53 become text. */
  toJSON(): Row[] {
    const rows = Array.from(this.rows());
    for (const row of rows as Record<string, unknown>[]) {
      for (const name of Object.keys(row)) if (typeof row[name] === "bigint") row[name] = String(row[name]);
    }
    return rows;
  }

  /** The table as escaped HTML, optionally with more or fewer rows than a notebook shows. */
  toHTML(options: Omit<TableOptions, "source"> = {}): string {
    refuseUnknown(options, SHOWN, "toHTML()");
    return htmlTable(this.table, { ...options, source: this.source });
  }

  /** The table as aligned text, as shown by `String(frame)` and terminals. */
  override toString(options: Omit<TableOptions, "source"> = {}): string {
    return textTable(this.table, { ...options, source: this.source });
  }
}

const textOf = (blocks: Iterable<Uint8Array>): string => Array.from(blocks, (block) => utf8Text(block)).join("");

const SHOWN: readonly (keyof TableOptions)[] = [
  "maxRows",
  "maxColumns",
  "maxText",
  "digits",
  "thousands",
  "sparklines",
];
