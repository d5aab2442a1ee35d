import { type RecordBatch, type Schema, Table } from "../columns/arrow/arrow.js";
import { columnIndex, distinctNames } from "../columns/arrow/column-names.js";
import { keyOf } from "../columns/arrow/key.js";
import { type CsvOptions, checkColumns, checkCsvOptions, checkReadOptions } from "../columns/arrow/read-options.js";
import { rowType, showTypeArguments } from "../columns/arrow/row-type.js";
import { columnsOf } from "../columns/arrow/schema.js";
import type { CastOptions } from "../columns/compute/cast.js";
import type { JsonLinesOptions } from "../columns/files/lines-file.js";
import type { JsonArrayOptions } from "../columns/json/array-table.js";
import { tableOf } from "../columns/table/conform.js";
import { adopt, withOwnLayouts } from "../columns/table/foreign-table.js";
import { nameColumns, pickColumns } from "../columns/table/pick.js";
import { showErrorsAsCards } from "../display/base/error.js";
import { type Bundle, showAs } from "../display/base/show.js";
import { htmlTable } from "../display/table/html.js";
import { textTable } from "../display/table/text.js";
import { InputError } from "../errors/errors.js";
import { refuseUnknown } from "../errors/options.js";
import { isOpenable } from "../format/random-access.js";
import type { ZipOptions } from "../format/zip-entry.js";
import { type AlignOptions, align } from "../series/align.js";
import { type AsofOptions, asof } from "../series/asof.js";
import type { Along } from "../series/core/choose.js";
import type { Calendar } from "../series/core/session-calendar.js";
import { type CorrelationMethod, corr, corrMatrix } from "../series/corr.js";
import { describe } from "../series/describe.js";
import { type Aggregates, aggregateBy, countBy, firstOfGroups } from "../series/group-by.js";
import { type JoinOptions, join } from "../series/join.js";
import { type PivotOptions, pivot } from "../series/pivot.js";
import { type AdjustOptions, adjust } from "../series/prices/adjust.js";
import { drawdowns } from "../series/prices/drawdowns.js";
import { missingSessions } from "../series/sessions.js";
import { type UnpivotOptions, unpivot } from "../series/unpivot.js";
import { type WithinColumns, withinGroups } from "../series/within.js";
import type { ColumnSpec, Columns, OneOrMore } from "../spec/columns.js";
import type { FrameSource } from "../spec/frame-source.js";
import { Column } from "./cells/column.js";
import { checkedBatches, needBytes, needCount, needList, needName, needObject } from "./cells/given.js";
import type {
  Aggregated,
  Aligned,
  AsofJoined,
  ColumnInfo,
  Counted,
  Described,
  Joined,
  NamedOrColumns,
  NoOthers,
  Pivoted,
  Unpivoted,
  WithinAdded,
} from "./cells/result-types.js";
import type { AnyRow, ColumnRow, Extended, NewColumn, OPENED, Renamed, SortKeys } from "./cells/row-types.js";
import { type RowsOptions, rowsOf } from "./cells/rows.js";
import { newColumn, tableOfRows } from "./cells/values.js";
import { type DanfoFrameShape, type FromDanfoOptions, tableFromDanfo } from "./danfo/danfo.js";
import { readArrowFiles } from "./files/arrow-batches.js";
import { type CsvFileOptions, readCsv } from "./files/csv-files.js";
import type { ExcelReadOptions } from "./files/excel.js";
import type { FileSources } from "./files/find-files.js";
import { checkInferred, readJsonLines } from "./files/json-lines.js";
import { localFile, prepareForArchive } from "./files/local-source.js";
import { OutputMethods } from "./files/output-methods.js";
import { type ParquetFileOptions, readParquetFiles } from "./files/parquet-batches.js";
import { ARRAY_OPTIONS, readJson } from "./files/reply.js";
import { sourceOfComputed, sourceOfForeign, sourceOfMade, sourceOfPath } from "./files/source-of.js";
import { type SqlOptions, sqlTable } from "./files/sql-table.js";
import type { UnionOptions } from "./files/union.js";
import { type Watched, watched } from "./files/watched.js";
import { castColumns, checkTypes, infoTable, tableOfColumns } from "./verbs/columns-of.js";
import { concatTables } from "./verbs/concat.js";
import { type Mask, passing } from "./verbs/filter.js";
import {
  type DrawOptions,
  newNames,
  placesWithoutNulls,
  rowNumbers,
  sampledPlaces,
  setColumns,
  sliceBounds,
} from "./verbs/pick.js";
import { Selection } from "./verbs/selection.js";
import type { SourceOperations } from "./verbs/series-methods.js";
import { sortKeys } from "./verbs/sort-keys.js";

