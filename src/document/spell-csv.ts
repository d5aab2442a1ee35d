import { InputError } from "../errors/errors.js";
import { csvCell } from "../format/csv-records.js";
import type { ObjectField } from "../spec/resources.js";
import type { Output } from "./cells/output.js";
import { writeRows } from "./cells/row-bytes.js";
import { csvLines } from "./cells/row-style.js";
import type { RowsToWrite } from "./rows.js";
import { jsonLeaf } from "./spell-json.js";
import type { LeafField, Parts, Speller } from "./speller.js";
import { spellTimestamp } from "./timestamp.js";

/** Writes one header line and one row (spec 1); nested members have dotted names or share one cell (spec 2.7, 2.8). */
export class CsvSpeller implements Speller {
  readonly format = "csv";
  private readonly names: string[] = [];
  private readonly cells: string[] = [];
  private prefix = "";
  /** The object whose members are being collected into one cell. */
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
    else this.add(name, field.kind === "dateTime" ? spellTimestamp(String(value), field, "csv") : String(value));
    return "";
  }

  // biome-ignore lint/correctness/useYield: replies with rows are written by csvRows
  *rows(): Parts {
    throw new InputError("Metadata in CSV has no rows.", { code: "MissingMember" });
  }

  private add(name: string, text: string | null): void {
    this.names.push(csvCell(this.prefix + name, true));
    this.cells.push(csvCell(text, this.quoteEmpty));
  }
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
