import { InputError } from "../errors/errors.js";
import { csvCell } from "../format/csv-records.js";
import type { ColumnSpec } from "../spec/columns.js";
import type { Profile } from "../spec/profile.js";
import {
  type Field,
  type Fields,
  type ObjectField,
  type Resource,
  type ResourceName,
  resources,
} from "../spec/resources.js";
import type { Format } from "../spec/vocabulary.js";
import { csvRow, jsonRow, type RowSpeller } from "./cells.js";
import { spellMoment } from "./moment.js";
import type { RowsToWrite } from "./rows.js";

/** What to write: the members as {@link RecordOf} gives them, and the rows where the resource has any. */
export interface DocumentToWrite {
  readonly fields: object;
  readonly rows?: RowsToWrite;
}

/** How a format spells what the walk over the resource table meets. */
export interface Speller {
  readonly format: Format;
  begin(): string;
  end(): string;
  open(name: string, field: ObjectField): string;
  close(name: string, field: ObjectField): string;
  leaf(name: string, field: LeafField, value: unknown): string;
  rows(name: string, rows: RowsToWrite): Generator<string, void, undefined>;
}

export type LeafField = Exclude<Field, { kind: "object" | "rows" }>;

/** Pieces of about this many characters are given out. */
const PIECE = 64 * 1024;

/**
 * Writes a reply by the resource table of spec section 2, in pieces, the mirror of `readDocument`. Throws an InputError
 * `MissingMember` where a member is missing that the format needs.
 */
export function* writeDocument(
  resource: ResourceName,
  format: Format,
  document: DocumentToWrite,
  profile: Profile,
): Generator<string, void, undefined> {
  const { fields } = resources[resource] as Resource;
  const speller = spellerOf(resource, format, profile);
  let piece = "";
  const walk = format === "csv" && document.rows !== undefined ? csvRows(resource, document.rows, profile) : all();
  for (const part of walk) {
    piece += part;
    if (piece.length < PIECE) continue;
    yield piece;
    piece = "";
  }
  if (piece !== "") yield piece;

  function* all(): Generator<string, void, undefined> {
    yield speller.begin();
    yield* writeFields(fields, document.fields as Readonly<Record<string, unknown>>, document.rows, speller);
    yield speller.end();
  }
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

function spellerOf(resource: ResourceName, format: Format, profile: Profile): Speller {
  if (format === "csv") return new CsvSpeller(profile.csvQuotesEmptyText.value);
  if (format === "json") return new JSONSpeller();
  throw new InputError(`The reply ${resource} cannot be written in ${format}.`, { code: "UnknownFormat" });
}

class JSONSpeller implements Speller {
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

function jsonLeaf(field: LeafField, value: unknown): unknown {
  if (field.kind === "columns") return (value as readonly ColumnSpec[]).map(({ name, type }) => ({ name, type }));
  return field.kind === "dateTime" && typeof value === "string" ? spellMoment(value, field, "json") : value;
}

/** One header line and one row (spec 1); nested members as dotted names or in one cell (spec 2.7, 2.8). */
class CsvSpeller implements Speller {
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
    throw missing("rows");
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

/** A reply with rows in CSV is its header line and its rows (spec 1); table numbers carry a decimal point (spec 2.6). */
function* csvRows(
  resource: ResourceName,
  { columns, rows }: RowsToWrite,
  profile: Profile,
): Generator<string, void, undefined> {
  const quoteEmpty = profile.csvQuotesEmptyText.value;
  yield `${columns.map(({ name }) => csvCell(name, true)).join(",")}\n`;
  const spell: RowSpeller = csvRow(columns, quoteEmpty, resource === "tableRows");
  for (const row of rows) yield spell(row);
}
