import type { ReadOptions } from "../../columns/arrow/read-options.js";
import type { ServiceType } from "../../spec/columns.js";
import type { Operator } from "../../spec/vocabulary.js";
import { NO_DATE, parseDate } from "../../value/date.js";

/** How the cells of a page were read. */
export type CellReading = Pick<ReadOptions, "decimals" | "onBadCell" | "onPrecisionLoss"> & {
  /** Empty text and null are both null. */
  readonly emptyIsNull: boolean;
};

/** A row filter with a known operator. */
export interface FilterComparison {
  readonly column: string;
  readonly operator: Operator;
  readonly values: readonly string[];
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
      return values.some((value) => holds(operator, timeOf(cell), timeOf(value), isDay(value) ? MS_PER_DAY : 1_000));
    case "double":
      return values.some((value) => mayRound(operator, Number(cell), Number(value), digitsOf(type)));
    case "decimal":
    case "integer":
      if (reading.onPrecisionLoss !== "round") return false;
      return values.some((value) => holds(operator, Number(cell), Number(value), 10 ** -(type.scale ?? 0)));
    case "date":
    case "boolean":
    case "unknown":
      return false;
  }
}

const MS_PER_DAY = 86_400_000;

const isDay = (text: string): boolean => parseDate(text) !== NO_DATE;
const timeOf = (text: string): number => (isDay(text) ? parseDate(text) * MS_PER_DAY : Date.parse(text));

/** Whether a comparison holds if either number may be off by `slack`; true where one is unknown. */
function holds(operator: Operator, a: number, b: number, slack: number): boolean {
  const difference = a - b;
  if (Number.isNaN(difference)) return true;
  switch (operator) {
    case "eq":
      return Math.abs(difference) <= slack;
    case "gt":
      return slack === 0 ? difference > 0 : difference >= -slack;
    case "gte":
      return difference >= -slack;
    case "lt":
      return slack === 0 ? difference < 0 : difference <= slack;
    case "lte":
      return difference <= slack;
  }
}

/** Significant digits that services print of a double, and of a single-precision number. */
function digitsOf({ text }: ServiceType): number {
  return /^\s*float/i.test(text) ? 5 : 13;
}

function mayRound(operator: Operator, a: number, b: number, digits: number): boolean {
  return holds(operator, a, b, Math.max(Math.abs(a), Math.abs(b)) * 10 ** -digits);
}

/** The loosest collation: letter case, accents and surrounding spaces make no difference. */
const COLLATION = new Intl.Collator("en", { sensitivity: "base" });

function mayCompare(operator: Operator, cell: string, value: string): boolean {
  const compared = COLLATION.compare(cell.trim(), value.trim());
  if (operator === "eq") return compared === 0;
  const codes = Buffer.compare(Buffer.from(cell), Buffer.from(value));
  const isNumeric = [cell, value].every((text) => text.trim() !== "" && Number.isFinite(Number(text)));
  const orders = [compared, codes, ...(isNumeric ? [Number(cell) - Number(value)] : [])];
  return orders.some((order) => holds(operator, order, 0, 0));
}
