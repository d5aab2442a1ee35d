import { InputError } from "../errors/errors.js";
import { type Fields, type Resource, resources } from "../spec/resources.js";
import type { Format } from "../spec/vocabulary.js";
import type { Output } from "./cells/output.js";
import { documentFormat, type ReplyToWrite } from "./formats.js";
import type { RowsToWrite } from "./rows.js";
import type { Parts, Speller } from "./speller.js";

/**
 * Appends a reply to `out` by the resource table of spec section 2; the inverse of `readDocument`. Returns to its
 * caller after each 64 kB of rows or so.
 *
 * @throws {InputError} MissingMember if the format requires a member that is missing
 */
export function* writeDocument(
  reply: ReplyToWrite,
  format: Format,
  out: Output,
): Generator<undefined, void, undefined> {
  const spelt = (speller: Speller) => writeTree(reply, speller);
  for (const part of documentFormat(format).parts(reply, out, spelt)) {
    if (part === undefined) yield;
    else out.text(part);
  }
}

function* writeTree({ resource, document: { fields, rows } }: ReplyToWrite, speller: Speller): Parts {
  yield speller.begin();
  const table = (resources[resource] as Resource).fields;
  yield* writeFields(table, fields as Readonly<Record<string, unknown>>, rows, speller);
  yield speller.end();
}

function* writeFields(
  fields: Fields,
  values: Readonly<Record<string, unknown>>,
  rows: RowsToWrite | undefined,
  speller: Speller,
): Parts {
  for (const [name, field] of Object.entries(fields)) {
    if (field.kind === "rows") {
      if (rows === undefined) throw missing("rows");
      yield* speller.rows(name, rows);
    } else if (field.kind === "object") {
      const inner = field.csv === "flat" ? values : values[name];
      if (inner === undefined || inner === null) throw missing(name);
      yield speller.open(name, field);
      yield* writeFields(field.fields, inner as Readonly<Record<string, unknown>>, rows, speller);
      yield speller.close(name, field);
    } else {
      if (field.absentIn?.includes(speller.format)) continue;
      const value = values[name] ?? null;
      const optional = field.kind === "columns" ? false : field.nullable === true;
      if (value === null && !optional) throw missing(name);
      yield speller.leaf(name, field, value);
    }
  }
}

function missing(name: string): InputError {
  return new InputError(`The reply to write has no "${name}".`, { code: "MissingMember" });
}
