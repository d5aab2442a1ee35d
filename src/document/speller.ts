import type { Field, ObjectField } from "../spec/resources.js";
import type { Format } from "../spec/vocabulary.js";
import type { RowsToWrite } from "./rows.js";

/** A member with a value of its own. */
export type LeafField = Exclude<Field, { kind: "object" | "rows" }>;

/** How a format spells what the walk over the resource table meets. */
export interface Speller {
  readonly format: Format;
  begin(): string;
  end(): string;
  open(name: string, field: ObjectField): string;
  close(name: string, field: ObjectField): string;
  /** A member's value, null included. */
  leaf(name: string, field: LeafField, value: unknown): string;
  rows(name: string, rows: RowsToWrite): Generator<string, void, undefined>;
}
