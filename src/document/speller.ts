import type { Field, ObjectField } from "../spec/resources.js";
import type { Format } from "../spec/vocabulary.js";
import type { RowsToWrite } from "./rows.js";

/** A member with a value. */
export type LeafField = Exclude<Field, { kind: "object" | "rows" }>;

/** A reply as it is written: text to append, or undefined where rows were appended and the caller may pause. */
export type Parts = Generator<string | undefined, void, undefined>;

/** The writer of one format, called for each field of the resource table. */
export interface Speller {
  readonly format: Format;
  begin(): string;
  end(): string;
  open(name: string, field: ObjectField): string;
  close(name: string, field: ObjectField): string;
  /** A member's value, which may be null. */
  leaf(name: string, field: LeafField, value: unknown): string;
  rows(name: string, rows: RowsToWrite): Parts;
}
