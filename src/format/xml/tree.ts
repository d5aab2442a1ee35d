import { DataError } from "../../errors/errors.js";
import { decodeEntities } from "./text.js";

/** An element as the parser leaves it: attributes under `@name`, text under `#`, child elements under their names. */
export interface XMLElement {
  readonly [name: string]: string | XMLElement | readonly XMLElement[];
}

/** The root element's name and content. */
export interface XMLDocument {
  readonly name: string;
  readonly root: XMLElement;
}

const OPTIONS = {
  ignoreAttributes: false,
  attributeNamePrefix: "@",
  textNodeName: "#",
  alwaysCreateTextNode: true,
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
  htmlEntities: true,
  ignoreDeclaration: true,
  ignorePiTags: true,
} as const;

/**
 * Reads a well-formed XML document in UTF-8; every value stays text. The content of the elements at the paths `leave`
 * (`root.data`, names joined by dots) stays as it is written, for {@link xmlRows}. A DOCTYPE is refused wherever it stands, so
 * that no entity can be defined. Throws a DataError `BadXml`.
 */
export async function parseXML(bytes: Uint8Array, leave: readonly string[]): Promise<XMLDocument> {
  const text = decodeXML(bytes);
  if (/<!(?:DOCTYPE|ENTITY)/i.test(text)) {
    throw bad(
      "it has a DOCTYPE, which no reply of the service has",
      "Such documents are refused: they may define entities.",
    );
  }
  const { XMLParser, XMLValidator } = await import("fast-xml-parser");
  const valid = XMLValidator.validate(text);
  if (valid !== true) throw bad(`${valid.err.msg} (line ${valid.err.line}, column ${valid.err.col})`);
  let parsed: Readonly<Record<string, unknown>>;
  try {
    parsed = new XMLParser({ ...OPTIONS, stopNodes: [...leave] }).parse(text) as Readonly<Record<string, unknown>>;
  } catch (cause) {
    throw bad(cause instanceof Error ? cause.message : String(cause), undefined, cause);
  }
  const names = Object.keys(parsed).filter((name) => name !== "#");
  const root = parsed[names[0]];
  if (names.length !== 1 || typeof root !== "object" || root === null || Array.isArray(root)) {
    throw bad("it has no single root element");
  }
  return { name: names[0], root: root as XMLElement };
}

function decodeXML(bytes: Uint8Array): string {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw bad("it is not UTF-8", undefined, cause);
  }
  const encoding = /^\s*<\?xml[^>]*?encoding\s*=\s*["']([^"']*)["']/i.exec(text)?.[1];
  if (encoding !== undefined && !/^(?:utf-?8|us-ascii)$/i.test(encoding))
    throw bad(`its encoding is ${encoding}, not UTF-8`);
  return text;
}

function bad(what: string, hint?: string, cause?: unknown): DataError {
  return new DataError(`This is no XML reply: ${what}.`, {
    code: "BadXml",
    ...(hint === undefined ? {} : { hint }),
    ...(cause === undefined ? {} : { cause }),
  });
}

/**
 * The rows in the content of a list element, one at a time: every child element is a row, every element in it a cell. A cell is
 * its text with entities decoded, null where it says `nil="true"`; the names of the elements do not matter. Throws a DataError
 * `BadXml` for anything else than cells in a row.
 */
export function* xmlRows(content: string): Generator<(string | null)[], void, undefined> {
  const scanner = new Scanner(content);
  for (let number = 0; ; number++) {
    const row = scanner.row(number);
    if (row === undefined) return;
    yield row;
  }
}

const NIL = /\snil\s*=\s*(?:"true"|'true')/;

class Scanner {
  private at = 0;
  private attributes = "";
  private closed = false;

  constructor(private readonly text: string) {}

  row(number: number): (string | null)[] | undefined {
    if (!this.open(number)) return undefined;
    const cells: (string | null)[] = [];
    if (this.closed) return cells;
    while (this.open(number)) cells.push(this.cell(number));
    this.close(number);
    return cells;
  }

  /** Steps over white space, comments and instructions, and into the start tag that follows; false at an end tag or the end. */
  private open(row: number): boolean {
    const { text } = this;
    for (;;) {
      const start = text.indexOf("<", this.at);
      const between = text.slice(this.at, start < 0 ? text.length : start);
      if (between !== "" && between.trim() !== "") throw rowError(`text between the cells: ${between.trim()}`, row);
      this.at = start < 0 ? text.length : start;
      if (start < 0 || text[start + 1] === "/") return false;
      if (text.startsWith("<!--", start)) this.at = this.after("-->", start, row);
      else if (text.startsWith("<?", start)) this.at = this.after("?>", start, row);
      else if (text[start + 1] === "!") throw rowError("a section between the cells", row);
      else {
        this.tag(start, row);
        return true;
      }
    }
  }

  /** Reads a start tag; a `>` may stand inside an attribute's quotes. */
  private tag(start: number, row: number): void {
    const { text } = this;
    let end = text.indexOf(">", start);
    let inside = text.slice(start + 1, end);
    while (end >= 0 && inside.includes('"') && unbalanced(inside)) {
      end = text.indexOf(">", end + 1);
      inside = text.slice(start + 1, end);
    }
    if (end < 0) throw rowError("a tag without its end", row);
    this.closed = inside.endsWith("/");
    this.attributes = inside;
    this.at = end + 1;
  }

  private cell(row: number): string | null {
    const nil = NIL.test(this.attributes);
    const value = this.closed ? "" : this.content(row);
    if (nil && value.trim() !== "") throw rowError(`a null cell that holds ${JSON.stringify(value)}`, row);
    return nil ? null : value;
  }

  private content(row: number): string {
    const { text } = this;
    let out = "";
    for (;;) {
      const start = text.indexOf("<", this.at);
      if (start < 0) throw rowError("a cell without its end", row);
      out += decode(text.slice(this.at, start), row);
      this.at = start;
      if (text[start + 1] === "/") {
        this.close(row);
        return out;
      }
      if (text.startsWith("<![CDATA[", start)) {
        this.at = this.after("]]>", start, row);
        out += text.slice(start + 9, this.at - 3);
      } else if (text.startsWith("<!--", start)) this.at = this.after("-->", start, row);
      else throw rowError("an element inside a cell", row);
    }
  }

  private close(row: number): void {
    this.at = this.after(">", this.at, row);
  }

  private after(mark: string, from: number, row: number): number {
    const end = this.text.indexOf(mark, from);
    if (end < 0) throw rowError(`no ${mark}`, row);
    return end + mark.length;
  }
}

function unbalanced(text: string): boolean {
  let quotes = 0;
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) quotes++;
  return quotes % 2 === 1;
}

function decode(text: string, row: number): string {
  if (!text.includes("&")) return text;
  const unknown = /&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[0-9a-fA-F]+);)\S{0,20}/.exec(text);
  if (unknown) throw rowError(`the unknown entity ${unknown[0]}`, row);
  return decodeEntities(text);
}

function rowError(what: string, row: number): DataError {
  return new DataError(`This is no XML reply: row ${row} has ${what}.`, { code: "BadXml", row });
}
