import { columnTypeOf } from "../../columns/arrow/types.js";
import { accepts, ORDERS, unitTest } from "../../columns/predicate/predicate.js";
import type { Comparison, Condition, Dialect } from "../../engine/contract/dialect.js";
import type { ForeignColumn } from "../../engine/contract/foreign-table.js";
import { suggestion } from "../../errors/nearest.js";
import { shownText } from "../../errors/shown.js";
import { type ColumnSpec, parseType, type ServiceType, type TypeKind } from "../../spec/columns.js";
import type { Filter } from "../../spec/endpoints.js";
import { hasExtension, type Profile } from "../../spec/profile.js";
import { OPERATORS, type Operator } from "../../spec/vocabulary.js";
import { dayPart, NO_DATE, parseDate } from "../../value/date.js";
import { unscaledText } from "../../value/decimal.js";
import { formatTimestamp, readTimestamp } from "../../value/timestamp.js";
import type { TableEntry } from "./catalog.js";
import { type Refused, refused } from "./refused.js";

export const ALL_ROWS = "true";

/** A SQL condition with its bound values in order. */
export type Where = ReturnType<typeof filterSql>;

export const engineColumn = (index: number): string => `c${index}`;

/**
 * Converts row filters (spec 4.7) to SQL: values are bound and compared as the column's type.
 *
 * @param compared how a column is compared; default: as its type, under its name in the engine
 */
export function filterSql(
  table: TableEntry,
  filters: readonly Filter[],
  profile: Profile,
  dialect: Dialect,
  compared?: (index: number) => ForeignColumn["compared"],
) {
  const conditions: string[] = [];
  const params: unknown[] = [];
  /** Whether the rows may come in another order than that of their numbers. */
  let isUnordered = false;
  for (const filter of filters) {
    const index = filterColumn(table, filter, profile);
    const type = parseType(table.columns[index].type);
    const { sql: column = engineColumn(index), type: stored = type.text } = compared?.(index) ?? {};
    const as = { column, storedType: parseType(stored) };
    const isDay = type.kind === "date" && hasExtension(profile, "dateTimes");
    const bind = ({ sql, value, isUnordered: isAny = false }: Condition): string => {
      if (value !== undefined) params.push(value);
      isUnordered ||= isAny;
      return sql.replaceAll("?", () => `$${params.length}`);
    };
    const asked = [...new Set(filter.values.map((given) => (isDay ? dayPart(given) : given)))].map((text): Asked => {
      const wrong = (what: string): Refused =>
        refused(profile, "QESx04", `${shownText(text)} is not a valid ${what} for column ${filter.column}.`);
      return { ...as, operator: filter.operator as Operator, text, type, wrong };
    });
    const isList = filter.operator === "eq" && asked.length > 1 && as.storedType.kind === type.kind;
    const list = isList ? oneOf(asked, dialect) : undefined;
    const any = (): string => `(${asked.map((each) => bind(condition(each, dialect))).join(" OR ")})`;
    conditions.push(list === undefined ? any() : bind(list));
  }
  /** {@link ALL_ROWS} where nothing is asked. */
  const sql = conditions.length === 0 ? ALL_ROWS : conditions.join(" AND ");
  return { sql, params, isUnordered };
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
  if (!OPERATORS.some((known) => known === operator)) throw unknownOperator(profile, operator);
  if (values.length === 0 || values.includes("")) {
    throw refused(profile, "QESx02", `You are missing a value after operator '${operator}' of column ${column}.`);
  }
  return index;
}

function unknownOperator(profile: Profile, operator: string): Refused {
  const known = "use =, .gte, .lte, .gt or .lt";
  return refused(profile, "QESx07", `The operator ${shownText(operator)} is not supported; ${known}.`);
}

export function unknownColumn(profile: Profile, name: string, columns: readonly ColumnSpec[]): Refused {
  const names = columns.map((each) => each.name);
  const known = suggestion(name, names, "columns");
  return refused(profile, "QESx04", `There is no column ${shownText(name)}. ${known}`);
}

interface Asked {
  readonly column: string;
  readonly operator: Operator;
  readonly text: string;
  readonly type: ServiceType;
  /** The type as which the engine compares the column. */
  readonly storedType: ServiceType;
  readonly wrong: (what: string) => Refused;
}

function oneOf(asked: readonly Asked[], dialect: Dialect): Condition | undefined {
  const [{ column, type }] = asked;
  const values = asked.map(bound).flatMap((found) => (typeof found === "boolean" ? [] : [found.value]));
  return values.length === 0 ? { sql: "false" } : dialect.oneOf(column, type, values);
}

function condition(asked: Asked, dialect: Dialect): Condition {
  const { column, storedType } = asked;
  const found = bound(asked);
  if (typeof found !== "boolean") return dialect.compare(column, found.sign, storedType, found.value);
  return { sql: found ? `${column} IS NOT NULL` : "false" };
}

/** Whether text is a value of a type, and the syntax that is expected, for messages. */
interface Spelling {
  readonly isValid: (text: string) => boolean;
  readonly expects: string;
}

const TEXT: Spelling = { isValid: () => true, expects: "text" };
const DIGITS = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/;
const DOUBLE = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

const SPELLINGS: Readonly<Record<TypeKind, Spelling>> = {
  text: TEXT,
  unknown: TEXT,
  date: { isValid: (text) => parseDate(text) !== NO_DATE, expects: "date YYYY-MM-DD" },
  datetime: { isValid: isTimestamp, expects: "timestamp such as 2025-01-02T06:00:00Z" },
  decimal: { isValid: (text) => DIGITS.test(text), expects: "number" },
  integer: { isValid: (text) => DIGITS.test(text), expects: "whole number" },
  double: { isValid: (text) => DOUBLE.test(text) && Number.isFinite(Number(text)), expects: "number" },
  boolean: { isValid: (text) => text === "true" || text === "false", expects: "value (true or false)" },
};

function isTimestamp(text: string): boolean {
  if (parseDate(text) !== NO_DATE) return true;
  const bytes = new TextEncoder().encode(text);
  return Number.isFinite(readTimestamp(bytes, 0, bytes.length));
}

const SIGNS: Readonly<Record<number, Comparison>> = { 1: "<", 2: "=", 3: "<=", 4: ">", 6: ">=" };

const INTEGER_DIGITS = 19;

/**
 * The comparison in the units of its column, as a predicate makes it of the constant; true or false if it holds for
 * all cells or none.
 */
function bound({
  column,
  operator,
  text,
  type,
  wrong,
}: Asked): { readonly sign: Comparison; readonly value: string } | boolean {
  const { kind, precision = 0, scale = 0 } = type;
  const { isValid, expects } = SPELLINGS[kind];
  if (!isValid(text)) throw wrong(kind === "decimal" && scale === 0 ? SPELLINGS.integer.expects : expects);
  const place = { column, method: operator };
  const test = kind === "date" ? undefined : unitTest(columnTypeOf(type).arrow(type, {}), operator, text, place);
  if (test === undefined) {
    return { sign: SIGNS[ORDERS[operator]], value: kind === "double" ? String(Number(text)) : text };
  }
  const { orders, units } = test;
  if (orders === 0) return false;
  if (kind === "datetime") return { sign: SIGNS[orders], value: formatTimestamp(Number(units)).slice(0, -1) };
  const limit = 10n ** BigInt(kind === "integer" ? INTEGER_DIGITS : precision);
  if (units >= limit || units <= -limit) return accepts(orders, units > 0n ? -1 : 1);
  return { sign: SIGNS[orders], value: unscaledText(units.toString(), scale) };
}
