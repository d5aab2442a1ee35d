import type { ColumnSpec } from "../spec/columns.js";
import type { Output } from "./cells/output.js";
import { writeRows } from "./cells/row-bytes.js";
import { jsonRows } from "./cells/row-style.js";
import type { RowsToWrite } from "./rows.js";
import type { LeafField, Parts, Speller } from "./speller.js";
import { spellTimestamp } from "./timestamp.js";

/** Writes members as JSON in the order of the resource table. */
export class JSONSpeller implements Speller {
  readonly format = "json";
  private first = true;

  constructor(private readonly out: Output) {}

  begin(): string {
    return "{";
  }

  end(): string {
    return "}";
  }

  open(name: string): string {
    const text = `${this.comma()}"${name}":{`;
    this.first = true;
    return text;
  }

  close(): string {
    this.first = false;
    return "}";
  }

  leaf(name: string, field: LeafField, value: unknown): string {
    return `${this.comma()}"${name}":${JSON.stringify(jsonLeaf(field, value))}`;
  }

  *rows(name: string, { columns, batches }: RowsToWrite): Parts {
    yield `${this.comma()}"${name}":[`;
    yield* writeRows(jsonRows(columns), batches, this.out);
    yield "]";
  }

  private comma(): string {
    if (!this.first) return ",";
    this.first = false;
    return "";
  }
}

/** The JSON value of a member. */
export function jsonLeaf(field: LeafField, value: unknown): unknown {
  if (field.kind === "columns") return (value as readonly ColumnSpec[]).map(({ name, type }) => ({ name, type }));
  return field.kind === "dateTime" && typeof value === "string" ? spellTimestamp(value, field, "json") : value;
}
