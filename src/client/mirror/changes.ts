import type { Table } from "../../columns/arrow/arrow.js";
import { schemaOf } from "../../columns/arrow/schema.js";
import { tableOf } from "../../columns/table/conform.js";
import { takeRows } from "../../columns/table/take.js";
import { digestTypes } from "../../engine/contract/digest.js";
import { InputError } from "../../errors/errors.js";
import { Frame } from "../../frame/frame.js";
import type { FrameSource } from "../../spec/frame-source.js";
import { unpaired } from "./difference.js";
import type { View } from "./log.js";
import type { Place } from "./place.js";
import { collected, liveRows, passingNumbers, picked, rowsOf } from "./rows.js";

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
  place: Place,
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
  /** The rows that only the first of two versions has. */
  const only = async (one: View, other: View): Promise<Table> => {
    const isOther = from.log.number === to.log.number ? await liveRows(place, other) : () => false;
    const batches = await collected(passingNumbers(rowsOf(place, one), (row) => !isOther(row)));
    const rows = batches.map((batch) => picked(batch, own));
    return tableOf(rows, rows[0]?.schema ?? schemaOf(columns));
  };
  // A row that changed and changed back is not a change.
  const unequal = paired(await only(from, to), await only(to, from), own);
  const keys = key.map((name) => columns.findIndex((column) => column.name === name));
  // Without a key, no row is another one from before.
  const { onlyFirst, onlySecond, pairs } = paired(unequal.onlyFirst, unequal.onlySecond, key.length > 0 ? keys : own);
  const frame = (table: Table): Frame<Row> => Frame.from<Row>(table, source);
  return { added: frame(onlySecond), removed: frame(onlyFirst), before: frame(pairs[0]), after: frame(pairs[1]) };
}

/** Pairs the rows of two tables that are equal in some columns, each of which has one partner at most. */
function paired(first: Table, second: Table, columns: readonly number[]) {
  const known = unpaired(digestTypes(first.schema), first.batches, columns);
  const partners = Int32Array.from(second.batches.flatMap((batch) => [...known.partners(batch)]));
  const places = (isPaired: boolean): Uint32Array =>
    Uint32Array.from(partners.keys()).filter((row) => partners[row] >= 0 === isPaired);
  return {
    onlyFirst: takeRows(first, Uint32Array.from(known.left()).sort()),
    onlySecond: takeRows(second, places(false)),
    pairs: [
      takeRows(
        first,
        partners.filter((row) => row >= 0),
      ),
      takeRows(second, places(true)),
    ],
  };
}
