import type { DataType, RecordBatch } from "../../columns/arrow/arrow.js";
import { chunkReader } from "../../columns/arrow/cell-reader.js";
import type { ReadOptions } from "../../columns/arrow/read-options.js";
import { isValid, presentOf } from "../../columns/compute/chunks.js";
import { accepts, ORDERS, type Predicate, predicateOf } from "../../columns/predicate/predicate.js";
import { InputError } from "../../errors/errors.js";
import { compareBytes, utf8Bytes } from "../../platform/node/bytes.js";
import { type ColumnSpec, parseType, type ServiceType } from "../../spec/columns.js";
import type { Filter } from "../../spec/endpoints.js";
import { OPERATORS, type Operator } from "../../spec/vocabulary.js";
import { NO_DATE, parseDate } from "../../value/date.js";

export type CellReading = Pick<ReadOptions, "decimals" | "onBadCell" | "onPrecisionLoss"> & {
  /** Empty text and null are both null. */
  readonly emptyIsNull: boolean;
};

/** A row filter with a known operator. */
export type FilterComparison = Filter & { readonly operator: Operator };

const isKnown = (filter: Filter): filter is FilterComparison => OPERATORS.some((each) => each === filter.operator);

const TRUTHS: Readonly<Record<string, boolean>> = { true: true, "1": true, false: false, "0": false };

/**
 * A row filter (spec 4.7) as a predicate on a column; undefined if its operator is unknown, or the values cannot be
 * compared with the column.
 *
 * @param declared the service type of the column
 */
export function filterPredicate(filter: Filter, declared: string, type: DataType): Predicate | undefined {
  if (!isKnown(filter)) return undefined;
  const { column, operator, values } = filter;
  const isTruth = parseType(declared).kind === "boolean";
  const constants = values.map((value) => (isTruth ? (TRUTHS[value.toLowerCase()] ?? value) : value));
  try {
    return predicateOf(type, operator, constants, { column, method: "where()" });
  } catch (error) {
    if (error instanceof InputError) return undefined;
    throw error;
  }
}

/**
 * The first row that cannot meet a row filter (spec 4.7), whichever way the service compares; undefined if there is
 * none, or if the values cannot be compared with the column. Rows are counted from 0.
 *
 * @param index of the column in the batches
 */
export function unmetFilter(
  filter: Filter,
  column: ColumnSpec,
  batches: readonly RecordBatch[],
  index: number,
  reading: CellReading,
): { readonly row: number; readonly text: string | null } | undefined {
  const type = parseType(column.type);
  if (batches.length === 0 || !isKnown(filter) || type.kind === "unknown") return undefined;
  const predicate = filterPredicate(filter, column.type, batches[0].schema.fields[index].type);
  if (predicate === undefined) return undefined;
  let before = 0;
  for (const { data, numRows } of batches) {
    const cells = data.children[index];
    const marks = predicate.marks(cells, presentOf(cells));
    const { text, valid } = chunkReader(cells);
    for (let i = 0; i < numRows; i++) {
      if (isValid(marks, i)) continue;
      const cell = valid(i) ? text(i) : null;
      if (!mayMeet(filter, type, cell, reading)) return { row: before + i, text: cell };
    }
    before += numRows;
  }
  return undefined;
}

/**
 * Whether a service may count a cell as meeting a filter that its value does not meet exactly: services compare text by
 * collations, timestamps in time zones of their own, and numbers before they round them for a reply.
 *
 * @param cell as text; null for a cell without a value
 */
export function mayMeet(
  { operator, values }: FilterComparison,
  type: ServiceType,
  cell: string | null,
  reading: CellReading,
): boolean {
  if (cell === null) {
    // Null meets no filter (spec 4.7), but not every null was one in the service.
    if (reading.onBadCell === "null") return true;
    return type.kind === "text" && reading.emptyIsNull && values.some((value) => mayCompare(operator, "", value));
  }
  switch (type.kind) {
    case "text":
      return values.some((value) => mayCompare(operator, cell, value));
    case "datetime":
      return values.some((value) => isNear(operator, timeOf(cell), timeOf(value), isDay(value) ? MS_PER_DAY : 1_000));
    case "double": {
      // Significant digits that services print of a double, and of a single-precision number.
      const share = /^\s*float/i.test(type.text) ? 1e-5 : 1e-13;
      const slack = (value: string): number => Math.max(Math.abs(Number(cell)), Math.abs(Number(value))) * share;
      return values.some((value) => isNear(operator, Number(cell), Number(value), slack(value)));
    }
    case "decimal":
    case "integer":
      if (reading.onPrecisionLoss !== "round") return false;
      return values.some((value) => isNear(operator, Number(cell), Number(value), 10 ** -(type.scale ?? 0)));
    // A service may compare dates with the day of a timestamp.
    case "date":
      return !values.every(isDay);
    case "boolean":
    case "unknown":
      return false;
  }
}

const MS_PER_DAY = 86_400_000;

const isDay = (text: string): boolean => parseDate(text) !== NO_DATE;
const timeOf = (text: string): number => (isDay(text) ? parseDate(text) * MS_PER_DAY : Date.parse(text));

/** Whether a comparison holds if either number may be off by `slack`; true where one is unknown. */
function isNear(operator: Operator, a: number, b: number, slack: number): boolean {
  const difference = a - b;
  if (Number.isNaN(difference)) return true;
  return accepts(ORDERS[operator], difference) || (Math.abs(difference) <= slack && slack > 0);
}

/**
 * The loosest collation: letter case, accents and surrounding spaces make no difference. Made on first use, for loading
 * the rules of a language takes as long as a tenth of the package.
 */
let collation: Intl.Collator | undefined;

function mayCompare(operator: Operator, cell: string, value: string): boolean {
  collation ??= new Intl.Collator("en", { sensitivity: "base" });
  const compared = collation.compare(cell.trim(), value.trim());
  if (operator === "eq") return compared === 0;
  const codes = compareBytes(utf8Bytes(cell), utf8Bytes(value));
  const isNumeric = [cell, value].every((text) => text.trim() !== "" && Number.isFinite(Number(text)));
  const orders = [compared, codes, ...(isNumeric ? [Number(cell) - Number(value)] : [])];
  return orders.some((order) => accepts(ORDERS[operator], order));
}
