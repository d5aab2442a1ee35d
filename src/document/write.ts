import { InputError } from "../errors/errors.js";
import type { Profile } from "../spec/profile.js";
import { type Fields, type Resource, type ResourceName, resources } from "../spec/resources.js";
import type { Format } from "../spec/vocabulary.js";
import { type DocumentToWrite, documentFormat } from "./formats.js";
import type { RowsToWrite } from "./rows.js";
import type { Speller } from "./speller.js";

/** Chunks of about this many characters are emitted. */
const PIECE = 64 * 1024;

/**
 * Writes a reply by the resource table of spec section 2, in pieces, the mirror of `readDocument`.
 *
 * @throws {InputError} MissingMember where a member is missing that the format needs
 */
export function* writeDocument(
  resource: ResourceName,
  format: Format,
  document: DocumentToWrite,
  profile: Profile,
): Generator<string, void, undefined> {
  const spelt = (speller: Speller) => inPieces(writeTree(resource, document, speller));
  yield* inPieces(documentFormat(format).parts(resource, document, profile, spelt));
}

function* inPieces(parts: Iterable<string>): Generator<string, void, undefined> {
  let piece = "";
  for (const part of parts) {
    piece += part;
    if (piece.length < PIECE) continue;
    yield piece;
    piece = "";
  }
  if (piece !== "") yield piece;
}

function* writeTree(
  resource: ResourceName,
  { fields, rows }: DocumentToWrite,
  speller: Speller,
): Generator<string, void, undefined> {
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
): Generator<string, void, undefined> {
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
