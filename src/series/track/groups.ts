import type { Table } from "../../columns/arrow/arrow.js";
import { columnIndex } from "../../columns/arrow/column-names.js";
import { InputError } from "../../errors/errors.js";
import { listOf } from "../core/choose.js";
import type { Spans } from "./aggregate.js";
import { seriesCodes } from "./track.js";

/** Groups of the rows of a table by equal values, numbered in order of first appearance. */
export interface Groups {
  /** Positions of the columns whose values make the groups. */
  readonly columns: readonly number[];
  readonly count: number;
  readonly of: Int32Array;
  readonly first: Int32Array;
  readonly sizes: Int32Array;
  /** The rows of each group one after the other, made when asked for. */
  readonly spans: () => Spans;
}

/**
 * The groups of a table by the named columns; nulls equal each other.
 *
 * @throws {InputError} UnknownColumn, BadArgument without a column
 */
export function groupsOf(table: Table, by: string | readonly string[]): Groups {
  const columns = listOf(by).map((name) => columnIndex(table, name));
  const codes = seriesCodes(table, columns);
  if (codes === undefined) {
    throw new InputError("groupBy() expects at least one column.", {
      code: "BadArgument",
      hint: "Pass one or more column names.",
    });
  }
  return { columns, ...grouped(codes.rows[0], codes.size) };
}

function grouped(codes: Int32Array, size: number): Omit<Groups, "columns"> {
  const place = new Int32Array(size).fill(-1);
  const counts = new Int32Array(size);
  const first: number[] = [];
  let isInOrder = true;
  for (let row = 0; row < codes.length; row++) {
    const code = codes[row];
    if (counts[code]++ > 0) continue;
    place[code] = first.length;
    if (code !== first.length) isInOrder = false;
    first.push(row);
  }
  // Codes in order of first appearance are the numbers of the groups.
  const of = isInOrder ? codes : codes.map((code) => place[code]);
  const sizes = Int32Array.from(first, (row) => counts[codes[row]]);
  let spans: Spans | undefined;
  const made = { count: first.length, of, first: Int32Array.from(first), sizes };
  return {
    ...made,
    spans: () => {
      spans ??= spansOf(made);
      return spans;
    },
  };
}

function spansOf({ of, sizes, count }: Pick<Groups, "of" | "sizes" | "count">): Spans {
  const from = new Int32Array(count);
  const to = new Int32Array(count);
  for (let group = 0, at = 0; group < count; group++) {
    from[group] = at;
    at += sizes[group];
    to[group] = at;
  }
  const next = from.slice();
  const rows = new Int32Array(of.length);
  let isInOrder = true;
  for (let row = 0; row < of.length; row++) {
    const at = next[of[row]]++;
    rows[at] = row;
    if (at !== row) isInOrder = false;
  }
  return { rows: isInOrder ? undefined : rows, from, to };
}
