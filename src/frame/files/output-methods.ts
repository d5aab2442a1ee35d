import { type IPCOptions, tableToIPCBytes, writeArrowStream } from "../../columns/ipc/stream.js";
import { type ParquetOptions, writeParquet } from "../../columns/parquet/write/write.js";
import { writeCsv } from "../../columns/workers/csv-file.js";
import { type Chart, plotTable } from "../../display/chart/chart.js";
import type { PlotOptions } from "../../display/chart/options.js";
import { Exploration, type ExploreOptions } from "../../display/table/explore.js";
import { htmlTable } from "../../display/table/html.js";
import { textTable } from "../../display/table/text.js";
import type { TableOptions } from "../../display/table/view.js";
import { refuseUnknown } from "../../errors/options.js";
import type { CsvTextOptions } from "../../format/csv-text.js";
import type { FrameSource } from "../../spec/frame-source.js";
import { needPath } from "../cells/given.js";
import type { Name } from "../cells/row-types.js";
import type { RowsOptions } from "../cells/rows.js";
import { type DanfoOptions, toDanfo } from "../danfo/danfo.js";
import type { DanfoDataFrame } from "../danfo/danfo-class.js";
import { SeriesMethods } from "../verbs/series-methods.js";
import { frameCsv } from "./frame-csv.js";
import { jsonRows } from "./json-rows.js";

/** The methods of a `Frame` that give its rows to others: files and bytes, Danfo, charts, HTML and text. */
export abstract class OutputMethods<Row extends object> extends SeriesMethods<Row> {
  abstract readonly source: FrameSource | undefined;

  abstract rows(options?: RowsOptions): Iterable<Row>;

  /** The table as Arrow IPC stream bytes; service types ride in the field metadata, the source does not. */
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
   * The table as CSV text; with a path, written there block by block. Nulls are empty cells, empty text is `""`.
   *
   * @throws {FileError}
   */
  toCSV(options?: CsvTextOptions): string;
  toCSV(path: string, options?: CsvTextOptions): Promise<void>;
  toCSV(path?: string | CsvTextOptions, options?: CsvTextOptions): string | Promise<void> {
    refuseUnknown(typeof path === "string" ? options : path, ["escapeFormulae"], "toCSV()");
    if (typeof path !== "string") return frameCsv(this.table, path);
    return writeCsv(this.table.batches, path, this.table.schema, options).then(() => undefined);
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
    await writeParquet(this.table.batches, path, { ...options, schema: this.table.schema });
  }

  /**
   * A Danfo frame of the rows: dates and text as text, numbers as the nearest doubles, nulls in numbers as `NaN`. What
   * could not be carried over is reported.
   *
   * @throws {InputError} MissingPackage with what to install
   */
  toDanfo<DataFrame = DanfoDataFrame>(options?: DanfoOptions<DataFrame>): Promise<DataFrame> {
    return toDanfo<DataFrame>(this.table, options);
  }

  /**
   * A chart of the columns, which shows itself.
   *
   * @throws {InputError} UnknownColumn, UnknownValue, NothingToPlot
   */
  plot(options?: PlotOptions<Name<Row>>): Chart {
    return plotTable(this.table, options, this.source);
  }

  /** The first rows as a table to sort, filter and page in the browser; the static table where scripts may not run. */
  explore(options?: ExploreOptions): Exploration {
    return new Exploration(this.table, options, this.source);
  }

  /** The rows as an array for `JSON.stringify`: integers beyond 2^53 become text. */
  toJSON(): Row[] {
    return jsonRows(this.rows());
  }

  /** The table as HTML, escaped, with more or fewer rows than a notebook shows by itself. */
  toHTML(options: Omit<TableOptions, "source"> = {}): string {
    refuseUnknown(options, SHOWN, "toHTML()");
    return htmlTable(this.table, { ...options, source: this.source });
  }

  /** The table as aligned text; what `String(frame)` and a terminal show. */
  override toString(options: Omit<TableOptions, "source"> = {}): string {
    return textTable(this.table, { ...options, source: this.source });
  }
}

/** Options of what shows a table. */
const SHOWN: readonly (keyof TableOptions)[] = ["maxRows", "maxColumns", "maxText", "sparklines"];
