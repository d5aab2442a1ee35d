import { escapeXML } from "../format/xml/text.js";
import { type ColumnSpec, parseType, SPEC_TYPES } from "../spec/columns.js";
import type { ObjectField } from "../spec/resources.js";
import { xmlRow } from "./cells.js";
import { spellMoment } from "./moment.js";
import type { RowsToWrite } from "./rows.js";
import type { LeafField, Speller } from "./speller.js";
import { hyphens } from "./xml.js";

/** Members as elements with hyphens, typed values with a `type` attribute, null as `nil="true"` (spec 1). */
export class XMLSpeller implements Speller {
  readonly format = "xml";

  constructor(private readonly root: string) {}

  begin(): string {
    return `<${this.root}>`;
  }

  end(): string {
    return `</${this.root}>\n`;
  }

  open(name: string): string {
    return `<${hyphens(name)}>`;
  }

  close(name: string, _field: ObjectField): string {
    return `</${hyphens(name)}>`;
  }

  leaf(name: string, field: LeafField, value: unknown): string {
    const element = ("xml" in field ? field.xml : undefined) ?? hyphens(name);
    if (value === null) return `<${element} nil="true"/>`;
    if (field.kind === "texts") return list(element, value as readonly string[], (text) => tag(field.item, text));
    if (field.kind === "columns") return list(element, value as readonly ColumnSpec[], column);
    const text = field.kind === "dateTime" ? spellMoment(String(value), field, "xml") : String(value);
    return field.kind === "string"
      ? tag(element, text)
      : `<${element} type="${field.kind}">${escapeXML(text)}</${element}>`;
  }

  *rows(name: string, { columns, rows }: RowsToWrite): Generator<string, void, undefined> {
    const spell = xmlRow(columns);
    yield `<${name} type="array">`;
    for (const row of rows) yield spell(row);
    yield `</${name}>`;
  }
}

function tag(element: string, text: string): string {
  return `<${element}>${escapeXML(text)}</${element}>`;
}

function column({ name, type }: ColumnSpec): string {
  return `<column>${tag("name", name)}${tag("type", type)}</column>`;
}

function list<T>(element: string, items: readonly T[], spell: (item: T) => string): string {
  if (items.length === 0) return `<${element} type="array"/>`;
  return `<${element} type="array">${items.map(spell).join("")}</${element}>`;
}

/**
 * The whole document with its declaration. Control characters need XML 1.1, which the declaration says before they
 * come: where a text column may bring some, the chunks are held back until the last row; other replies are emitted as
 * they are written.
 */
export function* declared(
  pieces: Iterable<string>,
  fields: object,
  columns: readonly ColumnSpec[],
): Generator<string, void, undefined> {
  const held = columns.some(({ type }) => mayHoldControls(type)) ? [...pieces] : undefined;
  const controls = CONTROL_IN_JSON.test(JSON.stringify(fields)) || held?.some((piece) => CONTROL_REFERENCE.test(piece));
  yield `<?xml version="${controls ? "1.1" : "1.0"}" encoding="UTF-8"?>\n`;
  yield* held ?? pieces;
}

/** Characters below U+0020 other than tab and line ends. */
const CONTROL_REFERENCE = /&#(?:[1-8]|1[124-9]|2\d|3[01]);/;
const CONTROL_IN_JSON = /\\[bf]|\\u00(?:0[1-7be]|0f|1[0-9a-f])/;

function mayHoldControls(type: string): boolean {
  return SPEC_TYPES[parseType(type).kind].cell === "text";
}
