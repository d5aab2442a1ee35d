import { csvCell, csvRecords } from "../format/csv-records.js";
import { elementTexts } from "../format/xml/element-texts.js";
import { decodeEntities } from "../format/xml/text.js";

/** What an error body says. */
export interface FailureText {
  readonly code?: string;
  readonly message?: string;
}

/** Levels of wrappers that are looked into. */
const MAX_LEVELS = 5;
/** Messages of a list of errors that are kept, and characters of all of them. */
const MAX_MESSAGES = 3;
const MAX_MESSAGE = 1_000;

/** Member names for a code and a message, the most telling first; letter case is ignored. */
const CODE_NAMES = ["code", "error_code", "errorcode"];
const MESSAGE_NAMES = [
  "message",
  "error_description",
  "error_message",
  "faultstring",
  "detail",
  "reason",
  "msg",
  "title",
];

/**
 * The code and message in an error body: JSON with any wrappers around them or none, the CSV pair, XML. Undefined for a
 * web page and for anything else.
 */
export function readFailureBody(body: string): FailureText | undefined {
  const start = body.trimStart();
  const found = /^[{[]/.test(start)
    ? readJSON(start)
    : isWebPage(start)
      ? undefined
      : start.startsWith("<")
        ? readXML(start)
        : readCSV(start);
  if (found?.message === undefined || found.message.length <= MAX_MESSAGE) return found;
  return { ...found, message: `${found.message.slice(0, MAX_MESSAGE)}…` };
}

/** Whether a body starts as a web page does. */
export function isWebPage(body: string): boolean {
  return /^\s*<(?:!doctype\s+html|html|head|body)\b/i.test(body);
}

function readJSON(body: string): FailureText | undefined {
  try {
    return readValue(JSON.parse(body), MAX_LEVELS);
  } catch {
    return undefined;
  }
}

function readValue(value: unknown, levels: number): FailureText | undefined {
  if (levels < 0) return undefined;
  if (Array.isArray(value)) return readList(value, levels);
  if (typeof value !== "object" || value === null) return undefined;
  return readMembers(new Map(Object.entries(value).map(([name, member]) => [name.toLowerCase(), member])), levels);
}

/** The first code, and the first messages, of a list of errors or of texts. */
function readList(values: readonly unknown[], levels: number): FailureText | undefined {
  const read = (value: unknown): FailureText | undefined => {
    const message = textOf(value);
    return message === undefined ? readValue(value, levels - 1) : { message };
  };
  const first = values.slice(0, MAX_MESSAGES).map(read);
  const messages = first.flatMap((each) => each?.message ?? []);
  const code = first.find((each) => each?.code !== undefined)?.code;
  if (messages.length === 0) return code === undefined ? undefined : { code };
  const more = values.length - MAX_MESSAGES;
  return failureText(code, messages.join("; ") + (more > 0 ? `; … (${more} more)` : ""));
}

function readMembers(members: ReadonlyMap<string, unknown>, levels: number): FailureText | undefined {
  const named = (names: readonly string[]): string | undefined =>
    names.map((name) => textOf(members.get(name))).find((text) => text !== undefined);
  const code = named(CODE_NAMES);
  const message = named(MESSAGE_NAMES) ?? textOf(members.get("error"));
  const inner = readWrapped(members, levels);
  if (message === undefined && code === undefined) return inner;
  return failureText(code ?? inner?.code, message ?? inner?.message);
}

/** What is said inside `error`, `errors` or another member that may be a wrapper. */
function readWrapped(members: ReadonlyMap<string, unknown>, levels: number): FailureText | undefined {
  const errors = members.get("errors");
  if (typeof errors === "object" && errors !== null && !Array.isArray(errors)) {
    const found = readByField(errors) ?? readValue(errors, levels - 1);
    if (found !== undefined) return found;
  }
  const names = [...members.keys()];
  const wrappers = [
    ...names.filter((name) => /error|fault/.test(name)),
    ...names.filter((name) => !/error|fault/.test(name)),
  ];
  for (const name of wrappers) {
    const value = members.get(name);
    const found = typeof value === "object" ? readValue(value, levels - 1) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * `{ ticker: ["is unknown"] }`: messages by the field they are about. Undefined where a member is named as a code or
 * message is.
 */
function readByField(errors: object): FailureText | undefined {
  if (Object.keys(errors).some((name) => [...CODE_NAMES, ...MESSAGE_NAMES].includes(name.toLowerCase())))
    return undefined;
  const fields = Object.entries(errors).flatMap(([name, value]) => {
    const said = textOf(value) ?? readList(Array.isArray(value) ? value : [], 0)?.message;
    return said === undefined ? [] : [`${name}: ${said}`];
  });
  return readList(fields, 0);
}

function failureText(code: string | undefined, message: string | undefined): FailureText {
  return { ...(code === undefined ? {} : { code }), ...(message === undefined ? {} : { message }) };
}

function textOf(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The first elements `code` and `message` with a text, wherever they are. */
function readXML(body: string): FailureText | undefined {
  const code = readElement(body, "code");
  const message = readElement(body, "message");
  return code === undefined && message === undefined ? undefined : failureText(code, message);
}

function readElement(body: string, name: string): string | undefined {
  try {
    return elementTexts(Buffer.from(body), name)[0];
  } catch {
    // Error bodies are written by hand more often than replies: a bare & must not cost their code.
    const match = new RegExp(`<${name}(?:\\s[^>]*)?>([^<]*)</${name}\\s*>`, "i").exec(body);
    const text = match === null ? "" : decodeEntities(match[1]).trim();
    return text === "" ? undefined : text;
  }
}

function readCSV(body: string): FailureText | undefined {
  try {
    const [header, row, more] = csvRecords(body);
    const names = header?.map((cell) => cell.text.trim().toLowerCase());
    if (names === undefined || row === undefined || more !== undefined || names.length > 4) return undefined;
    const [code, message] = [row[names.indexOf("code")]?.text, row[names.indexOf("message")]?.text];
    return code !== undefined && message !== undefined ? { code, message } : undefined;
  } catch {
    return undefined;
  }
}

/** The error body of CSV: a header and one row. */
export function writeCSVFailure(code: string, message: string): string {
  return `code,message\n${csvCell(code, true)},${csvCell(message, true)}\n`;
}
