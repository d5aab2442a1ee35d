import { type Data, Field, Schema, Table } from "../../columns/arrow/arrow.js";
import { missingCount } from "../../columns/arrow/bits.js";
import { columnIndex } from "../../columns/arrow/column-names.js";
import { checkDeclaredTypes } from "../../columns/arrow/declared-types.js";
import { recordBatch } from "../../columns/arrow/record-batch.js";
import { columnsOf, TYPE_KEY } from "../../columns/arrow/schema.js";
import { type CastOptions, cast, typeNamed } from "../../columns/compute/cast.js";
import { InputError } from "../../errors/errors.js";
import { needObject } from "../cells/given.js";
import type { AnyRow, NewColumn } from "../cells/row-types.js";
import { type MadeColumn, newColumn } from "../cells/values.js";
import { setColumns } from "./pick.js";

/**
 * A table of columns by name: lists, typed arrays, columns, or one value for every row.
 *
 * @throws {InputError} DifferentLength, MixedTypes, BadArgument
 */
export function tableOfColumns(
  columns: Readonly<Record<string, NewColumn<never>>>,
  types: Readonly<Record<string, string | undefined>>,
): Table {
  const hint = "Pass columns by name: fromColumns({ date: [...], close: [...] }).";
  if (Array.isArray(columns)) {
    throw new InputError("fromColumns() expects columns by name; got an array.", {
      code: "BadArgument",
      hint: `${hint} Frame.fromRows(rows) takes an array of objects.`,
    });
  }
  needObject(columns, "fromColumns()", hint);
  checkTypes(types, "fromColumns()");
  const entries = Object.entries(columns);
  for (const [name, values] of entries) {
    if (typeof values !== "function") continue;
    throw new InputError(`Column ${JSON.stringify(name)} of fromColumns() is a function, and there are no rows yet.`, {
      code: "BadArgument",
      column: name,
      hint: "Pass its values; add columns that depend on others by with().",
    });
  }
  const lengths = entries.map(([, values]) => lengthOf(values)).filter((length) => length !== undefined);
  const numRows = lengths[0] ?? (entries.length === 0 ? 0 : 1);
  const schema = new Schema([]);
  const empty = new Table(schema, [recordBatch(schema, [], numRows)]);
  const made = entries.map(([name, values]) =>
    newColumn<AnyRow>(name, values as NewColumn<AnyRow>, Object.hasOwn(types, name) ? types[name] : undefined, empty),
  );
  return setColumns(empty, made);
}

const lengthOf = (values: unknown): number | undefined =>
  typeof values === "object" && values !== null ? (values as { readonly length?: number }).length : undefined;

/**
 * Columns of a table as other types of the service, each value exactly.
 *
 * @throws {InputError} UnknownColumn, BadArgument
 * @throws {DataError} PrecisionLoss, Overflow, BadCell
 */
export function castColumns(table: Table, types: object, options: CastOptions): MadeColumn[] {
  needObject(types, "cast()", 'Pass types by column: cast({ close: "double" }).');
  return Object.entries(types).map(([name, type]: [string, string]) => {
    const at = columnIndex(table, name);
    const place = { column: name, method: "cast()" };
    const vector = cast(table.getChildAt(at) as never, typeNamed(type, place), options, place);
    const field = table.schema.fields[at];
    const metadata = new Map([...field.metadata, [TYPE_KEY, type] as const]);
    return { field: new Field(field.name, vector.type, true, metadata), vector };
  });
}

/**
 * Refuses types that do not exist, as a caller declares them by column.
 *
 * @throws {InputError} UnknownType
 */
export function checkTypes(types: Readonly<Record<string, string | undefined>>, where: string): void {
  needObject(types, `The types of ${where}`, 'Pass types by name: { close: "BigDecimal(15,4)" }.');
  const declared = Object.entries(types).flatMap(([name, type]) => (type === undefined ? [] : [{ name, type }]));
  checkDeclaredTypes(declared, where);
}

/** The columns of a table as rows: name, service type, how many values and nulls. */
export function infoTable(table: Table): Table {
  const specs = columnsOf(table.schema);
  const nulls = specs.map((_, at) => BigInt(missingCount(table.getChildAt(at)?.data as readonly Data[])));
  const columns = {
    column: specs.map(({ name }) => name),
    type: specs.map(({ type }) => type),
    values: nulls.map((count) => BigInt(table.numRows) - count),
    nulls,
  };
  return tableOfColumns(columns, { column: "String", type: "String", values: "Integer", nulls: "Integer" });
}
