import { DataError } from "../errors/errors.js";
import { escapeAnyXML } from "../format/xml/text.js";
import type { Profile } from "../spec/profile.js";
import { type Resource, type ResourceName, resources } from "../spec/resources.js";
import type { Format } from "../spec/vocabulary.js";
import type { Output } from "./cells/output.js";
import { csvHeader, csvNode } from "./csv.js";
import { type FailureText, writeCSVFailure } from "./failure-body.js";
import { jsonNode, rowPaths } from "./json.js";
import type { Node } from "./node.js";
import type { Rows, RowsToWrite } from "./rows.js";
import { CsvSpeller, csvRows } from "./spell-csv.js";
import { JSONSpeller } from "./spell-json.js";
import { declared, XMLSpeller } from "./spell-xml.js";
import type { Parts, Speller } from "./speller.js";
import { xmlNode } from "./xml.js";

/** The content of a reply: its members as in {@link RecordOf}, and the rows if the resource has any. */
export interface DocumentToWrite {
  readonly fields: object;
  readonly rows?: RowsToWrite;
}

/** A reply to write: which resource it is, and how the service spells it. */
export interface ReplyToWrite {
  readonly resource: ResourceName;
  readonly document: DocumentToWrite;
  readonly profile: Profile;
}

/** How replies are read and written in one format. */
export interface DocumentFormat {
  readonly contentType: string;
  /** Parses the root of a reply; the rows stay unread. */
  readonly root: (bytes: Uint8Array, profile: Profile) => Node | Promise<Node>;
  /** Parses a reply that consists of rows and their column names only (spec 1). */
  readonly rowsAlone?: (bytes: Uint8Array) => { readonly names: readonly string[]; readonly rows: Rows };
  /** The parts of a reply that is written to `out`; `spelt` writes the members of the resource. */
  readonly parts: (reply: ReplyToWrite, out: Output, spelt: (speller: Speller) => Parts) => Parts;
  /** An error body. */
  readonly failure: (failure: Required<FailureText>, profile: Profile) => string;
}

const ROW_PATHS = Object.values(resources).flatMap(({ fields }: Resource) => rowPaths(fields));

const TYPES: Readonly<Record<Format, DocumentFormat>> = {
  json: {
    contentType: "application/json; charset=utf-8",
    root: (bytes) => jsonNode(bytes, ROW_PATHS),
    parts: (_reply, out, spelt) => spelt(new JSONSpeller(out)),
    failure: ({ code, message }, profile) => JSON.stringify({ [profile.errorRoot.value]: { code, message } }),
  },
  xml: {
    contentType: "application/xml; charset=utf-8",
    root: (bytes, profile) => xmlNode(bytes, ROW_PATHS, profile),
    parts: ({ document: { fields, rows }, profile }, out, spelt) =>
      declared(spelt(new XMLSpeller(profile.xmlRoot.value, out)), fields, rows?.columns ?? [], out),
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
    parts({ resource, document: { rows }, profile }, out, spelt) {
      const quoteEmpty = profile.csvQuotesEmptyText.value;
      return rows === undefined
        ? spelt(new CsvSpeller(quoteEmpty))
        : csvRows(rows, quoteEmpty, resource === "tableRows", out);
    },
    failure: ({ code, message }) => writeCSVFailure(code, message),
  },
};

/** The reader and writer of a format. */
export const documentFormat = (format: Format): DocumentFormat => TYPES[format];

function strictText(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new DataError("The reply is not UTF-8.", { code: "BadUtf8", cause });
  }
}
