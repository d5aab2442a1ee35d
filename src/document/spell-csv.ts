import { InputError } from "../errors/errors.js";
import { csvCell } from "../format/csv-records.js";
import type { ObjectField } from "../spec/resources.js";
import { csvRow } from "./cells.js";
import { spellMoment } from "./moment.js";
import type { RowsToWrite } from "./rows.js";
import { jsonLeaf } from "./spell-json.js";
import type { LeafField, Speller } from "./speller.js";

/** One header line and one row (spec 1); nested members as dotted names or in one cell (spec 2.7, 2.8). */
export class CsvSpeller implements Speller {
  readonly format = "csv";
  private readonly names: string[] = [];
  private readonly cells: string[] = [];
  private prefix = "";
  /** The object whose members go into one cell, while it is open. */
  private cell: Record<string, unknown> | undefined;

  constructor(private readonly quoteEmpty: boolean) {}

  begin(): string {
    return "";
  }

  end(): string {
    return `${this.names.join(",")}\n${this.cells.join(",")}\n`;
  }

  open(name: string, field: ObjectField): string {
    if (field.csv === "dotted") this.prefix = `${name}.`;
    if (field.csv === "cell") this.cell = {};
    return "";
  }

  close(name: string, field: ObjectField): string {
    if (field.csv === "dotted") this.prefix = "";
    if (field.csv === "cell") {
      const text = spacedJSON(this.cell);
      this.cell = undefined;
      this.add(name, text);
    }
    return "";
  }

  leaf(name: string, field: LeafField, value: unknown): string {
    if (this.cell !== undefined) this.cell[name] = jsonLeaf(field, value);
    else if (value === null) this.add(name, null);
    else if (field.kind === "texts" || field.kind === "columns") this.add(name, spacedJSON(jsonLeaf(field, value)));
    else this.add(name, field.kind === "dateTime" ? spellMoment(String(value), field, "csv") : String(value));
    return "";
  }

  // biome-ignore lint/correctness/useYield: replies with rows are written by csvRows
  *rows(): Generator<string, void, undefined> {
    throw new InputError("Metadata in CSV has no rows.", { code: "MissingMember" });
  }

  private add(name: string, text: string | null): void {
    this.names.push(csvCell(this.prefix + name, true));
    this.cells.push(csvCell(text, this.quoteEmpty));
  }
}

/** JSON text with a space after commas and colons, as services of this kind print list cells. */
function spacedJSON(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spacedJSON).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${spacedJSON(member)}`);
  return `{${members.join(", ")}}`;
}

/**
 * A reply with rows in CSV is its header line and its rows (spec 1); table numbers carry a decimal point (spec 2.6).
 */
export function* csvRows(
  { columns, rows }: RowsToWrite,
  quoteEmpty: boolean,
  decimalPoint: boolean,
): Generator<string, void, undefined> {
  yield `${columns.map(({ name }) => csvCell(name, true)).join(",")}\n`;
  const spell = csvRow(columns, quoteEmpty, decimalPoint);
  for (const row of rows) yield spell(row);
}
