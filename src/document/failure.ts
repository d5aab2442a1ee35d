import { type RetryAdvice, ServiceError } from "../errors/errors.js";
import { csvCell, csvRecords } from "../format/csv-records.js";
import { decodeEntities, escapeAnyXML } from "../format/xml-text.js";
import type { ErrorMeaning, Profile } from "../spec/profile.js";
import type { Format } from "../spec/vocabulary.js";
import { meaningOf } from "./meaning.js";

/** An error as a service reports it: its code, one sentence, and the HTTP status. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly status: number;
}

/**
 * An HTTP answer that is not the reply asked for. `headers` gives a header's value by its name, letter case ignored.
 */
export interface FailedAnswer {
  readonly status: number;
  readonly contentType: string | null;
  readonly headers: (name: string) => string | null;
  readonly bytes: Uint8Array;
}

/** Bytes of the body that are searched for a code and message. */
const LONGEST_BODY = 64 * 1024;
/** Characters of the body that the error keeps. */
const KEPT_BODY = 400;

/**
 * Makes the error for an answer, whatever its body: JSON with any single wrapper around `code` and `message` or none,
 * the CSV pair, XML, a web page, or nothing (spec 7 shows no body). Keeps status, code, request id and the first
 * characters without keys; the hint and retry advice come from the profile's error table, else from the code's class
 * and the status.
 */
export function readFailure(answer: FailedAnswer, profile: Profile): ServiceError {
  const body = new TextDecoder().decode(answer.bytes.subarray(0, LONGEST_BODY)).replace(/^\ufeff/, "");
  const said = readPair(body);
  const meaning = meaningOf(said?.code, said?.message ?? "", answer.status, profile);
  const requestId = answer.headers("x-request-id") ?? undefined;
  return new ServiceError(sentence(said, body, answer.status), {
    code: said?.code ?? `HTTP${answer.status}`,
    status: answer.status,
    hint: meaning.hint,
    retry: retryAdvice(meaning, answer),
    ...(requestId === undefined ? {} : { requestId }),
    ...(body === "" ? {} : { body: body.slice(0, KEPT_BODY) }),
  });
}

/** Whether these bytes are an error body, whatever the status that came with them. */
export function looksLikeFailure(bytes: Uint8Array): boolean {
  return bytes.length <= LONGEST_BODY && readPair(new TextDecoder().decode(bytes))?.code !== undefined;
}

const TYPES: Readonly<Record<Format, string>> = {
  json: "application/json; charset=utf-8",
  xml: "application/xml; charset=utf-8",
  csv: "text/csv; charset=utf-8",
};

/** The `content-type` of a reply in this format. */
export function contentType(format: Format): string {
  return TYPES[format];
}

/** The error body of a service in the format asked for, JSON where none is known. */
export function writeFailure(
  failure: Failure,
  format: Format | undefined,
  profile: Profile,
): { readonly contentType: string; readonly body: string } {
  const { code, message } = failure;
  const root = profile.errorRoot.value;
  if (format === "csv") {
    return { contentType: TYPES.csv, body: `code,message\n${csvCell(code, true)},${csvCell(message, true)}\n` };
  }
  if (format === "xml") {
    const element = root.replaceAll("_", "-");
    const inner = `<code>${escapeAnyXML(code)}</code><message>${escapeAnyXML(message)}</message>`;
    const outer = profile.xmlRoot.value;
    return {
      contentType: TYPES.xml,
      body: `<?xml version="1.0" encoding="UTF-8"?>\n<${outer}><${element}>${inner}</${element}></${outer}>\n`,
    };
  }
  return { contentType: TYPES.json, body: JSON.stringify({ [root]: { code, message } }) };
}

interface Said {
  readonly code?: string;
  readonly message?: string;
}

function readPair(body: string): Said | undefined {
  const start = body.trimStart();
  if (start.startsWith("{") || start.startsWith("[")) return jsonPair(start);
  if (/^<!doctype html|^<html/i.test(start)) return undefined;
  if (start.startsWith("<")) return xmlPair(start);
  return csvPair(start);
}

function jsonPair(body: string): Said | undefined {
  try {
    return pairIn(JSON.parse(body), 3);
  } catch {
    return undefined;
  }
}

/** `code` and `message` here, or in the only wrapper. */
function pairIn(value: unknown, levels: number): Said | undefined {
  if (Array.isArray(value)) return value.length === 1 ? pairIn(value[0], levels - 1) : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  const members = value as Readonly<Record<string, unknown>>;
  const code = textOf(members["code"]);
  const message = textOf(members["message"]) ?? textOf(members["error"]);
  if (message !== undefined) return { ...(code === undefined ? {} : { code }), message };
  if (code !== undefined) return { code };
  const inner = Object.values(members);
  const wrapped = members["error"] ?? members["errors"] ?? (inner.length === 1 ? inner[0] : undefined);
  return wrapped === undefined || levels === 0 ? undefined : pairIn(wrapped, levels - 1);
}

function textOf(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}

function xmlPair(body: string): Said | undefined {
  const element = (name: string): string | undefined => {
    const match = new RegExp(`<${name}(?:\\s[^>]*)?>([^<]*)</${name}\\s*>`, "i").exec(body);
    return match && match[1].trim() !== "" ? decodeEntities(match[1].trim()) : undefined;
  };
  const code = element("code");
  const message = element("message");
  if (code === undefined && message === undefined) return undefined;
  return { ...(code === undefined ? {} : { code }), ...(message === undefined ? {} : { message }) };
}

function csvPair(body: string): Said | undefined {
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

function sentence(said: Said | undefined, body: string, status: number): string {
  const mark = said?.code === undefined ? `status ${status}` : `${said.code}, status ${status}`;
  if (said !== undefined) return `The service refused the call: ${said.message ?? "it gave no reason"} (${mark})`;
  const title = /<title[^>]*>([^<]*)<\/title/i.exec(body)?.[1].trim();
  if (title !== undefined) return `The service answered with a web page, "${decodeEntities(title)}" (${mark})`;
  if (body.trim() === "") return `The service answered without a body (${mark})`;
  return `The service answered with something that is no error message of its own (${mark})`;
}

function retryAdvice(meaning: ErrorMeaning, answer: FailedAnswer): RetryAdvice {
  const after = retryAfter(answer) ?? meaning.after ?? 0;
  return after > 0 ? { retryable: meaning.retryable, after } : { retryable: meaning.retryable };
}

/**
 * Milliseconds of a `Retry-After` header: seconds, or a date compared with the service's clock (its `Date` header),
 * else with ours. 0 for a date that has passed; undefined without the header and for a malformed one.
 */
function retryAfter(answer: FailedAnswer): number | undefined {
  const text = answer.headers("retry-after")?.trim();
  if (text === undefined) return undefined;
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const then = /^[A-Za-z]{3,9}, /.test(text) ? Date.parse(text) : Number.NaN;
  const theirs = Date.parse(answer.headers("date") ?? "");
  const now = Number.isNaN(theirs) ? Date.now() : theirs;
  return Number.isNaN(then) ? undefined : Math.max(0, then - now);
}
