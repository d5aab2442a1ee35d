import {
  DataType,
  Dictionary,
  Field,
  Int32,
  makeData,
  Schema,
  Table,
  Utf8,
  Vector,
  vectorFromArray,
} from "../columns/arrow/arrow.js";
import { columnIndex } from "../columns/arrow/column-names.js";
import { emptyData, recordBatch } from "../columns/arrow/record-batch.js";
import { TYPE_KEY } from "../columns/arrow/schema.js";
import { serviceTypeOfArrow } from "../columns/arrow/types.js";
import { cast, commonType } from "../columns/compute/cast.js";
import { tableOfVectors } from "../columns/table/of-vectors.js";
import { InputError } from "../errors/errors.js";
import { refuseUnknown } from "../errors/options.js";
import type { OneOrMore } from "../spec/columns.js";
import { listOf, vectorAt } from "./core/choose.js";
import { refuseRepeatedNames } from "./core/result-shape.js";

/** Options of {@link Frame.unpivot}. */
export interface UnpivotOptions<Name extends string = string> {
  /** Columns that stay and repeat for every column that becomes rows. */
  readonly index: OneOrMore<Name>;
  /** The columns that become rows; all but `index` by default. */
  readonly of?: OneOrMore<Name>;
  /** Name of the new column of column names; `variable` by default. */
  readonly columns?: string;
  /** Name of the new column of values; `value` by default. */
  readonly values?: string;
}

/**
 * Converts a wide table to long, the inverse of `pivot()` with the same options: for every column in `of`, one after
 * the other, all rows with their `index`, the column's name and its value. Values take the type that holds them all:
 * decimals of more digits, or doubles. The columns of `index` are shared, not copied.
 *
 * @throws {InputError} UnknownColumn, WrongType for columns that have no common type, DuplicateColumn, BadArgument
 */
export function unpivot(table: Table, options: UnpivotOptions): Table {
  refuseUnknown(options ?? null, ["index", "of", "columns", "values"], "unpivot()");
  const { columns = "variable", values = "value" } = options;
  for (const name of [columns, values]) listOf(name);
  const index = listOf(options.index).map((name) => columnIndex(table, name));
  const named = listOf(options.of).map((name) => columnIndex(table, name));
  const of = named.length > 0 ? named : table.schema.fields.flatMap((_, at) => (index.includes(at) ? [] : [at]));
  if (of.length === 0) {
    throw new InputError("unpivot() expects at least one column besides `index`.", {
      code: "BadArgument",
      hint: "Leave columns out of `index`, or name them in `of`.",
    });
  }
  const fields = index.map((at) => table.schema.fields[at]);
  refuseRepeatedNames(
    [...fields.map(({ name }) => name), columns, values],
    'Choose other names: { columns: "name", values: "cell" }.',
  );
  const type = typeOf(table, of);
  const texts = vectorFromArray(
    of.map((at) => table.schema.fields[at].name),
    new Utf8(),
  );
  const names = new Dictionary(new Utf8(), new Int32());
  const schema = new Schema([
    ...fields,
    new Field(columns, names, true, new Map([[TYPE_KEY, "String"]])),
    new Field(values, type, true, new Map([[TYPE_KEY, serviceTypeOfArrow(type)]])),
  ]);
  if (table.numRows === 0)
    return new Table(schema, [
      recordBatch(
        schema,
        schema.fields.map(({ type }) => emptyData(type)),
        0,
      ),
    ]);
  const shared = index.map((at) => vectorAt(table, at));
  const batches = of.flatMap((at, code) => {
    const place = { column: table.schema.fields[at].name, method: "unpivot()" };
    // A cast may cut a column elsewhere than the table.
    const value = cast(vectorAt(table, at), type, {}, place);
    const data = new Int32Array(table.numRows).fill(code);
    const name = makeData({ type: names, length: data.length, nullCount: 0, data, dictionary: texts });
    return tableOfVectors(schema, [...shared, new Vector([name]), value], table.numRows).batches;
  });
  return new Table(schema, batches);
}

/** The type of all values: text in plain layout, since each column has a dictionary of its own. */
function typeOf(table: Table, of: readonly number[]): DataType {
  const place = { column: table.schema.fields[of[0]].name, method: "unpivot()" };
  const types = of.map((at) => table.schema.fields[at].type as DataType);
  const type = types.slice(1).reduce((common, other) => commonType(common, other, place), types[0]);
  return DataType.isDictionary(type) ? new Utf8() : type;
}
