import { escapeXML } from "../format/xml/text.js";
import { type ColumnSpec, parseType, SPEC_TYPES } from "../spec/columns.js";
import type { Output } from "./cells/output.js";
import { writeRows } from "./cells/row-bytes.js";
import { xmlRows } from "./cells/row-style.js";
import { type LeafField, membersOf, type ObjectToWrite, type Parts, spellTimestamp } from "./members.js";
import { hyphens } from "./xml.js";

/** Members as elements with hyphens, typed values with a `type` attribute, null as `nil="true"` (spec 1). */
function* xmlMembers(object: ObjectToWrite, out: Output): Parts {
  for (const member of membersOf(object, "xml")) {
    const element = hyphens(member.name);
    if (member.kind === "leaf") {
      yield xmlLeaf(element, member.field, member.value);
      continue;
    }
    yield member.kind === "rows" ? `<${element} type="array">` : `<${element}>`;
    if (member.kind === "object") yield* xmlMembers(member.object, out);
    else yield* writeRows(xmlRows(member.rows.columns), member.rows.batches, out);
    yield `</${element}>`;
  }
}

function xmlLeaf(usual: string, field: LeafField, value: unknown): string {
  const element = ("xml" in field ? field.xml : undefined) ?? usual;
  if (value === null) return `<${element} nil="true"/>`;
  if (field.kind === "texts") return list(element, value as readonly string[], (text) => tag(field.item, text));
  if (field.kind === "columns") return list(element, value as readonly ColumnSpec[], column);
  const text = field.kind === "dateTime" ? spellTimestamp(String(value), field, "xml") : String(value);
  return field.kind === "string"
    ? tag(element, text)
    : `<${element} type="${field.kind}">${escapeXML(text)}</${element}>`;
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
 * The whole document in the element `root`, with its declaration. Control characters require XML 1.1, which the
 * declaration must say before they occur: where a text column holds some, its digit is changed once the last row is
 * written.
 */
export function* xmlParts(object: ObjectToWrite, root: string, out: Output): Parts {
  let controls = CONTROL_IN_JSON.test(JSON.stringify(object.values));
  const looks = object.rows?.columns.some(({ type }) => mayHoldControls(type));
  yield DECLARATION_START;
  const digit = out.length;
  yield `${controls ? 1 : 0}" encoding="UTF-8"?>\n<${root}>`;
  let from = out.length;
  for (const part of xmlMembers(object, out)) {
    yield part;
    // Between two parts no reference is cut.
    if (looks && !controls) controls = hasControl(out.bytes.subarray(from, out.length));
    from = out.length;
  }
  yield `</${root}>\n`;
  if (controls) out.bytes[digit] = ONE;
}

const DECLARATION_START = '<?xml version="1.';
const ONE = 0x31;

const hasControl = (bytes: Buffer): boolean => bytes.includes("&#") && CONTROL_REFERENCE.test(bytes.toString("latin1"));

/** Characters below U+0020 other than tab and line ends. */
const CONTROL_REFERENCE = /&#(?:[1-8]|1[124-9]|2\d|3[01]);/;
const CONTROL_IN_JSON = /\\[bf]|\\u00(?:0[1-7be]|0f|1[0-9a-f])/;

function mayHoldControls(type: string): boolean {
  return SPEC_TYPES[parseType(type).kind].cell === "text";
}
