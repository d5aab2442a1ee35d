import { type Data, DataType, type Table } from "../../columns/arrow/arrow.js";
import { chunkReader } from "../../columns/arrow/cell-reader.js";
import { distinctNames, namesOf } from "../../columns/arrow/column-names.js";
import { checkWords, refuseUnknown } from "../../errors/options.js";

/** One cell as `rows()` gives it. */
export type Cell = string | number | bigint | boolean | Date | null;

/** How `rows()` shows decimals and dates; the first value of each is the default. */
export interface RowsOptions {
  /**
   * `number`: the nearest double. `string`: exact, with all its fraction digits. `bigint`: the unscaled whole number,
   * exact.
   */
  readonly decimals?: "number" | "string" | "bigint";
  /** `iso`: `2024-02-29`, or `2024-02-29T13:00:00Z` for timestamps. `date`: a `Date` (midnight UTC for days). */
  readonly dates?: "iso" | "date";
}

/** The rows as plain objects in order, each made when it is asked for; can be walked again. */
export function rowsOf<Row>(table: Table, options: RowsOptions = {}): Iterable<Row> {
  checkRowsOptions(options, "rows()");
  return { [Symbol.iterator]: () => walk<Row>(table, options) };
}

/** @throws {InputError} for an unknown option or option value */
export function checkRowsOptions(options: RowsOptions, where: string): void {
  refuseUnknown(options, ["decimals", "dates"], where);
  checkWords(options, { decimals: ["number", "string", "bigint"], dates: ["iso", "date"] });
}

function* walk<Row>(table: Table, options: RowsOptions): Generator<Row> {
  const keys = distinctNames(namesOf(table));
  const hostile = keys.indexOf("__proto__");
  for (const batch of table.batches) {
    const readers = batch.data.children.map((data) => cellReader(data, options));
    for (let i = 0; i < batch.numRows; i++) {
      const row: Record<string, Cell> = {};
      for (let c = 0; c < keys.length; c++) {
        if (c === hostile) setOwn(row, readers[c](i));
        else row[keys[c]] = readers[c](i);
      }
      yield row as Row;
    }
  }
}

/** An own member called `__proto__`: a plain assignment would set the prototype. */
function setOwn(object: object, value: Cell): void {
  Object.defineProperty(object, "__proto__", { value, enumerable: true, configurable: true, writable: true });
}

/** Reads the cells of one chunk by row, as `rows()` gives them. */
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
