import { DataError } from "../errors/errors.js";
import { csvCell } from "../format/csv-records.js";
import { escapeAnyXML, escapeXML } from "../format/xml/text.js";
import { indexOfBytes, latin1Text, utf8Bytes } from "../platform/node/bytes.js";
import { type ColumnSpec, parseType, SPEC_TYPES } from "../spec/columns.js";
import type { Profile } from "../spec/profile.js";
import { type Resource, type ResourceName, resources } from "../spec/resources.js";
import type { Format } from "../spec/vocabulary.js";
import type { Output } from "./cells/output.js";
import { writeRows } from "./cells/row-bytes.js";
import { csvLines, jsonRows, xmlRows } from "./cells/row-style.js";
import { csvHeader, csvNode } from "./csv.js";
import type { FailureText } from "./failure-body.js";
import { jsonNode, rowPaths } from "./json.js";
import {
  type LeafField,
  membersOf,
  type ObjectToWrite,
  type Parts,
  type RowsToWrite,
  spellTimestamp,
} from "./members.js";
import type { Node, Rows } from "./node.js";
import { hyphens, xmlNode } from "./xml.js";

/** The content of a reply: its members as in {@link RecordOf}, and the rows if the resource has any. */
export interface DocumentToWrite {
  readonly fields: object;
  readonly rows?: RowsToWrite;
}

export interface ReplyToWrite {
  readonly resource: ResourceName;
  readonly document: DocumentToWrite;
  readonly profile: Profile;
}

export interface DocumentFormat {
  readonly contentType: string;
  readonly root: (bytes: Uint8Array, profile: Profile) => Node | Promise<Node>;
  /** Parses a reply that consists of rows and their column names only (spec 1). */
  readonly rowsAlone?: (bytes: Uint8Array) => { readonly names: readonly string[]; readonly rows: Rows };
  /** The parts of a reply that is written to `out`. */
  readonly parts: (object: ObjectToWrite, out: Output, reply: ReplyToWrite) => Parts;
  readonly failure: (failure: Required<FailureText>, profile: Profile) => string;
}

const ROW_PATHS = Object.values(resources).flatMap(({ fields }: Resource) => rowPaths(fields));

const TYPES: Readonly<Record<Format, DocumentFormat>> = {
  json: {
    contentType: "application/json; charset=utf-8",
    root: (bytes) => jsonNode(bytes, ROW_PATHS),
    parts: jsonParts,
    failure: ({ code, message }, profile) => JSON.stringify({ [profile.errorRoot.value]: { code, message } }),
  },
  xml: {
    contentType: "application/xml; charset=utf-8",
    root: (bytes, profile) => xmlNode(bytes, ROW_PATHS, profile),
    parts: (object, out, { profile }) => xmlParts(object, profile.xmlRoot.value, out),
    failure({ code, message }, profile) {
      const element = profile.errorRoot.value.replaceAll("_", "-");
      const inner = `<code>${escapeAnyXML(code)}</code><message>${escapeAnyXML(message)}</message>`;
      const outer = profile.xmlRoot.value;
      return `<?xml version="1.0" encoding="UTF-8"?>\n<${outer}><${element}>${inner}</${element}></${outer}>\n`;
    },
  },
  csv: {
    contentType: "text/csv; charset=utf-8",
    root: (bytes, profile) => csvNode(strictText(bytes), profile.csvQuotesEmptyText.value),
    rowsAlone: (bytes) => ({ names: csvHeader(bytes), rows: { kind: "csv", bytes } }),
    parts(object, out, { resource, profile }) {
      const quoteEmpty = profile.csvQuotesEmptyText.value;
      return object.rows === undefined
        ? csvParts(object, quoteEmpty)
        : csvRows(object.rows, quoteEmpty, resource === "tableRows", out);
    },
    failure: ({ code, message }) => `code,message\n${csvCell(code, true)},${csvCell(message, true)}\n`,
  },
};

export const documentFormat = (format: Format): DocumentFormat => TYPES[format];

/**
 * Appends a reply to `out` by the resource table of spec section 2; the inverse of `readDocument`. Returns to its
 * caller after each 64 kB of rows or so.
 *
 * @throws {InputError} MissingMember if the format requires a member that is missing
 */