/**
 * An immutable table over one `arrow.Table`: columns with the service's types, exact decimals and dates. Every method
 * returns a new frame and shares buffers where possible; `source` describes the origin of the rows and is not
 * serialized with the table.
 *
 * @typeParam Row the type of a row of `rows()`; `AnyRow` if the columns are unknown to the compiler
 * @example
 * ```ts
 * import { Frame } from "arrowbook";
 * const frame = Frame.fromRows(
 *   [{ ticker: "AAA", date: "2024-02-29", close: "1.5000" }],
 *   [{ name: "ticker", type: "String" }, { name: "date", type: "Date" }, { name: "close", type: "BigDecimal(15,4)" }],
 * );
 * frame.filter((row) => row.ticker === "AAA").sort("date").select("date", "close");
 * ```
 */
export class Frame<Row extends object = AnyRow> extends OutputMethods<Row> {
  /** Where the rows come from: code, filters, refresh time; undefined for rows made in memory. Not serialized. */
  readonly source: FrameSource | undefined;
  declare readonly [OPENED]: Frame<Row & AnyRow>;

  private constructor(rows: Table | Selection, source?: FrameSource) {
    super();
    if (!(rows instanceof Selection) && !(rows instanceof Table)) {
      throw new InputError("A Frame is not made with new.", {
        code: "BadArgument",
        hint: "Frame.fromRows([{ a: 1 }]) takes objects, Frame.from(table) an Arrow table, Frame.fromCSV() and the like files.",
      });
    }
    selections.set(this, rows instanceof Selection ? rows : new Selection(rows));
    this.source = source;
    Object.freeze(this);
  }

  /**
   * Wraps an Arrow table or record batch, also one of another copy of the Arrow library, or the `table` of an object,
   * such as a frame from the other module format (CommonJS or ESM) of this package; shares buffers.
   *
   * @throws {InputError} BadArgument for a value that is not a table
   */
  static from<Row extends object = AnyRow>(table: unknown, source?: FrameSource): Frame<Row> {
    if (table instanceof Frame) return new Frame<Row>(selectionOf(table), source ?? table.source);
    return new Frame<Row>(adopt(table), source ?? sourceOfForeign(table));
  }

  /**
   * Combines record batches, such as pages that were read one by one; `schema` is used if there are none.
   *
   * @throws {DataError} SchemaMismatch
   */
  static fromBatches<Row extends object = AnyRow>(
    schema: Schema,
    batches: Iterable<RecordBatch>,
    source?: FrameSource,
  ): Frame<Row> {
    const all = checkedBatches(schema, batches);
    return new Frame<Row>(withOwnLayouts(tableOf(all, all[0]?.schema ?? schema)), source);
  }

  /**
   * Makes a frame from row objects. Cells are strings, numbers, bigints, booleans, `Date` or null, read as the column's
   * type; a missing member is null. Without `columns`, the names are those of all rows, in order of first appearance,
   * and the types those of the values.
   *
   * @throws {DataError} BadCell for a cell that does not fit its type
   */
  static fromRows<Row extends object = AnyRow>(
    rows: Iterable<object>,
    columns?: readonly ColumnSpec[],
    source?: FrameSource,
  ): Frame<Row> {
    if (columns !== undefined) checkColumns(columns, "fromRows()");
    return new Frame<Row>(tableOfRows(rows, columns), source);
  }

  /**
   * Makes a frame from columns by name: lists, typed arrays, columns, or one value for every row. Lists and typed
   * arrays are copied, columns shared. Types are those of the values unless `types` names service types, as in
   * `with()`.
   *
   * @throws {InputError} DifferentLength, MixedTypes, BadArgument
   * @example
   * ```ts
   * import { Frame } from "arrowbook";
   * Frame.fromColumns({ ticker: ["A", "B"], close: ["1.50", null], vendor: "X" }, { close: "BigDecimal(9,2)" });
   * ```
   */
  static fromColumns<Added extends Record<string, NewColumn<never>>>(
    columns: Added,
    types: { readonly [K in keyof Added]?: string } = {},
  ): Frame<ColumnRow<Added>> {
    return new Frame<ColumnRow<Added>>(tableOfColumns(columns, types));
  }

