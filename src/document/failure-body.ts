import { contentOfText } from "../format/content.js";
import { csvRecords } from "../format/csv-records.js";
import { XML_DONE, XML_END, XML_START } from "../format/xml/cursor.js";
import { openXML } from "../format/xml/open.js";
import { decodeEntities } from "../format/xml/text.js";
import { utf8Bytes } from "../platform/node/bytes.js";

export interface FailureText {
  readonly code?: string;
  readonly message?: string;
}

const MAX_LEVELS = 5;
/** The most messages kept from a list of errors, and their total length in characters. */
const MAX_MESSAGES = 3;
const MAX_MESSAGE = 1_000;

/** Member names of a code and a message, most specific first, in lower case. */
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
 * Finds the code and message in an error body: JSON with or without wrappers, a CSV pair, XML. Undefined for a web page
 * and for anything else.
 */
export function readFailureBody(body: string): FailureText | undefined {
  const found = READERS[contentOfText(body)](body.trimStart());
  if (found?.message === undefined || found.message.length <= MAX_MESSAGE) return found;
  return { ...found, message: `${found.message.slice(0, MAX_MESSAGE)}…` };
}

const READERS = {
  nothing: () => undefined,
  page: () => undefined,
  json: readJSON,
  xml: readXML,
  other: readCSV,
} as const satisfies Readonly<Record<ReturnType<typeof contentOfText>, (body: string) => FailureText | undefined>>;

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

/** The first code and the first messages in a list of errors or strings. */
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
  return { code, message: messages.join("; ") + (more > 0 ? `; … (${more} more)` : "") };
}

function readMembers(members: ReadonlyMap<string, unknown>, levels: number): FailureText | undefined {
  const named = (names: readonly string[]): string | undefined =>
    names.map((name) => textOf(members.get(name))).find((text) => text !== undefined);
  const code = named(CODE_NAMES);
  const message = named(MESSAGE_NAMES) ?? textOf(members.get("error"));
  const inner = readWrapped(members, levels);
  if (message === undefined && code === undefined) return inner;
  return { code: code ?? inner?.code, message: message ?? inner?.message };
}

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

/** `{ ticker: ["is unknown"] }`: messages by field. Undefined if a member has the name of a code or message. */
function readByField(errors: object): FailureText | undefined {
  if (Object.keys(errors).some((name) => [...CODE_NAMES, ...MESSAGE_NAMES].includes(name.toLowerCase())))
    return undefined;
  const fields = Object.entries(errors).flatMap(([name, value]) => {
    const said = textOf(value) ?? readList(Array.isArray(value) ? value : [], 0)?.message;
    return said === undefined ? [] : [`${name}: ${said}`];
  });
  return readList(fields, 0);
}

function textOf(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The first non-empty elements `code` and `message`, at any depth. */
function readXML(body: string): FailureText | undefined {
  const code = readElement(body, "code");
  const message = readElement(body, "message");
  return code === undefined && message === undefined ? undefined : { code, message };
}

/** The texts, trimmed and not empty, of all elements of this name (ignoring case) that contain no other element. */
function elementTexts(bytes: Uint8Array, name: string): string[] {
  const cursor = openXML(bytes);
  const texts: string[] = [];
  let text: string | undefined;
  for (let token = cursor.next(); token !== XML_DONE; token = cursor.next()) {
    if (token === XML_START) text = cursor.name().toLowerCase() === name ? "" : undefined;
    else if (token === XML_END) {
      if (text !== undefined && text.trim() !== "") texts.push(text.trim());
      text = undefined;
    } else if (text !== undefined) text += cursor.text();
  }
  return texts;
}

function readElement(body: string, name: string): string | undefined {
  try {
    return elementTexts(utf8Bytes(body), name)[0];
  } catch {
    // Error bodies are often written by hand: an unescaped & must not hide the code.
    const match = new RegExp(`<${name}(?:\\s[^<>]*)?>([^<]*)</${name}\\s*>`, "i").exec(body);
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
