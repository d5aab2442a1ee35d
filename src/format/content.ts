import type { Format } from "../spec/vocabulary.js";
import { type FormatName, formatName, formatOf } from "./signature.js";

/** The kind of content, determined by its first bytes. */
export type Content = "nothing" | "page" | "json" | "xml" | "other" | FormatName;

/** The most bytes that are decoded to find the first characters after white space. */
const START = 600;

/** Determines the kind of content of a reply or file by its first bytes; skips a UTF-8 byte order mark. */
export function contentOf(bytes: Uint8Array): Content {
  return formatOf(bytes) ?? contentOfText(new TextDecoder().decode(bytes.subarray(0, START)));
}

/** As {@link contentOf}, for text without a byte order mark. */
export function contentOfText(text: string): Exclude<Content, FormatName> {
  const start = text.slice(0, START).trimStart();
  if (start === "") return "nothing";
  if (start[0] === "{" || start[0] === "[") return "json";
  if (start[0] !== "<") return "other";
  return /^<(?:!doctype\s+html|html|head|body)\b/i.test(start) ? "page" : "xml";
}

const NAMES: Readonly<Record<Exclude<Content, FormatName> | Format, string>> = {
  nothing: "nothing",
  page: "a web page",
  json: "JSON",
  xml: "XML",
  csv: "CSV",
  other: "other content",
};

/** The name of a kind of content for messages, with its article. */
export function contentName(content: Content | Format): string {
  return Object.hasOwn(NAMES, content) ? NAMES[content as keyof typeof NAMES] : formatName(content as FormatName);
}

/** Whether bytes of this kind may be a reply in a format, or an archive. CSV may start like JSON or XML. */
export function isContent(content: Content, wanted: Format | FormatName, bytes: Uint8Array): boolean {
  if (wanted !== "csv") return content === wanted;
  return content === "other" || content === "json" || (content === "xml" && !isXMLDeclaration(bytes));
}

function isXMLDeclaration(bytes: Uint8Array): boolean {
  return new TextDecoder().decode(bytes.subarray(0, START)).trimStart().startsWith("<?xml");
}