  /**
   * Reads a CSV file, or its bytes; gzip and zstd (`prices.csv.gz`) are detected by the first bytes. `columns` declares
   * names and types; `"infer"`, the default, finds the type of each column that all its cells have and that writes them
   * as they were (see `frame.columns`), `"header"` reads text. The format is the strict one of the service; options
   * describe other files. Long reads show their progress (`onProgress`). A list of files, a folder or a pattern
   * (`"data/*.csv"`) is one table with the columns of all files, whose types are widened.
   *
   * @throws {FileError}
   * @throws {DataError} with row, line, column, value and byte offset
   * @example
   * ```ts
   * import { Frame } from "arrowbook";
   * const bytes = new TextEncoder().encode("date;id;close\n29.02.2024;007;1.250,25\n");
   * const form = { delimiter: ";", decimal: ",", thousands: ".", dateFormat: "dd.MM.yyyy" };
   * (await Frame.fromCSV(bytes, form)).columns; // Date, String, BigDecimal(6,2)
   * ```
   */
  static async fromCSV<Row extends object = AnyRow>(
    source: FileSources,
    options: CsvFileOptions = {},
  ): Promise<Frame<Row>> {
    const read = await readCsv(source, options);
    return new Frame<Row>(read.table, read.source);
  }

  /**
   * Reads the CSV file inside a zip archive as a stream. Long reads show their progress (`onProgress`).
   *
   * @throws {FileError}
   * @throws {DataError}
   */
  static async fromZip<Row extends object = AnyRow>(
    source: string | URL | Uint8Array | Blob,
    options: CsvOptions & ZipOptions & Watched,
  ): Promise<Frame<Row>> {
    checkCsvOptions(options, "fromZip()", ["maxRatio", "maxSize", "onProgress"]);
    const local = localFile(source, "fromZip()", "a zip archive");
    await prepareForArchive(local);
    const { zipTable } = await import("../columns/files/zip-file.js");
    const table = await watched(local, options, async (onBytes) =>
      zipTable(isOpenable(local) ? await local.open("end") : local, { ...options, onBytes }),
    );
    return new Frame<Row>(table, sourceOfPath(local));
  }

  /**
   * Reads a file of JSON lines (NDJSON), or its bytes: one object on each line; gzip and zstd are detected. Members
   * become columns by name, a missing one is null. Numbers are read from their digits, exactly. Without `columns`,
   * types are those that all values of a member have: `Integer` or decimals for numbers (`double` for those of doubles
   * beyond 38 digits, as `1e300`), `Date` or `DateTime` for strings that all are, otherwise text.
   *
   * @throws {FileError}
   * @throws {DataError} with row, line, column, value and byte offset, also for an array or object as a value
   * @example
   * ```ts
   * import { Frame } from "arrowbook";
   * const bytes = new TextEncoder().encode('{"id":"007","close":50.25}\n{"id":"008"}\n');
   * (await Frame.fromJSONLines(bytes)).columns; // String, BigDecimal(4,2)
   * ```
   */
  static async fromJSONLines<Row extends object = AnyRow>(
    source: FileSources,
    options: JsonLinesOptions & UnionOptions & Watched = {},
  ): Promise<Frame<Row>> {
    const read = await readJsonLines(source, options);
    return new Frame<Row>(read.table, read.source);
  }

  /**
   * Reads JSON as text or bytes: an array of objects, such as `JSON.stringify(frame)` writes, or a reply of the service
   * (a page of a table or a time series, spec 2.1, 2.3, 2.6). The members of the objects become columns as those of
   * {@link fromJSONLines}, numbers exactly from their digits; a reply declares its columns.
   *
   * @param options `columns`, `types` and `onExtraMember` are for arrays, as in {@link fromJSONLines}
   * @throws {DataError} with row, column, value and byte offset
   * @example
   * ```ts
   * import { Frame } from "arrowbook";
   * Frame.fromJSON('[{ "id": "007", "close": 50.25 }, { "id": "008" }]').columns; // String, BigDecimal(4,2)
   * ```
   */
  static fromJSON<Row extends object = AnyRow>(json: Uint8Array | string, options: JsonArrayOptions = {}): Frame<Row> {
    checkReadOptions(options, "fromJSON()", ARRAY_OPTIONS);
    checkInferred(options, "fromJSON()");
    if (typeof json !== "string")
      needBytes(json, "fromJSON()", "Pass the text or the bytes of JSON; await a Promise first.");
    const { table, source } = readJson(typeof json === "string" ? new TextEncoder().encode(json) : json, options);
    return new Frame<Row>(table, source);
  }

  /**
   * Reads an Arrow IPC stream or file, or its bytes, of which buffers are then views.
   *
   * @throws {FileError}
   * @throws {DataError} BadArrow
   */
  static async fromArrow<Row extends object = AnyRow>(
    source: FileSources | ArrayBuffer,
    options: UnionOptions = {},
  ): Promise<Frame<Row>> {
    const read = await readArrowFiles(source, options);
    return new Frame<Row>(read.table, read.source);
  }

