/**
 * All foreign text in HTML or terminal output is escaped here: cells, column names, titles, descriptions, file names
 * and error messages.
 */

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
  "`": "&#96;",
};

/**
 * Escapes text for HTML content and double-quoted attributes; control characters, which HTML cannot represent, become
 * control pictures (␀, ␛).
 */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"'`]/g, (sign) => ENTITIES[sign]).replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/g, picture);
}

/**
 * Formats one line for a terminal: removes ANSI and C0/C1 control characters, shows line ends as `⏎` and direction
 * overrides as `�`.
 */
export function plainLine(text: string): string {
  return text
    .replace(/\r\n?|\n|\u2028|\u2029/g, "⏎")
    .replace(/\t/g, "⇥")
    .replace(/[\x00-\x1f\x7f]/g, picture)
    .replace(/[\x80-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g, "\ufffd");
}

/** Replaces characters that XML cannot represent: control characters by control pictures, the rest by `\ufffd`. */
export function wellFormedXml(xml: string): string {
  return xml
    .replace(/[\x00-\x08\x0b\x0c\x0e-\x1f]/g, picture)
    .replace(/[\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd");
}

/** Serializes JSON for a `<script type="application/json">`: the output cannot end the element or start a comment. */
export function escapeJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

const picture = (sign: string): string => String.fromCharCode(sign === "\x7f" ? 0x2421 : 0x2400 + sign.charCodeAt(0));
