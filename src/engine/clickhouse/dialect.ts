import type { ServiceType, TypeKind } from "../../spec/columns.js";
import type { Collapse } from "../../spec/vocabulary.js";
import { parseDate } from "../../value/date.js";
import { readTimestamp } from "../../value/timestamp.js";
import type { Comparison, Condition, Dialect } from "../contract/dialect.js";
import { foreignTable } from "./foreign-table.js";
import { quoteName } from "./statement.js";
import { FIRST_DAY, LAST_DAY } from "./types.js";

const DAY_MS = 86_400_000;

/** The SQL of the embedded service on ClickHouse. */
export const clickhouseDialect: Dialect = {
  quoteName,
  isShared: true,
  prepare: [],
  sortedBy: (columns) => ({ orderBy: columns }),
  rowNumber: { column: "r", isLoaded: true, order: " ORDER BY r" },
  compare: (column, comparison, type, value) => COMPARED[type.kind].compare(column, comparison, value, type),
  oneOf,
  foreignTable,
  collapsed,
};

/** How columns of a kind are compared: by integers where ClickHouse reads text inexactly, or clamps it. */
interface ComparedKind {
  compare(column: string, comparison: Comparison, value: string, type: ServiceType): Condition;
  /** The list of values that is bound as one, as SQL and as values; absent where a comparison for each is better. */
  list?(values: readonly string[], type: ServiceType): readonly [sql: string, values: readonly unknown[]];
}

const TEXT: ComparedKind = {
  compare: (column, comparison, value) => ({ sql: `${column} ${comparison} ?`, value }),
  list: (values) => ["?", values],
};

const COMPARED: Readonly<Record<TypeKind, ComparedKind>> = {
  text: TEXT,
  unknown: TEXT,
  date: {
    compare: (column, comparison, value) =>
      outside(column, comparison, parseDate(value)) ?? { sql: `${column} ${comparison} toDate32(?)`, value },
    list: (values) => ["CAST(? AS Array(Date32))", values.filter((value) => isStored(parseDate(value)))],
  },
  datetime: {
    compare(column, comparison, value) {
      const ms = milliseconds(value);
      const sql = `${column} ${comparison} fromUnixTimestamp64Milli(?, 'UTC')`;
      return outside(column, comparison, dayOf(ms)) ?? { sql, value: BigInt(ms) };
    },
    list: (values) => [
      "arrayMap(x -> fromUnixTimestamp64Milli(x, 'UTC'), ?)",
      values
        .map(milliseconds)
        .filter((ms) => isStored(dayOf(ms)))
        .map(BigInt),
    ],
  },
  decimal: {
    compare: (column, comparison, value, type) => ({
      sql: `${column} ${comparison} CAST(? AS Decimal(${type.precision}, ${type.scale}))`,
      value,
    }),
    list: (values, type) => [`CAST(? AS Array(Decimal(${type.precision}, ${type.scale})))`, values],
  },
  integer: {
    compare: (column, comparison, value) => ({ sql: `${column} ${comparison} CAST(? AS Int128)`, value }),
    list: (values) => ["?", values.map(BigInt).filter((value) => BigInt.asIntN(64, value) === value)],
  },
  double: {
    compare(column, comparison, value) {
      // Several comparisons by = become a lookup by bits, which differ for 0 and -0.
      if (comparison === "=" && Number(value) === 0) return { sql: `(${column} >= 0 AND ${column} <= 0)` };
      const compared = `${column} ${comparison} reinterpretAsFloat64(?)`;
      // NaN is the largest number, as in other engines.
      const sql = comparison.startsWith(">") ? `(${compared} OR isNaN(${column}))` : compared;
      return { sql, value: bitsOf([Number(value)])[0] };
    },
    // A lookup by bits: 0 and -0 differ.
    list: (values) => [
      "arrayMap(x -> reinterpretAsFloat64(x), ?)",
      bitsOf(values.map(Number).flatMap((value) => (value === 0 ? [0, -0] : [value]))),
    ],
  },
  boolean: { compare: (column, comparison, value) => ({ sql: `${column} ${comparison} ${value}` }) },
};

function oneOf(column: string, type: ServiceType, values: readonly string[]): Condition | undefined {
  const list = COMPARED[type.kind].list?.(values, type);
  if (list === undefined) return undefined;
  const [sql, value] = list;
  return value.length === 0 ? { sql: "false" } : { sql: `${column} IN ${sql}`, value };
}

const bitsOf = (doubles: readonly number[]): bigint[] => [...new BigInt64Array(Float64Array.from(doubles).buffer)];

const dayOf = (ms: number): number => Math.floor(ms / DAY_MS);

/** The milliseconds of a timestamp as filters spell it. */
function milliseconds(value: string): number {
  const bytes = new TextEncoder().encode(`${value}Z`);
  return readTimestamp(bytes, 0, bytes.length);
}

const isStored = (day: number): boolean => day >= FIRST_DAY && day <= LAST_DAY;

/** The comparison with a date that no column can hold; undefined for others. */
function outside(column: string, comparison: Comparison, day: number): Condition | undefined {
  if (isStored(day)) return undefined;
  const holds = comparison.startsWith(day < FIRST_DAY ? ">" : "<");
  return { sql: holds ? `${column} IS NOT NULL` : "false" };
}

/**
 * The calendar end of the period that contains a day. Functions such as `toLastDayOfMonth` return dates that begin in
 * 1970, and ClickHouse adds days beyond its last one without an error.
 */
const PERIOD_ENDS: Readonly<Record<Exclude<Collapse, "none">, (weekEnd: number) => string>> = {
  daily: () => "d",
  weekly(weekEnd) {
    const days = `(${weekEnd} - toDayOfWeek(d) % 7 + 7) % 7`;
    const isOutside = `toInt32(d) + ${days} > ${LAST_DAY}`;
    return `addDays(d, ${days} + throwIf(${isOutside}, 'A week ends after 2299-12-31, the last day of ClickHouse'))`;
  },
  monthly: () => `makeDate32(toYear(d), toMonth(d), ${DAYS_OF_MONTH})`,
  quarterly: () => "makeDate32(toYear(d), toQuarter(d) * 3, if(toQuarter(d) IN (1, 4), 31, 30))",
  annual: () => "makeDate32(toYear(d), 12, 31)",
};

const IS_LEAP = "(toYear(d) % 4 = 0 AND toYear(d) % 100 != 0 OR toYear(d) % 400 = 0)";
const DAYS_OF_MONTH = `multiIf(toMonth(d) = 2, 28 + ${IS_LEAP}, toMonth(d) IN (4, 6, 9, 11), 30, 31)`;

/** A collapsed series; see `Dialect`. Names are not used twice: an alias holds in its whole SELECT. */
function collapsed(
  rows: string,
  values: readonly string[],
  collapse: Exclude<Collapse, "none">,
  weekEnd: number,
): string {
  const last = values.map((v) => `, argMax(${v}, d) AS ${v}_last`).join("");
  const where = values.length === 1 ? ` WHERE ${values[0]}_last IS NOT NULL` : "";
  const grouped = `SELECT ${PERIOD_ENDS[collapse](weekEnd)} AS e${last} FROM (${rows}) GROUP BY e`;
  return `SELECT e AS d${values.map((v) => `, ${v}_last AS ${v}`).join("")} FROM (${grouped})${where}`;
}
