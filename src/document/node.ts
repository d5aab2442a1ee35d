import { DataError } from "../errors/errors.js";
import { unreachable } from "../errors/options.js";
import type { XMLFragment } from "../format/xml/cursor.js";
import type { Field, Fields, ScalarField } from "../spec/resources.js";
import { NO_DATE, parseDate } from "../value/date.js";
import { formatTimestamp, readTimestamp } from "../value/timestamp.js";

/** The untyped rows of a reply: their byte range, or their texts. */
export type Rows =
  | { readonly kind: "json"; readonly bytes: Uint8Array; readonly start: number; readonly end: number }
  | { readonly kind: "csv"; readonly bytes: Uint8Array }
  | ({ readonly kind: "xml" } & XMLFragment);

/** One value of a reply, independent of the format, with the accessors that the resource table needs. */
export interface Node {
  /** The path from the root, for messages: `datatable.columns`. */
  readonly where: string;
  /** Whether the value is null; text may be empty without being null. */
  isNull(field: Field): boolean;
  /** A member of an object; undefined if it is missing. */
  member(name: string, field: Field): Node | undefined;
  items(field: Field): readonly Node[];
  text(kind: ScalarField["kind"]): string;
  rows(): Rows;
}

/** The result of reading fields: the members, and the rows if the resource has any. */
export interface Found {
  readonly fields: Record<string, unknown>;
  rows?: Rows;
  /** Names of members that may be null and are missing; they are null in `fields`. */
  missing?: Set<string>;
}

/** The error for a well-formed reply with an unexpected shape; the message contains the fault and its path. */
export function shapeError(what: string, where: string): DataError {
  return new DataError(`${where === "" ? "The reply" : `The reply's "${where}"`} ${what}.`, {
    code: "UnexpectedShape",
    hint: "The address or the profile may belong to another service: see connect({ profile }).",
  });
}

/** Reads the members of `fields` from `node`; unknown members are ignored (spec 2). */
export function readFields(fields: Fields, node: Node, found: Found): Found {
  for (const [name, field] of Object.entries(fields)) {
    const member = node.member(name, field);
    if (member === undefined) readMissing(name, field, node, found);
    else if (field.kind === "rows") found.rows = member.rows();
    else if (field.kind === "object" && field.csv === "flat") readFields(field.fields, member, found);
    else found.fields[name] = readValue(field, member);
  }
  return found;
}

function readMissing(name: string, field: Field, node: Node, found: Found): void {
  if ("absentIn" in field && field.absentIn !== undefined) return;
  if (!("nullable" in field && field.nullable)) throw shapeError(`has no member "${name}"`, node.where);
  found.fields[name] = null;
  found.missing ??= new Set();
  found.missing.add(name);
}

function readValue(field: Exclude<Field, { kind: "rows" }>, node: Node): unknown {
  const nullable = "nullable" in field && field.nullable === true;
  if (node.isNull(field)) {
    if (nullable) return null;
    throw shapeError("is null", node.where);
  }
  switch (field.kind) {
    case "object":
      return readFields(field.fields, node, { fields: {} }).fields;
    case "texts":
      // The reply for a column number that does not exist has a column without a name (observed at services of this
      // kind).
      return node.items(field).map((item) => (item.isNull(TEXT) ? "" : item.text("string")));
    case "columns":
      return node.items(field).map((item) => ({ name: readMember(item, "name"), type: readMember(item, "type") }));
    case "string":
    case "integer":
    case "float":
    case "boolean":
    case "date":
    case "dateTime": {
      const text = node.text(field.kind);
      return text === "" && nullable && field.kind !== "string" ? null : readScalar(field.kind, text, node.where);
    }
    default:
      return unreachable(field, "kind of member");
  }
}

const TEXT = { kind: "string" } as const;

function readMember(node: Node, name: string): string {
  const member = node.member(name, TEXT);
  if (member === undefined) throw shapeError(`has no member "${name}"`, node.where);
  if (member.isNull(TEXT)) throw shapeError("is null", member.where);
  return member.text("string");
}

function readScalar(kind: ScalarField["kind"], text: string, where: string): string | number | boolean {
  const bad = (what: string) => shapeError(`is ${JSON.stringify(text)}, not ${what}`, where);
  switch (kind) {
    case "integer":
    case "float": {
      // Number() also accepts hexadecimal digits and an empty string.
      const value = DECIMAL.test(text.trim()) ? Number(text) : Number.NaN;
      if (!Number.isFinite(value)) throw bad("a number");
      if (kind === "integer" && !Number.isSafeInteger(value)) throw bad("a whole number below 2^53");
      return value;
    }
    case "boolean":
      if (text !== "true" && text !== "false") throw bad("true or false");
      return text === "true";
    case "date":
      if (parseDate(text) === NO_DATE) throw bad("a date YYYY-MM-DD");
      return text;
    case "dateTime": {
      const iso = isoTimestamp(text);
      if (iso === undefined) throw bad("a timestamp such as 2024-02-29T12:00:00Z");
      return iso;
    }
    case "string":
      return text;
  }
}

const DECIMAL = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?$/;

const ENDS_WITH_ZONE = /(?:[zZ]|UTC|[+-]\d\d:?\d\d)$/;

/**
 * Converts a timestamp in any spelling of the service (`…T…Z`, `… UTC`, `… +0000`; without a zone it is UTC) to ISO
 * 8601 UTC with `T` and `Z` and, if they are not zero, milliseconds. Undefined if the text is not a timestamp.
 */
function isoTimestamp(text: string): string | undefined {
  const bytes = new TextEncoder().encode(ENDS_WITH_ZONE.test(text) ? text : `${text}Z`);
  const ms = readTimestamp(bytes, 0, bytes.length, true);
  return Number.isFinite(ms) ? formatTimestamp(ms) : undefined;
}
