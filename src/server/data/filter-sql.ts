import type { Comparison, Condition, Dialect } from "../../engine/contract/dialect.js";
import { suggestion } from "../../errors/nearest.js";
import { shownText } from "../../errors/shown.js";
import { type ColumnSpec, parseType, type ServiceType } from "../../spec/columns.js";
import type { Filter } from "../../spec/endpoints.js";
import { hasExtension, type Profile } from "../../spec/profile.js";
import { dayPart } from "../../value/date.js";
import type { TableEntry } from "./catalog.js";
import { type Digits, filterValue } from "./filter-value.js";
import { type Refused, refused } from "./refused.js";

/** The condition of no filters. */
export const ALL_ROWS = "true";

/** A SQL condition with its bound values in order. */
export interface Where {
  /** {@link ALL_ROWS} where nothing is asked. */
  readonly sql: string;
  readonly params: readonly unknown[];
  /** Whether the rows may come in another order than that of their numbers. */
  readonly isUnordered: boolean;
}

/** The engine's column name for column number `index` of a table. */
export const engineColumn = (index: number): string => `c${index}`;

const COMPARE: Readonly<Record<string, Comparison>> = { eq: "=", gt: ">", gte: ">=", lt: "<", lte: "<=" };

/** Converts row filters (spec 4.7) to SQL: values are bound and compared as the column's type. */
export function filterSql(table: TableEntry, filters: readonly Filter[], profile: Profile, dialect: Dialect): Where {
  const conditions: string[] = [];
  const params: unknown[] = [];
  let isUnordered = false;
  for (const filter of filters) {
    const index = filterColumn(table, filter, profile);
    const type = parseType(table.columns[index].type);
    const isDay = type.kind === "date" && hasExtension(profile, "dateTimes");
    const bind = ({ sql, value, isUnordered: isAny = false }: Condition): string => {
      if (value !== undefined) params.push(value);
      isUnordered ||= isAny;
      return sql.replaceAll("?", () => `$${params.length}`);
    };
    const asked = [...new Set(filter.values.map((given) => (isDay ? dayPart(given) : given)))].map((text): Asked => {
      const wrong = (what: string): Refused =>
        refused(profile, "QESx04", `${shownText(text)} is not a valid ${what} for column ${filter.column}.`);
      return { column: engineColumn(index), operator: filter.operator, text, type, wrong };
    });
    const list = filter.operator === "eq" && asked.length > 1 ? oneOf(asked, dialect) : undefined;
    conditions.push(
      list === undefined ? `(${asked.map((each) => bind(condition(each, dialect))).join(" OR ")})` : bind(list),
    );
  }
  return { sql: conditions.length === 0 ? ALL_ROWS : conditions.join(" AND "), params, isUnordered };
}

/** The end of a SELECT with a condition whose rows are to come in the order of their numbers. */
export function rowOrder({ isUnordered }: Where, { rowNumber }: Dialect): string {
  return isUnordered ? ` ORDER BY ${rowNumber.column}` : rowNumber.order;
}

function filterColumn(table: TableEntry, filter: Filter, profile: Profile): number {
  const { column, operator, values } = filter;
  const names = table.columns.map((each) => each.name);
  const index = names.indexOf(column);
  if (index < 0) {
    const dot = column.lastIndexOf(".");
    if (dot > 0 && names.includes(column.slice(0, dot))) throw unknownOperator(profile, column.slice(dot + 1));
    throw unknownColumn(profile, column, table.columns);
  }
  if (!table.filters.includes(column)) {
    const known = table.filters.length === 0 ? "This table has none." : `The filters are ${table.filters.join(", ")}.`;
    throw refused(profile, "QESx08", `You cannot use ${column} column as a filter. ${known}`);
  }
  if (!Object.hasOwn(COMPARE, operator)) throw unknownOperator(profile, operator);
  if (values.length === 0 || values.includes("")) {
    throw refused(profile, "QESx02", `You are missing a value after operator '${operator}' of column ${column}.`);
  }
  return index;
}

function unknownOperator(profile: Profile, operator: string): Refused {
  return refused(
    profile,
    "QESx07",
    `The operator ${shownText(operator)} is not supported; use =, .gte, .lte, .gt or .lt.`,
  );
}

/** The error for a column that a table does not have. */
export function unknownColumn(profile: Profile, name: string, columns: readonly ColumnSpec[]): Refused {
  const names = columns.map((each) => each.name);
  const known = suggestion(name, names, "columns");
  return refused(profile, "QESx04", `There is no column ${shownText(name)}. ${known}`);
}

/** One comparison of a filter. */
interface Asked {
  readonly column: string;
  readonly operator: string;
  readonly text: string;
  readonly type: ServiceType;
  /** The error for text that is not of the type. */
  readonly wrong: (what: string) => Refused;
}

/** The condition of several values of one column. */
function oneOf(asked: readonly Asked[], dialect: Dialect): Condition | undefined {
  const [{ column, type }] = asked;
  const values = asked.map(bound).filter((value) => typeof value === "string");
  return values.length === 0 ? { sql: "false" } : dialect.oneOf(column, type, values);
}

function condition(asked: Asked, dialect: Dialect): Condition {
  const { column, operator, type } = asked;
  const value = bound(asked);
  if (typeof value === "string") return dialect.compare(column, COMPARE[operator], type, value);
  return { sql: value ? `${column} IS NOT NULL` : "false" };
}

/** The value to compare with; true or false if the comparison holds for all cells or none. */
function bound(asked: Asked): string | boolean {
  const value = filterValue(asked.type);
  if ("precision" in value) return decimalBound(asked, value);
  const read = value.read(asked.text);
  if (read === undefined) throw asked.wrong(value.expects);
  return read;
}

/**
 * A number at the scale of its decimal column, without rounding: a value with more digits equals no cell, and is
 * between two of them for a range.
 */
function decimalBound({ operator, text, wrong }: Asked, { precision, scale }: Digits): string | boolean {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?$/.exec(text);
  if (match === null || `${match[2]}${match[3] ?? ""}` === "") throw wrong(scale === 0 ? "whole number" : "number");
  const [, sign, whole, fraction = ""] = match;
  const kept = BigInt(`${whole}${fraction.slice(0, scale).padEnd(scale, "0")}` || "0");
  const exact = /^0*$/.test(fraction.slice(scale));
  const negative = sign === "-";
  const floor = negative ? -kept - (exact ? 0n : 1n) : kept;
  const ceiling = exact ? floor : floor + 1n;
  if (operator === "eq" && !exact) return false;
  const edge = operator === "gte" || operator === "lt" ? ceiling : floor;
  const limit = 10n ** BigInt(precision);
  const above = edge >= limit;
  if (above || edge <= -limit) return operator !== "eq" && operator.startsWith("l") === above;
  const digits = (edge < 0n ? -edge : edge).toString().padStart(scale + 1, "0");
  const cut = digits.length - scale;
  return `${edge < 0n ? "-" : ""}${digits.slice(0, cut)}${scale > 0 ? `.${digits.slice(cut)}` : ""}`;
}
