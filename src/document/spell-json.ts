import type { ColumnSpec } from "../spec/columns.js";
import type { Output } from "./cells/output.js";
import { writeRows } from "./cells/row-bytes.js";
import { jsonRows } from "./cells/row-style.js";
import { type LeafField, membersOf, type ObjectToWrite, type Parts, spellTimestamp } from "./members.js";

export function* jsonParts(object: ObjectToWrite, out: Output): Parts {
  let before = "{";
  for (const member of membersOf(object, "json")) {
    yield `${before}"${member.name}":`;
    before = ",";
    if (member.kind === "leaf") yield JSON.stringify(jsonLeaf(member.field, member.value));
    else if (member.kind === "object") yield* jsonParts(member.object, out);
    else {
      yield "[";
      yield* writeRows(jsonRows(member.rows.columns), member.rows.batches, out);
      yield "]";
    }
  }
  yield "}";
}

export function jsonLeaf(field: LeafField, value: unknown): unknown {
  if (field.kind === "columns") return (value as readonly ColumnSpec[]).map(({ name, type }) => ({ name, type }));
  return field.kind === "dateTime" && typeof value === "string" ? spellTimestamp(value, field, "json") : value;
}