  /**
   * Reads a Parquet file, its bytes, or all Parquet files in a folder, which have the same columns: exact decimals,
   * dates, and the service's types if this package wrote it. A list of files, or a pattern, is one table as by
   * {@link fromCSV}. Only the selected columns are read, and only row groups that may satisfy the conditions; of a file
   * at an address (`https:`, `s3:`), only they are requested.
   *
   * @param options `columns`, `where` and `nested` select what is read; long reads show their progress (`onProgress`)
   * @throws {FileError}
   * @throws {DataError} BadParquet, UnsupportedParquet
   * @throws {InputError} UnknownColumn for a column that the file does not have
   * @example
   * ```ts no-run
   * const frame = await Frame.fromParquet("prices.parquet", {
   *   columns: ["ticker", "date", "close"],
   *   where: { date: { gte: "2020-01-01" } },
   * });
   * ```
   */
  static async fromParquet<Row extends object = AnyRow>(
    source: FileSources,
    options: ParquetFileOptions = {},
  ): Promise<Frame<Row>> {
    const read = await readParquetFiles(source, options);
    return new Frame<Row>(read.table, read.source);
  }

  /**
   * Reads a worksheet of an Excel workbook (`.xlsx`), or of several as {@link fromCSV} does: text, booleans, dates
   * (without a time where all are midnight) and numbers, which are `Integer` or decimals where all have at most 15
   * digits, as Excel keeps of what is typed, otherwise doubles. Text cells beside numbers count as the digits that
   * they hold; a column of text alone is text. Errors such as `#N/A` are null. Needs the package hucre.
   *
   * @throws {InputError} MissingPackage with the install command; BadArgument for an unknown sheet
   * @throws {FileError}
   * @throws {DataError} BadExcel; BadCell for a cell that does not fit its declared type
   * @example
   * ```ts no-run
   * const frame = await Frame.fromExcel("report.xlsx", { sheet: "Sales", types: { id: "String" } });
   * ```
   */
  static async fromExcel<Row extends object = AnyRow>(
    source: FileSources,
    options: ExcelReadOptions = {},
  ): Promise<Frame<Row>> {
    const { readExcel } = await import("./files/excel.js");
    const read = await readExcel(source, options);
    return new Frame<Row>(read.table, read.source);
  }

  /**
   * Converts a Danfo frame, with the names and types of a schema if one is passed.
   *
   * @throws {DataError} BadCell for cells that do not fit
   */
  static fromDanfo<Row extends object = AnyRow>(frame: DanfoFrameShape, options?: FromDanfoOptions): Frame<Row> {
    return new Frame<Row>(tableFromDanfo(frame, options));
  }

  /**
   * Concatenates the rows of several frames; shares buffers.
   *
   * @throws {InputError} DifferentColumns
   */
  static concat<Row extends object>(frames: readonly Frame<Row>[]): Frame<Row> {
    const tables = tablesFrom(frames, "concat()");
    const sources = new Set(frames.map((frame) => frame.source));
    return new Frame<Row>(concatTables(tables), sources.size === 1 ? frames[0].source : undefined);
  }

  /**
   * Aligns several frames on their key or dates (or on `on`), side by side, with the keys of any (`outer`), of all
   * (`inner`) or of the first (`left`); repeated names get `_1`, `_2`, … or the passed suffixes. {@link align}
   */
  static align<const Frames extends readonly { readonly table: Table }[], const Options extends AlignOptions>(
    frames: Frames,
    options?: Options,
  ): Frame<Aligned<Frames, Options>> {
    return new Frame<Aligned<Frames, Options>>(align(tablesFrom(frames, "align()"), options));
  }

  /**
   * The Arrow table. Rows that `filter`, `sort` or `take` selected are copied when it is first accessed, by the caller
   * or by a method that needs all columns.
   */
  override get table(): Table {
    return selectionOf(this).table;
  }

  /** Names and service types, in order. */
  get columns(): readonly ColumnSpec[] {
    return columnsOf(baseOf(this).schema);
  }

  /**
   * The names of the columns that identify a row, such as `["ticker", "date"]`: the primary key of a table, the code
   * and date of a database, the date of a dataset, or the `key` option of a reader. Empty if unknown. Stored in the
   * metadata of the Arrow schema, and kept as long as its columns are. Series methods take `by` from it.
   */
  get key(): readonly string[] {
    return keyOf(baseOf(this).schema);
  }

  /** Number of rows. */
  get numRows(): number {
    return selectionOf(this).numRows;
  }