export function* writeDocument(
  reply: ReplyToWrite,
  format: Format,
  out: Output,
): Generator<undefined, void, undefined> {
  const { fields: values, rows } = reply.document;
  const { fields }: Resource = resources[reply.resource];
  for (const part of TYPES[format].parts({ fields, values, rows }, out, reply)) {
    if (part === undefined) yield;
    else out.text(part);
  }
}

function strictText(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new DataError("The reply is not UTF-8.", { code: "BadUtf8", cause });
  }
}

/** A header line and one row (spec 1); nested members have dotted names or share one cell (spec 2.7, 2.8). */
function* csvParts(object: ObjectToWrite, quoteEmpty: boolean): Parts {
  const cells = [...csvCells(object, "")];
  yield `${cells.map(([name]) => csvCell(name, true)).join(",")}\n`;
  yield `${cells.map(([, text]) => csvCell(text, quoteEmpty)).join(",")}\n`;
}

function* csvCells(object: ObjectToWrite, prefix: string): Generator<readonly [name: string, text: string | null]> {
  for (const member of membersOf(object, "csv")) {
    const name = prefix + member.name;
    if (member.kind === "leaf") yield [name, csvLeaf(member.field, member.value)];
    if (member.kind !== "object") continue;
    if (member.field.csv === "cell") yield [name, spacedJSON(jsonMembers(member.object))];
    else yield* csvCells(member.object, member.field.csv === "dotted" ? `${member.name}.` : prefix);
  }
}

function csvLeaf(field: LeafField, value: unknown): string | null {
  if (value === null) return null;
  if (field.kind === "texts" || field.kind === "columns") return spacedJSON(jsonLeaf(field, value));
  return field.kind === "dateTime" ? spellTimestamp(String(value), field, "csv") : String(value);
}

function jsonMembers(object: ObjectToWrite): object {
  return Object.fromEntries(
    [...membersOf(object, "csv")].flatMap((each) =>
      each.kind === "leaf" ? [[each.name, jsonLeaf(each.field, each.value)]] : [],
    ),
  );
}

/** JSON with a space after commas and colons, as services of this kind print list cells. */
function spacedJSON(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spacedJSON).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${spacedJSON(member)}`);
  return `{${members.join(", ")}}`;
}

/** A CSV reply with rows: a header line and the rows (spec 1); table numbers have a decimal point (spec 2.6). */
function* csvRows({ columns, batches }: RowsToWrite, quoteEmpty: boolean, decimalPoint: boolean, out: Output): Parts {
  yield `${columns.map(({ name }) => csvCell(name, true)).join(",")}\n`;
  yield* writeRows(csvLines(columns, quoteEmpty, decimalPoint), batches, out);
}

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
function* xmlParts(object: ObjectToWrite, root: string, out: Output): Parts {
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

const REFERENCE = utf8Bytes("&#");

const hasControl = (bytes: Uint8Array): boolean =>
  indexOfBytes(bytes, REFERENCE) >= 0 && CONTROL_REFERENCE.test(latin1Text(bytes));

/** Characters below U+0020 other than tab and line ends. */
const CONTROL_REFERENCE = /&#(?:[1-8]|1[124-9]|2\d|3[01]);/;
const CONTROL_IN_JSON = /\\[bf]|\\u00(?:0[1-7be]|0f|1[0-9a-f])/;

function mayHoldControls(type: string): boolean {
  return SPEC_TYPES[parseType(type).kind].cell === "text";
}

function* jsonParts(object: ObjectToWrite, out: Output): Parts {
  let before = "{";
  for (const member of membersOf(object, "json")) {
    yield `${before}"${member.name}":`;
    before = ",";
    if (member.kind === "leaf") yield JSON.stringify(jsonLeaf(member.field, member.value));
    else if (member.kind === "object") yield* jsonParts(member.object, out);
    else {
      yield "[";
      yield* writeRows(jsonRows(member.rows.columns), member.rows.batches, out);
      yield "]";
    }
  }
  yield "}";
}

function jsonLeaf(field: LeafField, value: unknown): unknown {
  if (field.kind === "columns") return (value as readonly ColumnSpec[]).map(({ name, type }) => ({ name, type }));
  return field.kind === "dateTime" && typeof value === "string" ? spellTimestamp(value, field, "json") : value;
}
