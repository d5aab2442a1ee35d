import { type DataType, Field, type Vector } from "../../columns/arrow/arrow.js";
import { TYPE_KEY } from "../../columns/arrow/schema.js";
import { takeVector } from "../../columns/table/take.js";
import { codesOf, firstsOf } from "../../series/core/codes.js";
import type { Aggregate } from "../../series/track/aggregate.js";
import { aggregateGroups } from "../../series/track/aggregate-groups.js";
import { type Cell, cellReader, checkRowsOptions, type RowsOptions } from "./rows.js";

interface Named {
  readonly name: string;
  readonly type: string;
  readonly vector: Vector;
}

/**
 * All values of a column reduced to one cell, in one pass; null if there are none.
 *
 * @throws {InputError} WrongType
 */
export function reduced({ name, type, vector }: Named, how: Aggregate, options: RowsOptions = {}): Cell {
  checkRowsOptions(options, `${String(how)}()`);
  const { length } = vector;
  const rows = { rows: undefined, from: Int32Array.of(0), to: Int32Array.of(length) };
  const group = {
    columns: [],
    count: 1,
    of: new Int32Array(length),
    first: Int32Array.of(length === 0 ? -1 : 0),
    sizes: Int32Array.of(length),
    spans: () => rows,
  };
  const field = new Field(name, vector.type as DataType, true, new Map([[TYPE_KEY, type]]));
  return cellReader(aggregateGroups(field, vector, how, group).data, options)(0);
}

/** The distinct values of a column, null among them, in order of first appearance. */
export function distinct(vector: Vector): Vector {
  return takeVector(vector, firstsOf(codesOf([vector])));
}
