import { type Data, DataType, type RecordBatch, type Vector } from "../../columns/arrow/arrow.js";
import { chunkReader } from "../../columns/arrow/cell-reader.js";
import { columnTest } from "../../columns/parquet/read/column-test.js";
import { InputError } from "../../errors/errors.js";
import { type ColumnSpec, parseType, type ServiceType } from "../../spec/columns.js";
import type { Filter } from "../../spec/endpoints.js";
import { OPERATORS } from "../../spec/vocabulary.js";
import { NO_DATE, parseDate } from "../../value/date.js";
import { type CellReading, type FilterComparison, mayMeet } from "./may-meet.js";
import { surelyMeets } from "./surely-meets.js";

/** A cell that does not meet a filter. */
export interface UnmetCell {
  /** Number of the row in the page, counted from 0. */
  readonly row: number;
  readonly text: string | null;
}

/**
 * The first row of a page that cannot meet a row filter (spec 4.7), whichever way the service compares; undefined if
 * there is none, or if the value cannot be compared with the column.
 *
 * @param index of the column in the batches
 */
export function unmetFilter(
  filter: Filter,
  column: ColumnSpec,
  batches: readonly RecordBatch[],
  index: number,
  reading: CellReading,
): UnmetCell | undefined {
  const type = parseType(column.type);
  const operator = OPERATORS.find((each) => each === filter.operator);
  if (operator === undefined || type.kind === "unknown") return undefined;
  const comparison = { column: filter.column, operator, values: filter.values };
  let before = 0;
  for (const batch of batches) {
    const data = batch.data.children[index];
    if (!surelyMeets(comparison, type, data)) {
      const meets = strictlyMeets(comparison, type, data, reading);
      if (meets === undefined) return undefined;
      const { text, valid } = chunkReader(data);
      for (let i = meets.indexOf(0); i !== -1; i = meets.indexOf(0, i + 1)) {
        const cell = valid(i) ? text(i) : null;
        if (!mayMeet(comparison, type, cell, reading)) return { row: before + i, text: cell };
      }
    }
    before += batch.numRows;
  }
  return undefined;
}

/**
 * One byte a row: 1 where the cell meets a row filter by its typed value, exactly; undefined if the type cannot be
 * compared with the filter.
 */
export function filterMask(
  { column, operator: given, values }: Filter,
  { type: declared }: ColumnSpec,
  data: Data,
  reading: CellReading,
): Uint8Array | undefined {
  const type = parseType(declared);
  const operator = OPERATORS.find((each) => each === given);
  if (operator === undefined) return undefined;
  const isLookup = operator === "eq" && values.length > FEW && (type.kind === "text" || type.kind === "date");
  return isLookup ? isListed(values, type, data) : strictMask({ column, operator, values }, type, data, reading);
}

/** More values than this are looked up, not compared one by one. */
const FEW = 4;

/** One byte a row: 1 where the typed value meets the filter; undefined if the type cannot be compared with it. */
function strictlyMeets(
  comparison: FilterComparison,
  type: ServiceType,
  data: Data,
  { decimals }: CellReading,
): Uint8Array | undefined {
  const isLookedUp = comparison.values.length > FEW && type.kind !== "datetime" && type.kind !== "boolean";
  return isLookedUp ? isListed(comparison.values, type, data) : strictMask(comparison, type, data, { decimals });
}

function strictMask(
  comparison: FilterComparison,
  type: ServiceType,
  data: Data,
  { decimals }: Pick<CellReading, "decimals">,
): Uint8Array | undefined {
  const values = comparison.values.map((value) => (type.kind === "boolean" ? truthOf(value) : value));
  try {
    const mask = new Uint8Array(data.length).fill(1);
    columnTest({ ...comparison, values }, type.text, decimals === "float64").apply(data, mask);
    return mask;
  } catch (error) {
    if (error instanceof InputError) return undefined;
    throw error;
  }
}

const TRUTHS: Readonly<Record<string, boolean>> = { true: true, "1": true, false: false, "0": false };

/** A boolean, or the text if it is none, which no boolean is compared with. */
const truthOf = (text: string): boolean | string => TRUTHS[text.toLowerCase()] ?? text;

function isListed(values: readonly string[], { kind }: ServiceType, data: Data): Uint8Array | undefined {
  const mask = new Uint8Array(data.length);
  const { valid, text, number } = chunkReader(data);
  if (kind === "text") {
    const listed = new Set(values);
    if (!DataType.isDictionary(data.type)) {
      for (let i = 0; i < mask.length; i++) mask[i] = Number(valid(i) && listed.has(text(i)));
      return mask;
    }
    const codes = data.values as Int32Array;
    const known = new Int8Array((data.dictionary as Vector).length).fill(-1);
    for (let i = 0; i < mask.length; i++) {
      if (!valid(i)) continue;
      if (known[codes[i]] < 0) known[codes[i]] = Number(listed.has(text(i)));
      mask[i] = known[codes[i]];
    }
    return mask;
  }
  const numbers = values.map((value) => (kind === "date" ? timeOf(value) : Number(value)));
  if (number === undefined || numbers.some(Number.isNaN)) return undefined;
  // The nearest doubles: equal for equal values, and for different ones beyond 2^53 at times.
  const listed = new Set(numbers);
  for (let i = 0; i < mask.length; i++) mask[i] = Number(valid(i) && listed.has(number(i)));
  return mask;
}

function timeOf(text: string): number {
  const day = parseDate(text);
  return day === NO_DATE ? Number.NaN : day * 86_400_000;
}