  /** Number of columns. */
  get numColumns(): number {
    return baseOf(this).schema.fields.length;
  }

  /** Rows and columns. */
  get shape(): readonly [rows: number, columns: number] {
    return [this.numRows, this.numColumns];
  }

  /**
   * Bytes that the frame keeps alive: all its buffers (shared ones count in each frame), and, until selected rows are
   * copied, the buffers they are selected from and the row numbers.
   */
  get nbytes(): number {
    return selectionOf(this).nbytes;
  }

  /**
   * A column by its exact name or by position.
   *
   * @throws {InputError} UnknownColumn with the nearest names, AmbiguousColumn
   */
  column<K extends Columns<Row>["name"]>(name: K | number): Column<Row[K]> {
    const at = columnIndex(baseOf(this), name);
    const { name: found, type } = this.columns[at];
    return new Column<Row[K]>(found, type, selectionOf(this).column(at));
  }

  /**
   * The rows as objects in order, with members in column order (integer names come first, as in all JavaScript
   * objects); a repeated name gets `_2`. By default decimals are the nearest number and dates ISO strings.
   */
  override rows(options?: RowsOptions): Iterable<Row> {
    const { base, rows } = selectionOf(this);
    return rowsOf<Row>(base, options, rows);
  }

  /** The rows as an array of objects; see {@link rows}. */
  toArray(options?: RowsOptions): Row[] {
    return [...this.rows(options)];
  }

  /**
   * Selects columns in the passed order, as arguments or as one array; shares buffers.
   *
   * @throws {InputError} UnknownColumn
   */
  select<K extends Columns<Row>["name"]>(...names: readonly OneOrMore<K>[]): Frame<Pick<Row, K>> {
    const positions = names.flat().map((name) => columnIndex(baseOf(this), name));
    return this.over(pickedColumns(this, positions));
  }

  /**
   * Drops columns.
   *
   * @throws {InputError} UnknownColumn
   */
  drop<K extends Columns<Row>["name"]>(...names: readonly OneOrMore<K>[]): Frame<Omit<Row, K>> {
    const gone = new Set(names.flat().map((name) => columnIndex(baseOf(this), name)));
    const kept = this.columns.flatMap((_, i) => (gone.has(i) ? [] : [i]));
    return this.over(pickedColumns(this, kept));
  }

  /**
   * Renames columns: by old name, or all with an array of names. Shares values.
   *
   * @throws {InputError} UnknownColumn
   */
  rename<
    const Names extends
      | readonly string[]
      | ({ readonly [K in Columns<Row>["name"]]?: string } & NoOthers<Names, Columns<Row>["name"]>),
  >(names: Names): Frame<Renamed<Row, Names>> {
    const base = baseOf(this);
    return this.over(selectionOf(this).over(nameColumns(base, newNames(base, names))));
  }

  /**
   * Adds columns at the end, or replaces them in place. Values keep their type (`number` double, `bigint` and integers
   * beside it Integer, strings String, `Date` a timestamp) unless `types` declares a service type; a single string,
   * number, bigint, boolean, `Date` or null fills every row.
   *
   * @throws {InputError} DifferentLength, MixedTypes, BadArgument
   */
  with<Added extends Record<string, NewColumn<Row>>>(
    columns: Added,
    types: { readonly [K in keyof Added]?: string } = {},
  ): Frame<Extended<Row, Added>> {
    needObject(columns, "with()", "Pass columns by name: with({ twice: (row) => 2 * row.close }).");
    checkTypes(types, "with()");
    const { table } = this;
    const made = Object.entries(columns).map(([name, values]) => newColumn(name, values, ownType(types, name), table));
    return this.over(setColumns(table, made));
  }

  /**
   * The frame with some columns as other types of the service, each value exactly: `{ close: "double" }`.
   * {@link castColumns}
   */
  cast<const Types extends { readonly [K in Columns<Row>["name"]]?: string } & NoOthers<Types, Columns<Row>["name"]>>(
    types: Types,
    options: CastOptions = {},
  ): Frame<Row> {
    return this.over(setColumns(this.table, castColumns(this.table, types, options)));
  }

  /**
   * Selects rows: `test` receives a view of each row with the members of `rows()`, whose cells are read on access; or a
   * mask (a boolean column or an array) has one boolean per row. The rows are copied when the columns of the result are
   * used.
   *
   * @throws {InputError} DifferentLength, BadArgument for a test that returns promises, KeptRow in a test that reads
   *   another row than its own
   */
  filter(test: ((row: Row) => unknown) | Mask): Frame<Row> {
    const rows = selectionOf(this);
    const kept = rows.keep(passing(test, rows));
    return kept === rows ? this : this.over(kept);
  }

