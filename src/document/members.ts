import { InputError } from "../errors/errors.js";
import type { ColumnSpec } from "../spec/columns.js";
import type { Field, Fields, ObjectField, ScalarField } from "../spec/resources.js";
import type { Format } from "../spec/vocabulary.js";
import type { CellBatch } from "./cells/cell-batch.js";

/** A reply as it is written: text to append, or undefined where rows were appended and the caller may pause. */
export type Parts = Generator<string | undefined, void, undefined>;

/** Rows to write; the column types determine how cells are written in each format. */
export interface RowsToWrite {
  readonly columns: readonly ColumnSpec[];
  readonly batches: Iterable<CellBatch>;
}

export type LeafField = Exclude<Field, { kind: "object" | "rows" }>;

/** An object to write; `rows` are those of the reply. */
export interface ObjectToWrite {
  readonly fields: Fields;
  readonly values: object;
  readonly rows: RowsToWrite | undefined;
}

type Member = { readonly name: string } & (
  | { readonly kind: "rows"; readonly rows: RowsToWrite }
  | { readonly kind: "object"; readonly field: ObjectField; readonly object: ObjectToWrite }
  | { readonly kind: "leaf"; readonly field: LeafField; readonly value: unknown }
);

/**
 * The members of an object that a format has, in the order of the resource table of spec section 2.
 *
 * @throws {InputError} MissingMember if the format requires a member that is missing
 */
export function* membersOf({ fields, values, rows }: ObjectToWrite, format: Format): Generator<Member> {
  for (const [name, field] of Object.entries(fields)) {
    const value = (values as Readonly<Record<string, unknown>>)[name] ?? null;
    if (field.kind === "rows") {
      if (rows === undefined) throw missing("rows");
      yield { kind: "rows", name, rows };
    } else if (field.kind === "object") {
      const inner = field.csv === "flat" ? values : value;
      if (inner === null) throw missing(name);
      yield { kind: "object", name, field, object: { fields: field.fields, values: inner, rows } };
    } else if (!field.absentIn?.includes(format)) {
      if (value === null && !("nullable" in field && field.nullable)) throw missing(name);
      yield { kind: "leaf", name, field, value };
    }
  }
}

function missing(name: string): InputError {
  return new InputError(`The reply to write has no "${name}".`, { code: "MissingMember" });
}

/**
 * Formats an ISO timestamp: ISO in XML, `YYYY-MM-DD hh:mm:ss UTC` in CSV and, if the field requires it (spec 2.8), in
 * JSON.
 */
export function spellTimestamp(iso: string, field: ScalarField, format: Format): string {
  const utc = format === "csv" || (format === "json" && field.json === "utc");
  return utc ? iso.replace("T", " ").replace(/Z$/, " UTC") : iso;
}
