import type { Data } from "../../columns/arrow/arrow.js";
import { cellColumn } from "../../columns/arrow/cell-batch.js";
import type { Dialect } from "../../engine/contract/dialect.js";
import { DataError } from "../../errors/errors.js";
import { ALL_ROWS, rowOrder, type Where } from "../data/filter-sql.js";
import type { StoredTable, TableSeek } from "../data/open-table.js";

/** The rows of a page. */
export interface PageRows {
  readonly where: Where;
  /** The columns by number. */
  readonly chosen: readonly number[];
  /** The position of the row before the page; undefined for the first page. */
  readonly last: string | undefined;
  readonly size: number;
}

/** A statement that reads one row more than a page, to know whether another page follows. */
interface PageQuery {
  readonly sql: string;
  readonly params: readonly unknown[];
  /** Called with the columns of each batch that follow those of the page. */
  readonly check?: (columns: readonly Data[], rows: number) => void;
  /** The position of a row of a batch before which `before` rows of the page came. */
  position(columns: readonly Data[], row: number, before: number): string;
}

/** The end of a SELECT whose rows are to come in the order of pages. */
export function pageOrder({ seek }: StoredTable, where: Where, dialect: Dialect): string {
  return seek === undefined ? rowOrder(where, dialect) : ` ORDER BY ${seek.key.map(({ sql }) => sql).join(", ")}`;
}

export function pageQuery(stored: StoredTable, page: PageRows, dialect: Dialect): Promise<PageQuery> {
  return stored.seek === undefined ? numberedPage(stored, page, dialect) : soughtPage(stored, stored.seek, page);
}

/** The position of a numbered row; the cursors of other versions have this form too. */
const numbered = (row: number): string => row.toString(36).padStart(11, "0");

/**
 * Without a filter that is a range of row numbers, and the engine reads little else. Otherwise it reads the rows in
 * their order, and stops soon after the limit.
 */
async function numberedPage(
  stored: StoredTable,
  { where, chosen, last, size }: PageRows,
  dialect: Dialect,
): Promise<PageQuery> {
  const { table, column, isNumbered } = await stored.ready();
  const before = last === undefined ? -1 : Number.parseInt(last, 36);
  const isRange = isNumbered && where.sql === ALL_ROWS;
  const { column: number } = dialect.rowNumber;
  const order = rowOrder(where, dialect);
  const after = last === undefined ? "" : ` AND ${number} > ${before}`;
  const bound = isRange ? ` AND ${number} <= ${before + size + 1}${order}` : `${order} LIMIT ${size + 1}`;
  const cells = chosen.map(column);
  const list = isRange ? cells : [...cells, number];
  return {
    sql: `SELECT ${list.join(", ")} FROM ${table} WHERE ${where.sql}${after}${bound}`,
    params: where.params,
    position: ([numbers], row, rows) =>
      numbered(numbers === undefined ? before + rows + row + 1 : Number(cellColumn(numbers).text(row))),
  };
}

/**
 * The rows whose key follows that of the last page, which the engine finds by its order. A position is the key as text,
 * behind the version up to which the query reads.
 */
async function soughtPage(
  stored: StoredTable,
  seek: TableSeek,
  { where, chosen, last, size }: PageRows,
): Promise<PageQuery> {
  const { table, column } = await stored.ready();
  const { key, version } = seek;
  const params = [...where.params];
  const bound = (value: string, text: string): string => {
    params.push(text);
    return value.replace("?", () => `$${params.length}`);
  };
  const texts: string[] = last === undefined ? [] : JSON.parse(last);
  const until = version && (last === undefined ? version.latest : (texts.shift() as string));
  const after = (i: number): string => {
    const { sql, value } = key[i];
    const text = bound(value, texts[i]);
    return i === key.length - 1 ? `${sql} > ${text}` : `${sql} >= ${text} AND (${sql} > ${text} OR ${after(i + 1)})`;
  };
  const conditions = [where.sql];
  if (version !== undefined) conditions.push(`${version.column.sql} <= ${bound(version.column.value, `${until}`)}`);
  if (last !== undefined) conditions.push(after(0));
  const list = [...chosen.map(column), ...key.map(({ text }) => text)].join(", ");
  const order = key.map(({ sql }) => sql).join(", ");
  return {
    sql: `SELECT ${list} FROM ${table} WHERE ${conditions.join(" AND ")} ORDER BY ${order} LIMIT ${size + 1}`,
    params,
    check: repeatCheck(stored, key),
    position: (columns, row) => JSON.stringify([...(version ? [until] : []), ...keyAt(columns, row)]),
  };
}

const keyAt = (columns: readonly Data[], row: number): string[] => columns.map((data) => cellColumn(data).text(row));

/** Rows of one key follow each other; a page that ends between them would lose one. */
function repeatCheck({ code }: StoredTable, key: TableSeek["key"]): NonNullable<PageQuery["check"]> {
  let last: string | undefined;
  return (columns, rows) => {
    const cells = columns.map(cellColumn);
    // The last column of a key differs most often.
    const least = cells[cells.length - 1];
    const repeats = (row: number): boolean => cells.every(({ text }) => text(row) === text(row - 1));
    let isRepeated = last === JSON.stringify(keyAt(columns, 0));
    let before = least.text(0);
    for (let row = 1; row < rows && !isRepeated; row++) {
      const text = least.text(row);
      isRepeated = text === before && repeats(row);
      before = text;
    }
    last = JSON.stringify(keyAt(columns, rows - 1));
    if (!isRepeated) return;
    const shown = key.map(({ name }) => name).join(", ");
    throw new DataError(`${code}: several rows have the same key (${shown}).`, {
      code: "DuplicateKey",
      hint: "Pass the columns that identify a row as key, or remove the repeated rows.",
    });
  };
}
