import { Table } from "../../columns/arrow/arrow.js";
import { adopt } from "../../columns/table/foreign-table.js";
import { inspect } from "../../platform/node/process.js";
import { type Bundle, elementBundle, JUPYTER_DISPLAY } from "../base/show.js";
import { htmlOfView } from "./html.js";
import { textOfView } from "./text.js";
import { inLine, type TableOptions, type View, type ViewColumn, viewOf, viewPositions } from "./view.js";

/**
 * The bundle of any value that has one: its own (`Symbol.for("Jupyter.display")`), an element of a DOM, or a
 * table for Arrow tables, Danfo frames and series, and arrays of row objects. Undefined for anything else.
 */
export function bundleOf(value: unknown, options: TableOptions = {}): Bundle | Promise<Bundle> | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const own = (value as { [JUPYTER_DISPLAY]?: unknown })[JUPYTER_DISPLAY];
  if (typeof own === "function")
    return (own as (options: TableOptions) => Bundle | Promise<Bundle>).call(value, options);
  const element = elementBundle(value);
  if (element !== undefined) return element;
  const view = foreignView(value, options);
  return view && { "text/html": htmlOfView(view, options), "text/plain": textOfView(view, options) };
}

/** The view of a table of another library; undefined for a value that is not a table. */
function foreignView(value: object, options: TableOptions = {}): View | undefined {
  if (Table.isTable(value)) return viewOf(adopt(value), options);
  if (isDanfo(value)) return danfoView(value, options);
  return Array.isArray(value) && isRows(value) ? rowsView(value, options) : undefined;
}

interface Danfo {
  readonly values: readonly unknown[];
  readonly columns: readonly string[];
  readonly dtypes: readonly string[];
  readonly $data: unknown;
}

/** A Danfo frame or series, recognised by its members. */
function isDanfo(value: object): value is Danfo {
  return "$data" in value && "values" in value && "columns" in value && "dtypes" in value;
}

function danfoView(frame: Danfo, options: TableOptions): View {
  const { values, columns, dtypes } = frame;
  const cell = (row: number, column: number): unknown => {
    const found = values[row];
    return Array.isArray(found) ? found[column] : found;
  };
  return viewOfCells(columns.map(String), dtypes, values.length, cell, options);
}

/** Rows examined to recognise an array of rows and its columns. */
const SAMPLE = 100;

function isRows(value: readonly unknown[]): value is readonly Readonly<Record<string, unknown>>[] {
  return value.length > 0 && value.slice(0, SAMPLE).every(isPlainObject);
}

function isPlainObject(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return (prototype === null || prototype === Object.prototype) && !(JUPYTER_DISPLAY in value);
}

function rowsView(rows: readonly Readonly<Record<string, unknown>>[], options: TableOptions): View {
  const names = [...new Set(rows.slice(0, SAMPLE).flatMap((row) => Object.keys(row)))];
  const types = names.map((name) => typeName(rows.find((row) => (row[name] ?? null) !== null)?.[name]));
  const cell = (row: number, column: number): unknown =>
    Object.hasOwn(rows[row], names[column]) ? rows[row][names[column]] : null;
  return viewOfCells(names, types, rows.length, cell, options);
}

const typeName = (value: unknown): string => (value instanceof Date ? "Date" : value === undefined ? "" : typeof value);

function viewOfCells(
  names: readonly string[],
  types: readonly string[],
  numRows: number,
  cell: (row: number, column: number) => unknown,
  options: TableOptions,
): View {
  const { rows, head, shown, left } = viewPositions(numRows, names.length, options);
  const columns = shown.map((column): ViewColumn => {
    const values = rows.map((row) => cell(row, column));
    const type = types[column] ?? "";
    const numeric = values.some(isNumber) && values.every((value) => isNumber(value) || (value ?? null) === null);
    const texts = values.map(textOf);
    const cells = numeric ? inLine(texts, options) : texts.map((text) => ({ text, missing: 0 }));
    return { name: names[column], type, arrowType: type, numeric, cells };
  });
  return { columns, rows, head, left, numRows, numColumns: names.length };
}

const isNumber = (value: unknown): boolean => typeof value === "number" || typeof value === "bigint";

function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString();
  return typeof value === "object"
    ? inspect(value, { depth: 1, breakLength: Number.POSITIVE_INFINITY })
    : String(value);
}
