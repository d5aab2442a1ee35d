import type { RecordBatch, Schema, Table, Vector } from "../columns/arrow/arrow.js";
import { columnIndex } from "../columns/arrow/column-names.js";
import { keyOf } from "../columns/arrow/key.js";
import {
  type CsvOptions,
  checkColumns,
  checkCsvOptions,
  checkReadOptions,
  type ReadOptions,
} from "../columns/arrow/read-options.js";
import { columnsOf } from "../columns/arrow/schema.js";
import { readArrow, tableFromIPCBytes } from "../columns/ipc/read/read.js";
import { checkParquetOptions, type ParquetReadOptions } from "../columns/parquet/read/options.js";
import { readParquet } from "../columns/parquet/read/read.js";
import { tableOf } from "../columns/table/conform.js";
import { adopt } from "../columns/table/foreign-table.js";
import { nameColumns, pickColumns } from "../columns/table/pick.js";
import { sortedRows } from "../columns/table/sort.js";
import { takeRows } from "../columns/table/take.js";
import { csvFileTable } from "../columns/workers/csv-file.js";
import { zipTable } from "../columns/workers/zip-file.js";
import { letErrorsShow } from "../display/base/error.js";
import { type Bundle, showAs } from "../display/base/show.js";
import { htmlTable } from "../display/table/html.js";
import { textTable } from "../display/table/text.js";
import { byteLength } from "../display/table/view.js";
import type { ZipOptions } from "../format/zip.js";
import { type AsofOptions, asof } from "../series/asof.js";
import { type CorrelationMethod, corr, corrMatrix } from "../series/corr.js";
import { describe } from "../series/describe.js";
import { type MergeOptions, merge } from "../series/merge.js";
import { type PivotOptions, pivot } from "../series/pivot.js";
import type { ColumnSpec } from "../spec/columns.js";
import type { FrameSource } from "../spec/frame-source.js";
import { Column } from "./cells/column.js";
import { batchesGiven, needBytes, needCount, needList, needName, needObject, needPath } from "./cells/given.js";
import type { AnyRow, Extended, Name, Names, NewColumn, Order, Renamed } from "./cells/row-types.js";
import { type RowsOptions, rowsOf } from "./cells/rows.js";
import { newColumn, tableOfRows } from "./cells/values.js";
import { type DanfoFrameShape, type FromDanfoOptions, tableFromDanfo } from "./danfo/danfo.js";
import { OutputMethods } from "./files/output-methods.js";
import { readReply } from "./files/reply.js";
import { sourceOfForeign, sourceOfMade, sourceOfPath } from "./files/source-of.js";
import { sqlTable } from "./files/sql-table.js";
import { type Watched, watched } from "./files/watched.js";
import { concatTables } from "./verbs/concat.js";
import { type Mask, passing } from "./verbs/filter.js";
import { type Grouped, grouped } from "./verbs/grouped.js";
import { newNames } from "./verbs/new-names.js";
import { setColumns, sliceRows, takenRows } from "./verbs/pick.js";
import type { SourceWords } from "./verbs/series-methods.js";
import { sortKeys } from "./verbs/sort-keys.js";

