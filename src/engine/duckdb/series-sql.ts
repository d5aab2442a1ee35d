import { type Collapse, type Transform, transformType } from "../../spec/vocabulary.js";

/** The calendar end of the period that contains a day. */
const PERIOD_ENDS: Readonly<Record<Exclude<Collapse, "none">, (weekEnd: number) => string>> = {
  daily: () => "d",
  // The calendar of a Date cell ends on a Friday.
  weekly: (weekEnd) => `least(d + CAST((${weekEnd} - dayofweek(d) + 7) % 7 AS INTEGER), DATE '9999-12-31')`,
  monthly: () => "last_day(d)",
  quarterly: () => "last_day(CAST(date_trunc('quarter', d) + INTERVAL 2 MONTH AS DATE))",
  annual: () => "make_date(year(d), 12, 31)",
};

/**
 * One row per period, labelled with its calendar end: the last non-null value of each column. A series of one column
 * omits periods without values.
 */
export function collapsed(
  rows: string,
  values: readonly string[],
  collapse: Exclude<Collapse, "none">,
  weekEnd: number,
): string {
  const last = values.map((v) => `, arg_max(${v}, d) AS ${v}`).join("");
  const having = values.length === 1 ? " HAVING v0 IS NOT NULL" : "";
  const label = PERIOD_ENDS[collapse](weekEnd);
  const grouped = `SELECT ${label} AS e${last} FROM (${rows}) GROUP BY e${having}`;
  return `SELECT e AS d${values.map((v) => `, ${v}`).join("")} FROM (${grouped})`;
}

/** A transformed series; see `Dialect`. */
export function transformed(
  rows: string,
  values: readonly string[],
  transform: Exclude<Transform, "none">,
  digits: number,
): string {
  // An aggregate over an unbounded window adds the rows in input order, as the service does.
  const ordered = `SELECT * FROM (${rows}) ORDER BY d`;
  const { window, formula } = CALCULATIONS[transform];
  const inner = values.map((v) => `, ${v}, ${window(v)}`).join("");
  const windows = `SELECT d, row_number() OVER () AS r${inner} FROM (${ordered})`;
  const outer = values.map((v) => `, ${rounded(formula(v, `${v}p`), digits)} AS ${v}`).join("");
  return `SELECT d${outer} FROM (${windows})${transformType(transform).dropsFirst ? " WHERE r > 1" : ""}`;
}

interface Calculation {
  /** The expressions over other rows that the formula needs: `vp`, and others by name. */
  readonly window: (v: string) => string;
  /** The result as an expression of a value `v` and its `p`. */
  readonly formula: (v: string, p: string) => string;
}

const CALCULATIONS: Readonly<Record<Exclude<Transform, "none">, Calculation>> = {
  diff: {
    window: (v) => `lag(${v}) OVER () AS ${v}p`,
    formula: (v, p) => `${v} - ${p}`,
  },
  rdiff: {
    window: (v) => `lag(${v}) OVER () AS ${v}p`,
    formula: (v, p) => `CASE WHEN ${p} <> 0 THEN (${v} - ${p}) / ${p} END`,
  },
  rdiff_from: {
    window: (v) => `arg_max(${v}, d) OVER () AS ${v}p, max(d) FILTER (WHERE ${v} IS NOT NULL) OVER () AS ${v}d`,
    formula: (v, p) => `CASE WHEN d = ${v}d THEN 0 WHEN ${v} <> 0 THEN (${p} - ${v}) / ${v} END`,
  },
  cumul: {
    window: (v) => `sum(${v}) OVER (ROWS UNBOUNDED PRECEDING) AS ${v}p`,
    formula: (_, p) => p,
  },
  normalize: {
    window: (v) => `arg_min(${v}, d) FILTER (WHERE ${v} <> 0) OVER () AS ${v}p`,
    formula: (v, p) => `CASE WHEN ${v} = 0 THEN 0 ELSE ${v} / ${p} * 100 END`,
  },
};

/** Rounds to significant digits as `printf` does; results that are not finite are null. */
function rounded(value: string, digits: number): string {
  return `CASE WHEN isfinite(${value}) THEN CAST(printf('%.${digits}g', ${value}) AS DOUBLE) END`;
}
