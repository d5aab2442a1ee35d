import { DataType, type Table, type Vector } from "../../columns/arrow/arrow.js";
import { chunkReader } from "../../columns/arrow/cell-reader.js";
import { namesOf } from "../../columns/arrow/column-names.js";
import { columnsOf } from "../../columns/arrow/schema.js";
import { columnType } from "../../columns/arrow/types.js";
import { mapTruths } from "../../columns/compute/chunks.js";
import { isText, textMarks } from "../../columns/compute/texts.js";
import type { FoundRows, RowQuery } from "../../display/table/explore-rows.js";
import { isArrowbookError } from "../../errors/errors.js";
import { Column } from "../cells/column.js";
import { passing } from "./filter.js";
import { Selection } from "./selection.js";

/** A call of a method of a column. */
type Step = readonly [method: string, ...values: readonly (string | number | boolean)[]];

const COMPARISON = /^(<=|>=|!=|<|>|=)\s*(.*)$/;
const METHODS = { "<": "lt", "<=": "le", ">": "gt", ">=": "ge", "=": "eq", "!=": "ne" } as const;

/**
 * The rows that pass all filters, in the order of the sort: compared as `frame.filter` and `frame.sort` do, with the
 * statement that does the same. A filter that cannot be applied to its column is reported and skipped.
 */
export function exploredRows(table: Table, { filters, sort }: RowQuery): FoundRows {
  const faults = new Map<number, string>();
  const names = namesOf(table);
  const conditions: string[] = [];
  const used = sort === undefined ? [] : [sort.column];
  let found = new Selection(table);
  for (const [at, filter] of filters) {
    const column = columnAt(found, at);
    const steps = stepsOf(column, filter.trim());
    if (steps === undefined) continue;
    try {
      found = found.keep(passing(maskOf(column, steps), found));
      conditions.push(`frame.column(${JSON.stringify(names[at])})${steps.map(callOf).join("")}`);
      used.push(at);
    } catch (error) {
      if (!isArrowbookError(error)) throw error;
      faults.set(at, error.message);
    }
  }
  const { rows, numRows } = sort === undefined ? found : found.sorted([sort]);
  const isNamed = used.every((at) => names.indexOf(names[at]) === names.lastIndexOf(names[at]));
  const order = sort && JSON.stringify(sort.descending ? [names[sort.column], "desc"] : names[sort.column]);
  return { rows, numRows, faults, code: used.length > 0 && isNamed ? codeOf(conditions, order) : undefined };
}

function codeOf([first, ...others]: readonly string[], order: string | undefined): string {
  const filter = first === undefined ? "" : `.filter(${first}${others.map((other) => `.and(${other})`).join("")})`;
  return `frame${filter}${order === undefined ? "" : `.sort(${order})`}`;
}

const callOf = ([method, ...values]: Step): string =>
  `.${method}(${values.map((value) => JSON.stringify(value)).join(", ")})`;

function columnAt(selection: Selection, at: number): Column<never> {
  const { name, type } = columnsOf(selection.base.schema)[at];
  return new Column(name, type, selection.column(at));
}

/** The condition of a filter as calls on its column; undefined for one that is empty or still being typed. */
function stepsOf({ arrowType }: Column<never>, filter: string): readonly Step[] | undefined {
  if (filter === "") return undefined;
  if (filter.toLowerCase() === "null") return [["isNull"]];
  if (filter.toLowerCase() === "!null") return [["isNull"], ["not"]];
  const { scale } = columnType(arrowType);
  const value = (text: string): string | number => {
    const number = Number(text);
    return scale === "number" && String(number) === text && Math.abs(number) < 1e15 ? number : text;
  };
  const dots = filter.indexOf("..", 1);
  const [low, high] = [filter.slice(0, dots).trimEnd(), filter.slice(dots + 2).trimStart()];
  if (scale !== "text" && dots > 0 && high !== "") return [["between", value(low), value(high)]];
  const [, sign, other] = COMPARISON.exec(filter) ?? [];
  if (sign === undefined) {
    const contains = ["contains", filter.toLowerCase()] as const;
    return isText(arrowType) ? [["lower"], contains] : [["cast", "String"], ["lower"], contains];
  }
  if (other === "") return undefined;
  const isTruth = DataType.isBool(arrowType) && /^(true|false)$/i.test(other);
  return [[METHODS[sign as keyof typeof METHODS], isTruth ? other.toLowerCase() === "true" : value(other)]];
}

/** The rows that meet a condition. The text of cells is searched without a column of texts. */
function maskOf(column: Column<never>, steps: readonly Step[]): Column<boolean | null> | Vector {
  const [method, part] = steps[steps.length - 1];
  if (method === "contains") return searched(column.vector, String(part));
  return steps.reduce<object>(
    (made, [name, ...values]) => (made as Record<string, (...values: unknown[]) => object>)[name](...values),
    column,
  ) as Column<boolean | null>;
}

/** Whether the text of each cell contains a string in lower case, ignoring case. */
function searched(vector: Vector, part: string): Vector {
  const marks = textMarks((data) => {
    const { text } = chunkReader(data);
    return (i) => text(i).toLowerCase().includes(part);
  });
  return mapTruths(vector, marks);
}
