import { type Collapse, type Transform, transformType } from "../../spec/vocabulary.js";
import { LAST_DAY } from "./types.js";

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
export function collapsed(
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

interface Calculation {
  /** What the formula needs of other rows: `p`. */
  readonly window: (v: string) => string;
  /** The result as an expression of a value `v` and its `p`. */
  readonly formula: (v: string, p: string) => string;
}

const ALL = "(ORDER BY d ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)";
const UNTIL_NOW = "(ORDER BY d ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)";

const CALCULATIONS: Readonly<Record<Exclude<Transform, "none">, Calculation>> = {
  diff: { window: (v) => `lagInFrame(${v}) OVER ${ALL} AS ${v}p`, formula: (v, p) => `${v} - ${p}` },
  rdiff: {
    window: (v) => `lagInFrame(${v}) OVER ${ALL} AS ${v}p`,
    formula: (v, p) => `CASE WHEN ${p} != 0 THEN (${v} - ${p}) / ${p} END`,
  },
  rdiff_from: {
    window: (v) => `argMax(${v}, d) OVER ${ALL} AS ${v}p, max(if(${v} IS NULL, NULL, d)) OVER ${ALL} AS ${v}d`,
    formula: (v, p) => `CASE WHEN d = ${v}d THEN 0 WHEN ${v} != 0 THEN (${p} - ${v}) / ${v} END`,
  },
  // The running sum adds one row after the other.
  cumul: { window: (v) => `sum(${v}) OVER ${UNTIL_NOW} AS ${v}p`, formula: (_, p) => p },
  normalize: {
    window: (v) => `argMin(if(${v} != 0, ${v}, NULL), d) OVER ${ALL} AS ${v}p`,
    formula: (v, p) => `CASE WHEN ${v} = 0 THEN 0 ELSE ${v} / ${p} * 100 END`,
  },
};

/** A transformed series; see `Dialect`. */
export function transformed(
  rows: string,
  values: readonly string[],
  transform: Exclude<Transform, "none">,
  digits: number,
): string {
  const { window, formula } = CALCULATIONS[transform];
  const inner = values.map((v) => `, ${v}, ${window(v)}`).join("");
  const windows = `SELECT d, row_number() OVER (ORDER BY d) AS r${inner} FROM (${rows})`;
  const computed = values.map((v) => `, ${formula(v, `${v}p`)} AS ${v}_new`).join("");
  const formulas = `SELECT d, r${computed} FROM (${windows})`;
  const outer = values.map((v) => `, ${rounded(`${v}_new`, digits)} AS ${v}`).join("");
  const first = transformType(transform).dropsFirst ? " WHERE r > 1" : "";
  // Servers before 26 read numbers inexactly without the setting.
  return `SELECT d${outer} FROM (${formulas})${first} SETTINGS precise_float_parsing = 1`;
}

/** Rounds to significant digits; results that are not finite are null. */
function rounded(value: string, digits: number): string {
  return `CASE WHEN isFinite(${value}) THEN toFloat64(printf('%.${digits}g', ${value})) END`;
}