  /**
   * Keeps the rows that hold values in the named columns, in all where none is named; NaN counts as null.
   *
   * @throws {InputError} UnknownColumn
   */
  dropNulls(...names: readonly OneOrMore<Columns<Row>["name"]>[]): Frame<Row> {
    const rows = selectionOf(this);
    const named = names.flat().map((name) => columnIndex(rows.base, name));
    const columns = named.length > 0 ? named : this.columns.map((_, at) => at);
    const kept = rows.keep(
      placesWithoutNulls(
        columns.map((at) => rows.column(at)),
        rows.numRows,
      ),
    );
    return kept === rows ? this : this.over(kept);
  }

  /**
   * A random sample of the rows without replacement, in their order.
   *
   * @param size the number of rows, of which all are returned if there are fewer; or a `fraction` of the rows from 0 to
   *   1, both inclusive, rounded half to even to whole rows
   * @throws {InputError} BadArgument, also for a fraction outside 0 to 1; UnknownOption
   * @example
   * ```ts
   * import { Frame } from "arrowbook";
   * const frame = Frame.fromColumns({ day: [1, 2, 3, 4] });
   * frame.sample(3, { seed: 1 }); // three rows
   * frame.sample({ fraction: 0.5 }, { seed: 1 }); // two rows
   * ```
   */
  sample(size: number | { readonly fraction: number }, options?: DrawOptions): Frame<Row> {
    const rows = selectionOf(this);
    return this.over(rows.keep(sampledPlaces(rows.numRows, size, options)));
  }

  /**
   * Sorts by one or more columns: stable, nulls and NaN last in both directions, decimals exactly, text by code point.
   * A key is a name or a pair of a name and a direction; keys are arguments or one array. An array of two whose second
   * item is `asc` or `desc` is a pair.
   *
   * @throws {InputError} UnknownColumn, UnknownValue for a direction, AmbiguousSort if a column has the name of the
   *   direction
   */
  sort(...keys: readonly SortKeys<Columns<Row>["name"]>[]): Frame<Row> {
    return this.over(selectionOf(this).sorted(sortKeys(baseOf(this), keys)));
  }

  /**
   * Selects rows by position, in this order; a position may repeat, which drops the key.
   *
   * @throws {InputError} OutOfRange
   */
  take(positions: ArrayLike<number>): Frame<Row> {
    return this.over(selectionOf(this).take(rowNumbers(positions, this.numRows)));
  }

  /**
   * The first rows (default 5), or all if there are fewer; shares buffers.
   *
   * @throws {InputError} BadArgument for a number below 0
   */
  head(count = 5): Frame<Row> {
    needCount(count, "head()");
    return this.slice(0, count);
  }

  /**
   * The last rows (default 5), or all if there are fewer; shares buffers.
   *
   * @throws {InputError} BadArgument for a number below 0
   */
  tail(count = 5): Frame<Row> {
    needCount(count, "tail()");
    return this.slice(Math.max(0, this.numRows - count));
  }

  /**
   * Rows `begin` (inclusive) to `end` (exclusive, default all); negative positions count from the end. Shares buffers.
   */
  slice(begin = 0, end = this.numRows): Frame<Row> {
    return this.over(selectionOf(this).slice(...sliceBounds(begin, end, this.numRows)));
  }

  /**
   * Joins to every row the values of `other` that were current at its date or timestamp: backward, forward or nearest,
   * with `by` and a tolerance, as 10 milliseconds. {@link asof}
   */
  asof<Other extends object, Suffix extends string = "_right">(
    other: Frame<Other>,
    options?: AsofOptions<Columns<Row>["name"]> & { readonly suffix?: Suffix },
  ): Frame<AsofJoined<Row, Other, Suffix>> {
    return this.over(asof(this.table, tableFrom(other), options));
  }

  /**
   * The rows of this frame and another side by side where their keys are equal: `inner`, `left`, `right`, `outer`,
   * `semi`, `anti` or `cross`. {@link join}
   */
  join<Other extends object, const Options extends JoinOptions<Columns<Row>["name"], Columns<Other>["name"]>>(
    other: Frame<Other>,
    options: Options,
  ): Frame<Joined<Row, Other, Options>> {
    return this.over(join(this.table, tableFrom(other), options));
  }

