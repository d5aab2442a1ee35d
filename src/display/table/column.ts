import { Field, Schema, Table, type Vector } from "../../columns/arrow/arrow.js";
import { recordBatch } from "../../columns/arrow/record-batch.js";
import { TYPE_KEY } from "../../columns/arrow/schema.js";
import type { Bundle } from "../base/show.js";
import { htmlTable } from "./html.js";
import { textTable } from "./text.js";

function columnTable(name: string, type: string, vector: Vector): Table {
  const field = new Field(name, vector.type, true, new Map([[TYPE_KEY, type]]));
  const schema = new Schema([field]);
  return new Table(
    schema,
    vector.data.map((data) => recordBatch(schema, [data], data.length)),
  );
}

export function columnBundle(name: string, type: string, vector: Vector): Bundle {
  const table = columnTable(name, type, vector);
  return { "text/html": htmlTable(table), "text/plain": textTable(table) };
}

export function columnText(name: string, type: string, vector: Vector, width: number): string {
  return textTable(columnTable(name, type, vector), { width });
}
