import { type DataType, Field, Vector } from "../../columns/arrow/arrow.js";
import { TYPE_KEY } from "../../columns/arrow/schema.js";
import { takeVector } from "../../columns/table/take.js";
import { codesOf, firstsOf } from "../../series/core/codes.js";
import type { Aggregate } from "../../series/track/aggregate.js";
import { aggregateGroups } from "../../series/track/aggregate-groups.js";
import type { Groups } from "../../series/track/groups.js";
import { bucketsOf } from "../../series/within.js";
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
  return cellReader(aggregateGroups(fieldOf({ name, type, vector }), vector, how, oneGroup(vector)).data, options)(0);
}

const fieldOf = ({ name, type, vector }: Named): Field =>
  new Field(name, vector.type as DataType, true, new Map([[TYPE_KEY, type]]));

/** All rows as one group. */
function oneGroup({ length }: Vector): Groups {
  const rows = { rows: undefined, from: Int32Array.of(0), to: Int32Array.of(length) };
  return {
    columns: [],
    count: 1,
    of: new Int32Array(length),
    first: Int32Array.of(length === 0 ? -1 : 0),
    sizes: Int32Array.of(length),
    spans: () => rows,
  };
}

/** The number, from 1, of the interval between quantiles in which each value is. */
export const quantileBuckets = (named: Named, count: number): Vector =>
  new Vector([bucketsOf(fieldOf(named), named.vector, count, oneGroup(named.vector)).data]);

/** The distinct values of a column, null among them, in order of first appearance. */
export function distinct(vector: Vector): Vector {
  return takeVector(vector, firstsOf(codesOf([vector])));
}