  /** Groups rows by equal values: `.agg({ close: "mean" })`, `.count()`, `.head(2)`. {@link aggregateBy} */
  groupBy<K extends Columns<Row>["name"]>(...names: readonly OneOrMore<K>[]): Grouped<Row, K> {
    const { table } = this;
    const by = names.flat();
    return {
      agg: (aggregates) => {
        needObject(aggregates, "agg()", 'Pass aggregates by column: agg({ close: "mean" }).');
        return this.computed(aggregateBy(table, by, aggregates));
      },
      with: (columns) => {
        needObject(columns, "with()", 'Pass columns by name: with({ rank: ["close", "rank"] }).');
        return this.over(withinGroups(table, by, columns));
      },
      count: () => this.computed(countBy(table, by)),
      head: (count = 5) => {
        needCount(count, "head()");
        return this.over(firstOfGroups(table, by, count));
      },
    };
  }

  /** Rows of each combination of values in the named columns, the most frequent first, under the name `count`. */
  valueCounts<K extends Columns<Row>["name"]>(...names: readonly OneOrMore<K>[]): Frame<Counted<Row, K>> {
    const counted = countBy(this.table, names.flat());
    return this.computed<AnyRow>(counted).sort(["count", "desc"]) as Frame<object> as Frame<Counted<Row, K>>;
  }

  /** Converts a long table to wide: `{ index: "date", columns: "ticker", values: "close" }`. {@link pivot} */
  pivot<const Options extends PivotOptions<Columns<Row>["name"]>>(options: Options): Frame<Pivoted<Row, Options>> {
    return this.over(pivot(this.table, options));
  }

  /**
   * Converts wide rows to long, the inverse of `pivot()`: `{ index: "date", columns: "ticker", values: "close" }`.
   * {@link unpivot}
   */
  unpivot<const Options extends UnpivotOptions<Columns<Row>["name"]>>(
    options: Options,
  ): Frame<Unpivoted<Row, Options>> {
    return this.over(unpivot(this.table, options));
  }

  /**
   * The sessions of a calendar without a row between the first and the last row of each series, under the names of the
   * columns that identify the series and of the date. {@link missingSessions}
   */
  missingSessions(calendar: Calendar, along?: Along<Columns<Row>["name"]>): Frame {
    return this.computed(missingSessions(this.table, calendar, along));
  }

  /**
   * The falls of a column below its highest value so far, one row each: the columns that identify the series, `start`,
   * `trough`, `recovery` and `depth`. {@link drawdowns}
   */
  drawdowns(column: Columns<Row>["name"], along?: Along<Columns<Row>["name"]>): Frame {
    return this.computed(drawdowns(this.table, column, along));
  }

  /**
   * Prices and volumes before splits and dividends, made comparable with the latest: `adjust(actions, { columns:
   * ["open", "close"], volume: "volume", close: "close" })`. {@link adjust}
   */
  adjust(actions: Frame<object>, options: AdjustOptions<Columns<Row>["name"]>): Frame<Row> {
    return this.over(adjust(this.table, tableFrom(actions), options));
  }

  /** The columns as rows: name, type, how many values and nulls. */
  info(): Frame<ColumnInfo> {
    return this.computed(infoTable(this.table));
  }

  /** Count, nulls, mean, standard deviation, extremes and quartiles of the number columns. {@link describe} */
  describe<K extends Columns<Row>["name"]>(...names: readonly OneOrMore<K>[]): Frame<Described<K>> {
    return this.computed(describe(this.table, names.length > 0 ? names.flat() : undefined));
  }

  /**
   * The correlation of two number columns, or null if it is undefined; for an array of names (default: all number
   * columns), the matrix of pairwise correlations. {@link corr}, {@link corrMatrix}
   *
   * @throws {InputError} UnknownColumn, WrongType, UnknownValue, BadArgument for a single name
   */
  corr(first: Columns<Row>["name"], second: Columns<Row>["name"], method?: CorrelationMethod): number | null;
  corr(columns?: readonly Columns<Row>["name"][], method?: CorrelationMethod): Frame;
  corr(
    columns?: Columns<Row>["name"] | readonly Columns<Row>["name"][],
    second?: string,
    method?: CorrelationMethod,
  ): Frame | number | null {
    if (typeof columns !== "string") return this.computed(corrMatrix(this.table, columns, second as CorrelationMethod));
    const hint = 'Pass two columns, corr("open", "close"), or an array of columns, corr(["open", "close", "volume"]).';
    needName(second, "The second column of corr()", hint);
    return corr(this.table, columns, second, method);
  }

