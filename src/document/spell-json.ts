import type { ColumnSpec } from "../spec/columns.js";
import { jsonRow } from "./cells.js";
import { spellMoment } from "./moment.js";
import type { RowsToWrite } from "./rows.js";
import type { LeafField, Speller } from "./speller.js";

/** Members as JSON, in the order of the resource table. */
export class JSONSpeller implements Speller {
  readonly format = "json";
  private first = true;

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

  *rows(name: string, { columns, rows }: RowsToWrite): Generator<string, void, undefined> {
    yield `${this.comma()}"${name}":[`;
    const spell = jsonRow(columns);
    let first = true;
    for (const row of rows) {
      yield first ? spell(row) : `,${spell(row)}`;
      first = false;
    }
    yield "]";
  }

  private comma(): string {
    if (!this.first) return ",";
    this.first = false;
    return "";
  }
}

/** A member's value as JSON has it. */
export function jsonLeaf(field: LeafField, value: unknown): unknown {
  if (field.kind === "columns") return (value as readonly ColumnSpec[]).map(({ name, type }) => ({ name, type }));
  return field.kind === "dateTime" && typeof value === "string" ? spellMoment(value, field, "json") : value;
}
