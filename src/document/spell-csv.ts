import { csvCell } from "../format/csv-records.js";
import type { Output } from "./cells/output.js";
import { writeRows } from "./cells/row-bytes.js";
import { csvLines } from "./cells/row-style.js";
import {
  type LeafField,
  membersOf,
  type ObjectToWrite,
  type Parts,
  type RowsToWrite,
  spellTimestamp,
} from "./members.js";
import { jsonLeaf } from "./spell-json.js";

/** A header line and one row (spec 1); nested members have dotted names or share one cell (spec 2.7, 2.8). */
export function* csvParts(object: ObjectToWrite, quoteEmpty: boolean): Parts {
  const cells = [...csvCells(object, "")];
  yield `${cells.map(([name]) => csvCell(name, true)).join(",")}\n`;
  yield `${cells.map(([, text]) => csvCell(text, quoteEmpty)).join(",")}\n`;
}

function* csvCells(object: ObjectToWrite, prefix: string): Generator<readonly [name: string, text: string | null]> {
  for (const member of membersOf(object, "csv")) {
    const name = prefix + member.name;
    if (member.kind === "leaf") yield [name, csvLeaf(member.field, member.value)];
    if (member.kind !== "object") continue;
    if (member.field.csv === "cell") yield [name, spacedJSON(jsonMembers(member.object))];
    else yield* csvCells(member.object, member.field.csv === "dotted" ? `${member.name}.` : prefix);
  }
}

function csvLeaf(field: LeafField, value: unknown): string | null {
  if (value === null) return null;
  if (field.kind === "texts" || field.kind === "columns") return spacedJSON(jsonLeaf(field, value));
  return field.kind === "dateTime" ? spellTimestamp(String(value), field, "csv") : String(value);
}

function jsonMembers(object: ObjectToWrite): object {
  return Object.fromEntries(
    [...membersOf(object, "csv")].flatMap((each) =>
      each.kind === "leaf" ? [[each.name, jsonLeaf(each.field, each.value)]] : [],
    ),
  );
}

/** JSON with a space after commas and colons, as services of this kind print list cells. */
function spacedJSON(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spacedJSON).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${spacedJSON(member)}`);
  return `{${members.join(", ")}}`;
}

/** A CSV reply with rows: a header line and the rows (spec 1); table numbers have a decimal point (spec 2.6). */
export function* csvRows(
  { columns, batches }: RowsToWrite,
  quoteEmpty: boolean,
  decimalPoint: boolean,
  out: Output,
): Parts {
  yield `${columns.map(({ name }) => csvCell(name, true)).join(",")}\n`;
  yield* writeRows(csvLines(columns, quoteEmpty, decimalPoint), batches, out);
}
