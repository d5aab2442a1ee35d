import { DataError } from "../errors/errors.js";
import { escapeAnyXML } from "../format/xml/text.js";
import type { Profile } from "../spec/profile.js";
import { type Resource, type ResourceName, resources } from "../spec/resources.js";
import type { Format } from "../spec/vocabulary.js";
import { csvHeader, csvNode } from "./csv.js";
import { type FailureText, writeCSVFailure } from "./failure-body.js";
import { jsonNode, rowPaths } from "./json.js";
import type { Node } from "./node.js";
import type { Rows, RowsToWrite } from "./rows.js";
import { CsvSpeller, csvRows } from "./spell-csv.js";
import { JSONSpeller } from "./spell-json.js";
import { declared, XMLSpeller } from "./spell-xml.js";
import type { Speller } from "./speller.js";
import { xmlNode } from "./xml.js";

/** What to write: the members as {@link RecordOf} gives them, and the rows where the resource has any. */
export interface DocumentToWrite {
  readonly fields: object;
  readonly rows?: RowsToWrite;
}

/** How a reply is read and written in one format. */
export interface DocumentFormat {
  readonly contentType: string;
  /** Whether a reply may begin with this text, white space left out. */
  readonly begins: (start: string) => boolean;
  /** The root of a reply, its rows left unread. */
  readonly root: (bytes: Uint8Array, profile: Profile) => Node | Promise<Node>;
  /** Reads a reply with rows where it holds nothing but them and the names of their columns (spec 1). */
  readonly rowsAlone?: (bytes: Uint8Array) => { readonly names: readonly string[]; readonly rows: Rows };
  /** The parts of a reply; `spelt` walks the members of the resource. */
  readonly parts: (
    resource: ResourceName,
    document: DocumentToWrite,
    profile: Profile,
    spelt: (speller: Speller) => Generator<string, void, undefined>,
  ) => Generator<string, void, undefined>;
  /** The error body. */
  readonly failure: (failure: Required<FailureText>, profile: Profile) => string;
}

const ROW_PATHS = Object.values(resources).flatMap(({ fields }: Resource) => rowPaths(fields));

const TYPES: Readonly<Record<Format, DocumentFormat>> = {
  json: {
    contentType: "application/json; charset=utf-8",
    begins: (start) => !start.startsWith("<"),
    root: (bytes) => jsonNode(bytes, ROW_PATHS),
    parts: (_resource, _document, _profile, spelt) => spelt(new JSONSpeller()),
    failure: ({ code, message }, profile) => JSON.stringify({ [profile.errorRoot.value]: { code, message } }),
  },
  xml: {
    contentType: "application/xml; charset=utf-8",
    begins: (start) => start.startsWith("<"),
    root: (bytes, profile) => xmlNode(bytes, ROW_PATHS, profile),
    parts: (_resource, { fields, rows }, profile, spelt) =>
      declared(spelt(new XMLSpeller(profile.xmlRoot.value)), fields, rows?.columns ?? []),
    failure({ code, message }, profile) {
      const element = profile.errorRoot.value.replaceAll("_", "-");
      const inner = `<code>${escapeAnyXML(code)}</code><message>${escapeAnyXML(message)}</message>`;
      const outer = profile.xmlRoot.value;
      return `<?xml version="1.0" encoding="UTF-8"?>\n<${outer}><${element}>${inner}</${element}></${outer}>\n`;
    },
  },
  csv: {
    contentType: "text/csv; charset=utf-8",
    begins: (start) => !start.startsWith("<?xml"),
    root: (bytes, profile) => csvNode(strictText(bytes), profile.csvQuotesEmptyText.value),
    rowsAlone: (bytes) => ({ names: csvHeader(bytes), rows: { kind: "csv", bytes } }),
    parts(resource, { rows }, profile, spelt) {
      const quoteEmpty = profile.csvQuotesEmptyText.value;
      return rows === undefined
        ? spelt(new CsvSpeller(quoteEmpty))
        : csvRows(rows, quoteEmpty, resource === "tableRows");
    },
    failure: ({ code, message }) => writeCSVFailure(code, message),
  },
};

/** How a reply is read and written in a format. */
export const documentFormat = (format: Format): DocumentFormat => TYPES[format];

function strictText(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new DataError("The reply is not UTF-8.", { code: "BadUtf8", cause });
  }
}