  /**
   * The result of a SQL statement of the embedded engine, in which `this` is the frame and `tables` are others by name;
   * `params` bind to `$1`, `$2`, …. An abort of `signal` interrupts the statement; the call rejects with its reason.
   *
   * @throws {InputError} BadStatement
   */
  async sql<Result extends object = AnyRow>(text: string, options: SqlOptions = {}): Promise<Frame<Result>> {
    refuseUnknown(options, ["params", "tables", "signal"], "sql()");
    const others = Object.entries(options.tables ?? {}).map(([name, frame]) => [name, rowsFrom(frame)] as const);
    const rows = { ...Object.fromEntries(others), this: selectionOf(this) };
    return this.computed(await sqlTable(text, rows, options));
  }

  protected override like(table: Table, applied: SourceOperations = {}): this {
    const source = sourceOfMade(table, this);
    return new Frame<Row>(table, source && { ...source, ...applied }) as this;
  }

  private computed<Other extends object>(rows: Table): Frame<Other> {
    return new Frame<Other>(rows, sourceOfComputed(this.source));
  }

  private over<Other extends object>(rows: Table | Selection): Frame<Other> {
    return new Frame<Other>(rows, sourceOfMade(rows, this));
  }
}

/** Groups of rows, before an aggregation. */
export interface Grouped<Row extends object, Key extends keyof Row> {
  /**
   * One row per group with the requested aggregates, such as `{ close: "mean", volume: ["sum", "max"] }`: a single one
   * under the name of the column, several as `volume_sum`, `volume_max`; under a new name `{ top: ["close", "max"] }`.
   * {@link aggregateBy}
   */
  agg<const Wanted extends Aggregates<Columns<Row>["name"]> & NamedOrColumns<Wanted, Columns<Row>["name"]>>(
    aggregates: Wanted,
  ): Frame<Aggregated<Row, Key, Wanted>>;
  /**
   * All rows in their order, with columns computed within each group: `{ share: ["volume", "share"], rank: ["close",
   * "rank"], total: ["volume", "sum"] }`. {@link Within}, {@link withinGroups}
   */
  with<const Added extends WithinColumns<Columns<Row>["name"]>>(columns: Added): Frame<WithinAdded<Row, Added>>;
  /** The number of rows of each group, under the name `count`. */
  count(): Frame<Counted<Row, Key>>;
  /** The first rows of each group (default 5) with all columns, in the order of the frame: sort it first. */
  head(count?: number): Frame<Row>;
}

/** The rows of each frame; they change only from selected to copied. */
const selections = new WeakMap<object, Selection>();

const selectionOf = (frame: object): Selection => selections.get(frame) as Selection;

/** The table with the columns of a frame, which may have more rows than the frame. */
const baseOf = (frame: object): Table => selectionOf(frame).base;

const pickedColumns = (frame: object, positions: readonly number[]): Selection =>
  selectionOf(frame).over(pickColumns(baseOf(frame), positions));

/** The table of a frame, which is known to be valid, or of anything that {@link adopt} accepts. */
const tableFrom = (given: unknown): Table => (given instanceof Frame ? given.table : adopt(given));

/** As {@link tableFrom}, before selected rows are copied. */
const rowsFrom = (given: unknown): Table | Selection => (given instanceof Frame ? selectionOf(given) : adopt(given));

function tablesFrom(frames: readonly unknown[], where: string): Table[] {
  needList(frames, where, "Pass an array of frames: [first, second].");
  return Array.from(frames, tableFrom);
}

/** The type declared for a column; ignores members inherited from `Object`. */
const ownType = (types: Readonly<Record<string, string | undefined>>, name: string): string | undefined =>
  Object.hasOwn(types, name) ? types[name] : undefined;

showAs<Frame<object>>(Frame.prototype as Frame<object>, {
  bundle: ({ table, source }, options): Bundle => ({
    "text/html": htmlTable(table, { ...options, source }),
    "text/plain": textTable(table, { ...options, source }),
  }),
  text: ({ table, source }, width, colors) => textTable(table, { source, width, colors }),
  brief: ({ numRows, numColumns, source }) =>
    `Frame ${numRows} rows × ${numColumns} columns${source === undefined ? "" : ` ${source.code}`}`,
});

showTypeArguments<Frame<object>>(Frame.prototype as Frame<object>, ({ columns }) => {
  const names = distinctNames(columns.map(({ name }) => name));
  return [rowType(columns.map(({ type }, i) => ({ name: names[i], type })))];
});

/** Answers `merge()` with the names of the two methods that do it here. Not in the types: the compiler reports it. */
for (const target of [Frame, Frame.prototype]) {
  Object.defineProperty(target, "merge", {
    value: (): never => {
      throw new InputError("A Frame has no merge().", {
        code: "BadArgument",
        hint: 'Two frames: a.join(b, { on: "ticker" }). Several, side by side on their key: Frame.align([a, b, c]).',
      });
    },
  });
}

showErrorsAsCards();