/**
 * A table that never changes, over one `arrow.Table`: columns with the service's types, exact decimals, whole days.
 * Every method gives a new frame and shares buffers where it can; `source` says where the rows come from and is not
 * serialized with the table.
 *
 * @typeParam Row what `rows()` yields; `AnyRow` where the columns are not known to the compiler
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
  readonly table: Table;
  readonly source: FrameSource | undefined;

  private constructor(table: Table, source?: FrameSource) {
    super();
    this.table = table;
    this.source = source;
    Object.freeze(this);
  }

  /**
   * A frame over an Arrow table or record batch, also one of another copy of the Arrow library, or over the `table` of
   * an object that has one, such as a frame of the other (CommonJS or ESM) half of this package; buffers are shared.
   * @throws InputError for a value that is not a table
   */
  static from<Row extends object = AnyRow>(table: unknown, source?: FrameSource): Frame<Row> {
    if (table instanceof Frame) return new Frame<Row>(table.table, source ?? table.source);
    return new Frame<Row>(adopt(table), source ?? sourceOfForeign(table));
  }

  /**
   * A frame over record batches, such as pages that were read one by one; `schema` is used where there are none.
   *
   * @throws DataError `SchemaMismatch`
   */
  static fromBatches<Row extends object = AnyRow>(
    schema: Schema,
    batches: Iterable<RecordBatch>,
    source?: FrameSource,
  ): Frame<Row> {
    const all = batchesGiven(schema, batches);
    return new Frame<Row>(tableOf(all, all[0]?.schema ?? schema), source);
  }

  /**
   * A frame of objects, one for each row. Cells are text, numbers, bigints, booleans, `Date` or null, read as the
   * column's type; a missing member is null. Without `columns` the names are those of the first rows and the types what
   * the values are.
   * @throws DataError for a cell that does not fit its type
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
   * A CSV file, or the bytes of one, read into the declared types; gzipped ones (`prices.csv.gz`) are known by their
   * first bytes. A long read shows its progress (`onProgress`).
   * @throws FileError, DataError naming row, column, value and byte offset
   */
  static async fromCSV<Row extends object = AnyRow>(
    source: string | Uint8Array,
    options: CsvOptions & ZipOptions & Watched,
  ): Promise<Frame<Row>> {
    checkCsvOptions(options, "fromCSV()", ["maxRatio", "maxSize", "onProgress"]);
    const table = await watched(source, options, (onBytes) => csvFileTable(source, { ...options, onBytes }));
    return new Frame<Row>(table, sourceOfPath(source));
  }

  /**
   * The CSV file inside a zip archive, read as a stream. A long read shows its progress (`onProgress`).
   *
   * @throws FileError, DataError
   */
  static async fromZip<Row extends object = AnyRow>(
    source: string | Uint8Array,
    options: CsvOptions & ZipOptions & Watched,
  ): Promise<Frame<Row>> {
    checkCsvOptions(options, "fromZip()", ["maxRatio", "maxSize", "onProgress"]);
    const table = await watched(source, options, (onBytes) => zipTable(source, { ...options, onBytes }));
    return new Frame<Row>(table, sourceOfPath(source));
  }

  /**
   * The rows of a JSON reply of the service: a page of a table, or a time series (spec 2.1, 2.3, 2.6).
   *
   * @throws DataError
   */
  static fromJSON<Row extends object = AnyRow>(reply: Uint8Array | string, options?: ReadOptions): Frame<Row> {
    checkReadOptions(options, "fromJSON()");
    if (typeof reply !== "string")
      needBytes(reply, "fromJSON()", "Give the text or the bytes of a reply; await what is a Promise.");
    const bytes = typeof reply === "string" ? new TextEncoder().encode(reply) : reply;
    const { table, source } = readReply(bytes, options);
    return new Frame<Row>(table, source);
  }

  /** The bytes of an Arrow IPC stream or file; the buffers are views of them. @throws DataError `BadArrow` */
  static fromIPC<Row extends object = AnyRow>(bytes: Uint8Array | ArrayBuffer, source?: FrameSource): Frame<Row> {
    return new Frame<Row>(tableFromIPCBytes(bytes), source);
  }

  /** An Arrow IPC stream or file on disk. @throws FileError, DataError `BadArrow` */
  static async fromArrow<Row extends object = AnyRow>(path: string): Promise<Frame<Row>> {
    needPath(path, "fromArrow()");
    return new Frame<Row>(await readArrow(path), sourceOfPath(path));
  }

  /**
   * A Parquet file, its bytes, or all Parquet files in a folder: exact decimals, whole days, the service's types where this package
   * wrote it. Only the chosen columns are read, and of the row groups only those that may meet the conditions.
   *
   * @param options `columns`, `where` and `nested` choose what is read; a long read shows its progress (`onProgress`)
   * @throws FileError, DataError `BadParquet`, `UnsupportedParquet`; InputError `UnknownColumn`
   * @example
   * ```ts no-run
   * const frame = await Frame.fromParquet("prices.parquet", {
   *   columns: ["ticker", "date", "close"],
   *   where: { date: { gte: "2020-01-01" } },
   * });
   * ```
   */
  static async fromParquet<Row extends object = AnyRow>(
    source: string | Uint8Array,
    options: ParquetReadOptions & Watched = {},
  ): Promise<Frame<Row>> {
    if (typeof source !== "string") needBytes(source, "fromParquet()", "Pass the path or the bytes of a Parquet file.");
    checkParquetOptions(options, "fromParquet()", ["onProgress"]);
    const table = await watched(source, options, (onBytes) => readParquet(source, { ...options, onBytes }));
    return new Frame<Row>(table, sourceOfPath(source));
  }

  /**
   * A Danfo frame, with the names and types of a schema where one is passed.
   *
   * @throws DataError for cells that do not fit
   */
  static fromDanfo<Row extends object = AnyRow>(frame: DanfoFrameShape, options?: FromDanfoOptions): Frame<Row> {
    return new Frame<Row>(tableFromDanfo(frame, options));
  }

  /** The rows of several frames one after the other; buffers are shared. @throws InputError `DifferentColumns` */
  static concat<Row extends object>(frames: readonly Frame<Row>[]): Frame<Row> {
    const tables = tablesGiven(frames, "concat()");
    const sources = new Set(frames.map((frame) => frame.source));
    return new Frame<Row>(concatTables(tables), sources.size === 1 ? frames[0].source : undefined);
  }

  /**
   * Several frames side by side on their dates (or on `on`), keys of any (`outer`), of all (`inner`) or of the first
   * (`left`); a name that several have gets `_1`, `_2`, … or the given suffixes. {@link merge}
   */
  static merge(frames: readonly { readonly table: Table }[], options?: MergeOptions): Frame {
    return new Frame(merge(tablesGiven(frames, "merge()"), options));
  }

  /** Names and service types, in order. */
  get columns(): readonly ColumnSpec[] {
    return columnsOf(this.table.schema);
  }

  /**
   * The names of the columns that identify a row, such as `["ticker", "date"]`: the primary key of a table, the code
   * and date of a database, the date of a dataset, or the `key` option of a reader. Empty where none is known. It is
   * carried in the metadata of the Arrow schema, and kept while its columns are. Series methods take `by` from it.
   */
  get key(): readonly string[] {
    return keyOf(this.table.schema);
  }

  get numRows(): number {
    return this.table.numRows;
  }

  get numColumns(): number {
    return this.table.schema.fields.length;
  }

  /** Bytes of all buffers; what frames share counts in each of them. */
  get nbytes(): number {
    return byteLength(this.table);
  }

  /**
   * A column by its exact name or by position.
   *
   * @throws InputError `UnknownColumn` with the nearest names, `AmbiguousColumn`
   */
  column<K extends Name<Row>>(name: K | number): Column<Row[K]> {
    const at = columnIndex(this.table, name);
    const { name: found, type } = this.columns[at];
    return new Column<Row[K]>(found, type, this.table.getChildAt(at) as Vector);
  }

  /**
   * The rows as objects in order, with members in column order (whole-number names come first: JavaScript sorts them
   * so); a repeated name gets `_2`. Decimals are the nearest number and dates ISO text by default.
   */
  override rows(options?: RowsOptions): Iterable<Row> {
    return rowsOf<Row>(this.table, options);
  }

  /**
   * The named columns in the given order, as arguments or as one array; buffers are shared.
   *
   * @throws InputError `UnknownColumn`
   */
  select<K extends Name<Row>>(...names: readonly K[]): Frame<Pick<Row, K>>;
  select<K extends Name<Row>>(names: readonly K[]): Frame<Pick<Row, K>>;
  select<K extends Name<Row>>(...names: readonly (K | readonly K[])[]): Frame<Pick<Row, K>> {
    const positions = names.flat().map((name) => columnIndex(this.table, name));
    return this.over(pickColumns(this.table, positions));
  }

  /** All columns but the named ones. @throws InputError `UnknownColumn` */
  drop<K extends Name<Row>>(...names: readonly K[]): Frame<Omit<Row, K>>;
  drop<K extends Name<Row>>(names: readonly K[]): Frame<Omit<Row, K>>;
  drop<K extends Name<Row>>(...names: readonly (K | readonly K[])[]): Frame<Omit<Row, K>> {
    const gone = new Set(names.flat().map((name) => columnIndex(this.table, name)));
    return this.over(
      pickColumns(
        this.table,
        this.columns.flatMap((_, i) => (gone.has(i) ? [] : [i])),
      ),
    );
  }

  /**
   * Columns under new names: by old name, or a list with a name for each. Values are shared.
   *
   * @throws InputError `UnknownColumn`
   */
  rename(names: readonly string[]): Frame;
  rename(names: readonly string[]): Frame;
  rename<const Names extends { readonly [K in Name<Row>]?: string }>(names: Names): Frame<Renamed<Row, Names>>;
  rename(names: Readonly<Record<string, string>> | readonly string[]): Frame<never> {
    return this.over(nameColumns(this.table, newNames(this.table, names)));
  }

  /**
   * The frame with columns added at the end, or replaced in place. Values have the type they have (`number` double,
   * `bigint` and whole numbers beside it Integer, text String, `Date` a timestamp) unless `types` names a service type;
   * one text, number, bigint, boolean, `Date` or null fills every row.
   * @throws InputError `DifferentLength`, `MixedTypes`, `BadArgument`
   */
  with<Added extends Record<string, NewColumn<Row>>>(
    columns: Added,
    types: { readonly [K in keyof Added]?: string } = {},
  ): Frame<Extended<Row, Added>> {
    needObject(columns, "with()", "Give columns by name: with({ twice: (row) => 2 * row.close }).");
    const made = Object.entries(columns).map(([name, values]) => newColumn(name, values, ownType(types, name), this));
    return this.over(setColumns(this.table, made));
  }

  /**
   * The rows that pass: `test` sees each row as `rows()` gives it, or a mask holds a truth value for each row.
   * @throws InputError `DifferentLength`
   */
  filter(test: ((row: Row) => unknown) | Mask): Frame<Row> {
    const positions = passing(test, this.rows(), this.numRows);
    return positions.length === this.numRows ? this : this.over(takeRows(this.table, positions));
  }

  /**
   * The rows in order of one or more columns: stable, nulls last in both directions, decimals exactly, text by code
   * point. A key is a name or a pair of a name and a direction; keys are arguments or one list. A list of two whose
   * second is `asc` or `desc` is a pair.
   * @throws InputError `UnknownColumn`, `UnknownValue` for a direction, `AmbiguousSort` where a column is called as the
   *   direction
   */
  sort(...keys: readonly Order<Row>[]): Frame<Row>;
  sort(keys: readonly Order<Row>[]): Frame<Row>;
  sort(...keys: readonly (Order<Row> | readonly Order<Row>[])[]): Frame<Row> {
    return this.over(takeRows(this.table, sortedRows(this.table, sortKeys(this.table, keys))));
  }

  /**
   * The rows at these positions, in this order; a position may repeat, which drops the key.
   *
   * @throws InputError `OutOfRange`
   */
  take(positions: ArrayLike<number>): Frame<Row> {
    return this.over(takenRows(this.table, positions));
  }

  /**
   * The first rows (default 5), all where there are fewer; buffers are shared.
   *
   * @throws InputError `BadArgument` for a number below 0
   */
  head(count = 5): Frame<Row> {
    needCount(count, "head()");
    return this.slice(0, count);
  }

  /**
   * The last rows (default 5), all where there are fewer; buffers are shared.
   *
   * @throws InputError `BadArgument` for a number below 0
   */
  tail(count = 5): Frame<Row> {
    needCount(count, "tail()");
    return this.slice(Math.max(0, this.numRows - count));
  }

  /**
   * Rows `begin` (inclusive) to `end` (exclusive, default all); negative positions count from the end. Buffers are
   * shared.
   */
  slice(begin = 0, end = this.numRows): Frame<Row> {
    return this.over(sliceRows(this.table, begin, end));
  }

  /**
   * Every row with the values of `other` known on its day: backward, forward or nearest, with `by` and a tolerance.
   * {@link asof}
   */
  asof<Other extends object>(other: Frame<Other>, options?: AsofOptions<Name<Row>>): Frame<Row & Partial<Other>> {
    return this.over(asof(this.table, tableGiven(other), options));
  }

  /** Groups of rows by equal values: `.agg({ close: "mean" })`, `.count()`. {@link aggregateBy} */
  groupBy(...names: Names<Row>): Grouped<Frame, Name<Row>> {
    return grouped(this.table, names.flat(), (table) => this.over<AnyRow>(table));
  }

  /** A long table made wide: `{ index: "date", columns: "ticker", values: "close" }`. {@link pivot} */
  pivot(options: PivotOptions<Name<Row>>): Frame {
    return this.over(pivot(this.table, options));
  }

  /** Count, nulls, mean, deviation, extremes and quartiles of the number columns. {@link describe} */
  describe(...names: Names<Row>): Frame {
    return this.over(describe(this.table, names.length > 0 ? names.flat() : undefined));
  }

  /**
   * The correlation of two number columns, null where there is none; or, for a list of names (default: all number
   * columns), the matrix of the correlations of each pair. {@link corr}, {@link corrMatrix}
   * @throws InputError `UnknownColumn`, `WrongType`, `UnknownValue`, `BadArgument` for one name alone
   */
  corr(first: Name<Row>, second: Name<Row>, method?: CorrelationMethod): number | null;
  corr(columns?: readonly Name<Row>[], method?: CorrelationMethod): Frame;
  corr(columns?: Name<Row> | readonly Name<Row>[], second?: string, method?: CorrelationMethod): Frame | number | null {
    if (typeof columns !== "string") return this.over(corrMatrix(this.table, columns, second as CorrelationMethod));
    const hint = 'Name two columns, corr("open", "close"), or a list of columns, corr(["open", "close", "volume"]).';
    needName(second, "The second column of corr()", hint);
    return corr(this.table, columns, second, method);
  }

  /**
   * The answer of a SQL statement over the embedded engine, where `this` is the frame and `tables` are others by name;
   * values bind to `$1`, `$2`, …
   * @throws InputError for SQL that does not run
   */
  async sql<Result extends object = AnyRow>(
    text: string,
    params?: readonly unknown[],
    tables: Readonly<Record<string, Frame<never>>> = {},
  ): Promise<Frame<Result>> {
    const others = Object.entries(tables).map(([name, frame]) => [name, tableGiven(frame)] as const);
    return this.over(await sqlTable(text, params, { ...Object.fromEntries(others), this: this.table }));
  }

  protected override like(table: Table, words: SourceWords = {}): this {
    const source = sourceOfMade(table, this);
    return new Frame<Row>(table, source && { ...source, ...words }) as this;
  }

  private over<Other extends object>(table: Table): Frame<Other> {
    return new Frame<Other>(table, sourceOfMade(table, this));
  }
}

/** The table of a frame, which is sound already, or of whatever {@link adopt} takes. */
const tableGiven = (given: unknown): Table => (given instanceof Frame ? given.table : adopt(given));

function tablesGiven(frames: readonly unknown[], where: string): Table[] {
  needList(frames, where, "Give a list of frames: [first, second].");
  return Array.from(frames, tableGiven);
}

/** The type named for a column; a name that `Object` has too is not a type. */
const ownType = (types: Readonly<Record<string, string | undefined>>, name: string): string | undefined =>
  Object.hasOwn(types, name) ? types[name] : undefined;

showAs<Frame<object>>(Frame.prototype as Frame<object>, {
  bundle: ({ table, source }): Bundle => ({
    "text/html": htmlTable(table, { source }),
    "text/plain": textTable(table, { source }),
  }),
  text: ({ table, source }, width) => textTable(table, { source, width }),
  brief: ({ numRows, numColumns, source }) =>
    `Frame ${numRows} rows × ${numColumns} columns${source === undefined ? "" : ` ${source.code}`}`,
});

letErrorsShow();
