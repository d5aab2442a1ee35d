import { DataError } from "../errors/errors.js";
import { csvCell } from "../format/csv-records.js";
import { escapeAnyXML } from "../format/xml/text.js";
import type { Profile } from "../spec/profile.js";
import { type Resource, type ResourceName, resources } from "../spec/resources.js";
import type { Format } from "../spec/vocabulary.js";
import type { Output } from "./cells/output.js";
import { csvHeader, csvNode } from "./csv.js";
import type { FailureText } from "./failure-body.js";
import { jsonNode, rowPaths } from "./json.js";
import type { ObjectToWrite, Parts, RowsToWrite } from "./members.js";
import type { Node, Rows } from "./node.js";
import { csvParts, csvRows } from "./spell-csv.js";
import { jsonParts } from "./spell-json.js";
import { xmlParts } from "./spell-xml.js";
import { xmlNode } from "./xml.js";

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
