import { type Data, DataType, type Table } from "../../columns/arrow/arrow.js";
import { chunkReader } from "../../columns/arrow/cell-reader.js";
import { distinctNames, namesOf } from "../../columns/arrow/column-names.js";
import { placesOf } from "../../columns/table/take-places.js";
import { checkWords, refuseUnknown } from "../../errors/options.js";

/** A cell as `rows()` returns it. */
export type Cell = string | number | bigint | boolean | Date | null;

/** How `rows()` represents decimals and dates; the first value of each is the default. */
export interface RowsOptions {
  /** `number`: the nearest double. `string`: exact, with all fraction digits. `bigint`: the unscaled integer, exact. */
  readonly decimals?: "number" | "string" | "bigint";
  /** `iso`: `2024-02-29`, or `2024-02-29T13:00:00Z` for timestamps. `date`: a `Date` (midnight UTC for dates). */
  readonly dates?: "iso" | "date";
}

/**
 * The rows as plain objects, all in order or those with these numbers; each is created when it is requested. Can be
 * iterated repeatedly.
 */
export function rowsOf<Row>(table: Table, options: RowsOptions = {}, rows?: Int32Array): Iterable<Row> {
  checkRowsOptions(options, "rows()");
  return {
    [Symbol.iterator]: () => (rows === undefined ? walk<Row>(table, options) : pick<Row>(table, options, rows)),
  };
}

/** @throws {InputError} UnknownOption, UnknownValue */
export function checkRowsOptions(options: RowsOptions, where: string): void {
  refuseUnknown(options, ["decimals", "dates"], where);
  checkWords(options, { decimals: ["number", "string", "bigint"], dates: ["iso", "date"] });
}

type Read = (row: number) => Cell;

function* walk<Row>(table: Table, options: RowsOptions): Generator<Row> {
  const make = rowMaker<Row>(table);
  for (const batch of table.batches) {
    const readers = batch.data.children.map((data) => cellReader(data, options));
    for (let i = 0; i < batch.numRows; i++) yield make(readers, i);
  }
}

function* pick<Row>(table: Table, options: RowsOptions, rows: Int32Array): Generator<Row> {
  const make = rowMaker<Row>(table);
  const readers: (readonly Read[])[] = [];
  const { row, chunk } = placesOf(
    table.batches.map(({ numRows }) => numRows),
    rows,
  );
  for (let i = 0; i < row.length; i++) {
    const b = chunk === undefined ? 0 : chunk[i];
    readers[b] ??= table.batches[b].data.children.map((data) => cellReader(data, options));
    yield make(readers[b], row[i]);
  }
}

function rowMaker<Row>(table: Table): (readers: readonly Read[], i: number) => Row {
  const keys = distinctNames(namesOf(table));
  const hostile = keys.indexOf("__proto__");
  return (readers, i) => {
    const row: Record<string, Cell> = {};
    for (let c = 0; c < keys.length; c++) {
      if (c === hostile) setOwn(row, readers[c](i));
      else row[keys[c]] = readers[c](i);
    }
    return row as Row;
  };
}

/** Defines an own member called `__proto__`: an assignment would set the prototype. */
function setOwn(object: object, value: Cell): void {
  Object.defineProperty(object, "__proto__", { value, enumerable: true, configurable: true, writable: true });
}

/** Reads the cells of one chunk by row, as `rows()` returns them. */
export function cellReader(data: Data, options: RowsOptions = {}): (row: number) => Cell {
  const { valid } = chunkReader(data);
  const read = valueReader(data, options);
  return data.nullCount === 0 && !DataType.isNull(data.type) ? read : (row) => (valid(row) ? read(row) : null);
}

function valueReader(data: Data, { decimals = "number", dates = "iso" }: RowsOptions): (row: number) => Cell {
  const { value, text, integer, time } = chunkReader(data);
  if (DataType.isDecimal(data.type)) {
    if (decimals === "string") return text;
    return decimals === "bigint" && integer !== undefined ? integer : value;
  }
  return dates === "date" && time !== undefined ? (row) => new Date(time(row)) : value;
}
