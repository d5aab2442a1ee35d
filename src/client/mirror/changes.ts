import type { RecordBatch, Table } from "../../columns/arrow/arrow.js";
import { schemaOf } from "../../columns/arrow/schema.js";
import { tableOf } from "../../columns/table/conform.js";
import { takeRows } from "../../columns/table/take.js";
import { digestTypes } from "../../engine/contract/digest.js";
import { InputError } from "../../errors/errors.js";
import { Frame } from "../../frame/frame.js";
import type { FrameSource } from "../../spec/frame-source.js";
import type { Copy } from "./copy.js";
import { HashTable, hashes, picked } from "./difference.js";
import type { View } from "./log.js";

/** What happened to a table between two of its states. */
export interface MirrorChanges<Row extends object> {
  /** Rows that are new. */
  readonly added: Frame<Row>;
  /** Rows that are gone. */
  readonly removed: Frame<Row>;
  /** Rows that changed, as they were: the same keys as `after`, row by row. Empty for a table without a primary key. */
  readonly before: Frame<Row>;
  /** Rows that changed, as they are now. */
  readonly after: Frame<Row>;
}

/** @throws {InputError} BadArgument if the columns changed in between */
export async function changesBetween<Row extends object>(
  copy: Copy,
  from: View,
  to: View,
  source: FrameSource,
): Promise<MirrorChanges<Row>> {
  const { columns, key } = to.log;
  if (JSON.stringify(from.log.columns) !== JSON.stringify(columns)) {
    throw new InputError(`The columns of ${to.code} changed in between, so its rows cannot be compared.`, {
      code: "BadArgument",
      hint: "Pass two states with the same columns.",
    });
  }
  const own = [...columns.keys()];
  const [gone, added] = (await copy.between(from, to)).map((batches) => {
    const rows = batches.map((batch) => picked(batch, own));
    return tableOf(rows, rows[0]?.schema ?? schemaOf(columns));
  });
  // A row that changed and changed back is not a change.
  const [left, fresh] = unpaired(gone, added, own);
  const keys = key.map((name) => columns.findIndex((column) => column.name === name));
  // Without a key, no row is another one from before.
  const { onlyFirst, onlySecond, pairs } = key.length > 0 ? paired(left, fresh, keys) : paired(left, fresh, own);
  const frame = (table: Table, rows: readonly number[]): Frame<Row> =>
    Frame.from<Row>(takeRows(table, Uint32Array.from(rows)), source);
  return {
    added: frame(fresh, onlySecond),
    removed: frame(left, onlyFirst),
    before: frame(
      left,
      pairs.map(([row]) => row),
    ),
    after: frame(
      fresh,
      pairs.map(([, row]) => row),
    ),
  };
}

function unpaired(first: Table, second: Table, columns: readonly number[]): readonly [Table, Table] {
  const { onlyFirst, onlySecond } = paired(first, second, columns);
  return [takeRows(first, Uint32Array.from(onlyFirst)), takeRows(second, Uint32Array.from(onlySecond))];
}

/** The places of the rows of two tables that are equal in some columns, each of which has one partner at most. */
function paired(first: Table, second: Table, columns: readonly number[]) {
  const known = new HashTable(first.numRows);
  eachHash(first, columns, (_row, a, b) => known.add(a, b));
  const pairs: (readonly [first: number, second: number])[] = [];
  const onlySecond: number[] = [];
  eachHash(second, columns, (row, a, b) => {
    const partner = known.take(a, b);
    if (partner < 0) onlySecond.push(row);
    else pairs.push([partner, row]);
  });
  return { pairs, onlySecond, onlyFirst: [...known.left()].sort((x, y) => x - y) };
}

function eachHash(
  { batches, schema }: Table,
  columns: readonly number[],
  use: (row: number, a: number, b: number) => void,
): void {
  const all = digestTypes(schema);
  const types = columns.map((at) => all[at]);
  let row = 0;
  for (const batch of batches as RecordBatch[]) {
    const { a, b } = hashes(picked(batch, columns), types);
    for (let i = 0; i < batch.numRows; i++) use(row++, a[i], b[i]);
  }
}
