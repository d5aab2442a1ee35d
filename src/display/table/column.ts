import { Field, makeData, RecordBatch, Schema, Struct, Table, type Vector } from "../../columns/arrow/arrow.js";
import { TYPE_KEY } from "../../columns/arrow/schema.js";
import type { Bundle } from "../base/show.js";
import { htmlTable } from "./html.js";
import { textTable } from "./text.js";

/** One column as a table of one column. */
export function columnTable(name: string, type: string, vector: Vector): Table {
  const field = new Field(name, vector.type, true, new Map([[TYPE_KEY, type]]));
  const schema = new Schema([field]);
  const batches = vector.data.map((data) => {
    const struct = makeData({ type: new Struct([field]), length: data.length, nullCount: 0, children: [data] });
    return new RecordBatch(schema, struct);
  });
  return new Table(schema, batches);
}

export function columnBundle(name: string, type: string, vector: Vector): Bundle {
  const table = columnTable(name, type, vector);
  return { "text/html": htmlTable(table), "text/plain": textTable(table) };
}

export function columnText(name: string, type: string, vector: Vector, width: number): string {
  return textTable(columnTable(name, type, vector), { width });
}
