import type { Table } from "../../columns/arrow/arrow.js";
import type { ReadOptions } from "../../columns/arrow/read-options.js";
import { type JsonArrayOptions, jsonArrayTable, linesOfArray } from "../../columns/json/array-table.js";
import { jsonRows } from "../../columns/json/reader.js";
import { jsonNode, rowPaths } from "../../document/json.js";
import { readFields } from "../../document/node.js";
import { DataError, InputError } from "../../errors/errors.js";
import { type ColumnSpec, seriesColumns } from "../../spec/columns.js";
import type { FrameSource } from "../../spec/frame-source.js";
import { type Field, type Fields, type Resource, resources } from "../../spec/resources.js";

/** Replies with rows, by the name of their root member. */
const REPLIES = [resources.tableRows, resources.datasetData, resources.dataset] as const;
const ROW_PATHS = REPLIES.flatMap(({ fields }) => rowPaths(fields));

/**
 * Reads JSON for `Frame.fromJSON`: an array of objects, or a reply of the service.
 *
 * @throws {DataError} BadJson, UnexpectedShape, BadCell
 */
export function readJson(bytes: Uint8Array, options: JsonArrayOptions): JsonRows {
  const lines = linesOfArray(bytes);
  if (lines !== undefined) return { table: jsonArrayTable(lines, options), source: undefined };
  const ofArrays = ARRAY_OPTIONS.find((name) => options[name] !== undefined);
  if (ofArrays === undefined) return readReply(bytes, options);
  throw new InputError(`fromJSON() takes ${ofArrays} for an array of objects only; got another JSON value.`, {
    code: "BadArgument",
    hint: "A reply of the service declares its columns: leave the option out.",
  });
}

interface JsonRows {
  readonly table: Table;
  readonly source: FrameSource | undefined;
}

/** Options of {@link readJson} that a reply has no use for. */
export const ARRAY_OPTIONS = ["columns", "types", "onExtraMember"] as const;

/**
 * Reads the rows of a JSON reply of the service (spec 2.1, 2.3, 2.6): a page of a table with its declared types, or a
 * time series, whose first column is the date and the others doubles.
 *
 * @throws {DataError} BadJson, UnexpectedShape, BadCell
 */
function readReply(bytes: Uint8Array, options: ReadOptions): JsonRows {
  const root = jsonNode(bytes, ROW_PATHS);
  const reply = REPLIES.find(({ fields }) => root.member(Object.keys(fields)[0]) !== undefined);
  if (reply === undefined) {
    throw new DataError("The JSON is not a reply with rows.", {
      code: "UnexpectedShape",
      hint: "A reply has datatable, dataset_data or dataset at its root; other rows are an array of objects, or JSON lines for Frame.fromJSONLines().",
    });
  }
  const { fields, rows } = readFields(lenient((reply as Resource).fields), root, { fields: {} });
  if (rows?.kind !== "json") throw new DataError("The reply has no rows.", { code: "UnexpectedShape" });
  const declared = fields["columns"] as readonly ColumnSpec[] | undefined;
  const columns = declared ?? seriesColumns(fields["column_names"] as readonly string[]);
  const key = declared === undefined ? [columns[0].name] : undefined;
  const table = jsonRows({ bytes: rows.bytes, start: rows.start, end: rows.end }, columns, { key, ...options }).table();
  return { table, source: sourceOf(fields) };
}

/** Makes all members optional except the rows and their columns: recorded and shortened replies lack the rest. */
function lenient(fields: Fields): Fields {
  const eased = Object.entries(fields).flatMap(([name, field]): [string, Field][] => {
    if (field.kind === "object")
      return rowPaths(field.fields).length > 0 ? [[name, { ...field, fields: lenient(field.fields) }]] : [];
    const isNeeded = field.kind === "rows" || field.kind === "columns" || field.kind === "texts";
    return [[name, isNeeded ? field : { ...field, nullable: true }]];
  });
  return Object.fromEntries(eased);
}

function sourceOf(fields: Readonly<Record<string, unknown>>): FrameSource | undefined {
  const text = (name: string): string | undefined => (typeof fields[name] === "string" ? fields[name] : undefined);
  const code = [text("database_code"), text("dataset_code")];
  if (code[0] === undefined || code[1] === undefined) return undefined;
  return {
    code: code.join("/"),
    name: text("name"),
    description: text("description"),
    refreshed_at: text("refreshed_at"),
    collapse: text("collapse"),
    transform: text("transform"),
    frequency: text("frequency"),
  };
}
