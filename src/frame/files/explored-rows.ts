import type { Table, Vector } from "../../columns/arrow/arrow.js";
import { chunkReader } from "../../columns/arrow/cell-reader.js";
import { columnsOf } from "../../columns/arrow/schema.js";
import { columnType } from "../../columns/arrow/types.js";
import { mapTruths } from "../../columns/compute/chunks.js";
import { textMarks } from "../../columns/compute/texts.js";
import type { FoundRows, RowQuery } from "../../display/table/explore-rows.js";
import { isArrowbookError } from "../../errors/errors.js";
import { Column } from "../cells/column.js";
import { passing } from "../verbs/filter.js";
import { Selection } from "../verbs/selection.js";

const COMPARISON = /^(<=|>=|!=|<|>|=)\s*(.*)$/;
const METHODS = { "<": "lt", "<=": "le", ">": "gt", ">=": "ge", "=": "eq", "!=": "ne" } as const;

/**
 * The rows that pass all filters, in the order of the sort: compared as `frame.filter` and `frame.sort` do. A filter
 * that cannot be applied to its column is reported and skipped.
 */
export function exploredRows(table: Table, { filters, sort }: RowQuery): FoundRows {
  const faults = new Map<number, string>();
  let found = new Selection(table);
  for (const [at, filter] of filters) {
    try {
      const mask = maskOf(columnAt(found, at), filter.trim());
      if (mask !== undefined) found = found.keep(passing(mask, found));
    } catch (error) {
      if (!isArrowbookError(error)) throw error;
      faults.set(at, error.message);
    }
  }
  const { rows, numRows } = sort === undefined ? found : found.sorted([sort]);
  return { rows, numRows, faults };
}

function columnAt(selection: Selection, at: number): Column<never> {
  const { name, type } = columnsOf(selection.base.schema)[at];
  return new Column(name, type, selection.column(at));
}

/** The rows that pass a filter; undefined for a filter that is empty or still being typed. */
function maskOf(column: Column<never>, filter: string): Column<boolean | null> | Vector | undefined {
  if (filter === "") return undefined;
  if (filter.toLowerCase() === "null") return column.isNull();
  if (filter.toLowerCase() === "!null") return column.isNull().not();
  const { scale } = columnType(column.arrowType);
  const dots = filter.indexOf("..", 1);
  const [low, high] = [filter.slice(0, dots).trimEnd(), filter.slice(dots + 2).trimStart()];
  if (scale !== "text" && dots > 0 && high !== "") return column.between(low as never, high as never);
  const comparison = COMPARISON.exec(filter);
  if (comparison === null) return searched(column.vector, filter);
  const [, sign, value] = comparison;
  if (value === "") return undefined;
  const other = /^(true|false)$/i.test(value) && scale !== "text" ? value.toLowerCase() === "true" : value;
  return column[METHODS[sign as keyof typeof METHODS]](other as never);
}

/** Whether the text of each cell contains a string, ignoring case. */
function searched(vector: Vector, part: string): Vector {
  const wanted = part.toLowerCase();
  const marks = textMarks((data) => {
    const { text } = chunkReader(data);
    return (i) => text(i).toLowerCase().includes(wanted);
  });
  return mapTruths(vector, marks);
}
