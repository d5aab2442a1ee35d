import { type RetryAdvice, ServiceError } from "../errors/errors.js";
import type { ErrorMeaning } from "../spec/error-meanings.js";
import type { Profile } from "../spec/profile.js";
import { resources } from "../spec/resources.js";
import type { Format } from "../spec/vocabulary.js";
import { type FailureText, isWebPage, readFailureBody } from "./failure-body.js";
import { documentFormat } from "./formats.js";
import { meaningOf } from "./meaning.js";
import { webPageText } from "./web-page.js";

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
 * Makes the error for an answer, whatever its body: JSON with any wrappers around `code` and `message` or none, the CSV
 * pair, XML, a web page, or nothing (spec 7 shows no body). Keeps status, code, request id and the first characters
 * without keys; the hint and retry advice come from the profile's error table, else from the code's class and the
 * status. A web page comes from something before the service, and its error says so.
 */
export function readFailure(answer: FailedAnswer, profile: Profile): ServiceError {
  const body = new TextDecoder().decode(answer.bytes.subarray(0, LONGEST_BODY)).replace(/^\ufeff/, "");
  const said = readFailureBody(body);
  const page = isWebPage(body) ? webPageText(answer.status, body, answer.headers) : undefined;
  const meaning = meaningOf(said?.code, said?.message ?? "", answer.status, profile);
  const requestId = answer.headers("x-request-id") ?? undefined;
  return new ServiceError(page?.message ?? sentence(said, body, answer.status), {
    code: said?.code ?? `HTTP${answer.status}`,
    status: answer.status,
    hint: page?.hint ?? meaning.hint,
    retry: retryAdvice(meaning, answer),
    ...(requestId === undefined ? {} : { requestId }),
    ...(body === "" ? {} : { body: body.slice(0, KEPT_BODY) }),
  });
}

/**
 * Whether a whole reply of status 200 is an error body and not the document of a resource: JSON with an error member or
 * a code and message at its root, XML whose root holds an error, or the CSV pair with a code of the profile.
 */
export function isFailureReply(bytes: Uint8Array, profile: Profile): boolean {
  if (bytes.length > LONGEST_BODY) return false;
  const body = new TextDecoder().decode(bytes).trimStart();
  const said = readFailureBody(body);
  if (said?.message === undefined) return false;
  if (body.startsWith("{")) return isJSONFailure(JSON.parse(body) as object);
  if (body.startsWith("<")) return /^(?:<\?[^>]*>\s*)?(?:<[\w-]+>\s*)?<(?:[\w-]*error|errors|fault)\b/i.test(body);
  return (
    said.code !== undefined && (Object.hasOwn(profile.errors.value, said.code) || /^QE[A-Z]x\d\d$/.test(said.code))
  );
}

const ROOTS: ReadonlySet<string> = new Set(
  Object.values(resources)
    .flatMap(({ fields }) => Object.keys(fields))
    .filter((name) => name !== "meta"),
);

function isJSONFailure(members: object): boolean {
  const present = Object.entries(members).filter(([, value]) => value !== null && value !== undefined);
  if (present.some(([name]) => ROOTS.has(name))) return false;
  const names = present.map(([name]) => name.toLowerCase());
  return names.some((name) => /error|fault/.test(name)) || (names.includes("code") && names.includes("message"));
}

/** Whether these bytes are an error body, whatever the status that came with them. */
export function looksLikeFailure(bytes: Uint8Array): boolean {
  return bytes.length <= LONGEST_BODY && readFailureBody(new TextDecoder().decode(bytes))?.code !== undefined;
}

/** The error body of a service in the format asked for, JSON where none is known. */
export function writeFailure(
  failure: Failure,
  format: Format | undefined,
  profile: Profile,
): { readonly contentType: string; readonly body: string } {
  const written = documentFormat(format ?? "json");
  return { contentType: written.contentType, body: written.failure(failure, profile) };
}

/** Characters of a plain text that is shown as the message. */
const LONGEST_SENTENCE = 200;

function sentence(said: FailureText | undefined, body: string, status: number): string {
  const mark = said?.code === undefined ? `status ${status}` : `${said.code}, status ${status}`;
  if (said !== undefined) return `The service refused the call: ${said.message ?? "it gave no reason"} (${mark})`;
  const text = body.trim().replace(/\s+/g, " ");
  if (text === "") return `The service answered without a body (${mark})`;
  const isPlain =
    text.length <= LONGEST_SENTENCE &&
    !/^[{[<]|^(?:null|true|false|[\d.-]+)$|[\u0000-\u001f\u007f-\u009f\ufffd]/.test(text);
  if (isPlain) return `The service refused the call: ${text} (${mark})`;
  return `The service answered without an error message of its own (${mark})`;
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
