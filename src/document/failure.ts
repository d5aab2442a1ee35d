import { type RetryAdvice, ServiceError } from "../errors/errors.js";
import { contentOfText } from "../format/content.js";
import { decodeEntities } from "../format/xml/text.js";
import type { ErrorMeaning } from "../spec/error-meanings.js";
import type { Profile } from "../spec/profile.js";
import { resources } from "../spec/resources.js";
import type { Format } from "../spec/vocabulary.js";
import { retryAfter } from "../transport/retry.js";
import { type FailureText, readFailureBody } from "./failure-body.js";
import { documentFormat } from "./formats.js";
import { BY_STATUS, meaningOf } from "./meaning.js";

/** An error as a service reports it: code, message and HTTP status. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly status: number;
}

/** An HTTP reply other than the requested one. `headers` returns the value of a header, ignoring case. */
export interface FailedReply {
  readonly status: number;
  readonly contentType: string | null;
  readonly headers: (name: string) => string | null;
  readonly bytes: Uint8Array;
}

/** The most bytes of the body that are searched for a code and message. */
const LONGEST_BODY = 64 * 1024;
const KEPT_BODY = 400;

/**
 * Builds the error for a reply with any body: JSON with or without wrappers around `code` and `message`, a CSV pair,
 * XML, a web page, or nothing (spec 7 shows no body). Keeps status, code, request id and the first characters without
 * keys; hint and retry advice come from the profile's error table, else from the class of the code and the status. A
 * web page is attributed to an intermediary in front of the service.
 */
export function readFailure(answer: FailedReply, profile: Profile): ServiceError {
  const body = new TextDecoder().decode(answer.bytes.subarray(0, LONGEST_BODY)).replace(/^\ufeff/, "");
  const found = readFailureBody(body);
  const page = contentOfText(body) === "page" ? webPageText(answer.status, body, answer.headers) : undefined;
  const meaning = meaningOf(found?.code, found?.message ?? "", answer.status, profile);
  const requestId = answer.headers("x-request-id") ?? undefined;
  return new ServiceError(page?.message ?? sentence(found, body, answer.status), {
    code: found?.code ?? `HTTP${answer.status}`,
    status: answer.status,
    hint: page?.hint ?? meaning.hint,
    retry: retryAdvice(meaning, answer),
    ...(requestId === undefined ? {} : { requestId }),
    ...(body === "" ? {} : { body: body.slice(0, KEPT_BODY) }),
  });
}

/**
 * Whether a reply of status 200 is an error body instead of a resource: JSON with an error member or with a code and
 * message at its root, XML whose root contains an error, or a CSV pair with a code of the profile.
 */
export function isFailureReply(bytes: Uint8Array, profile: Profile): boolean {
  if (bytes.length > LONGEST_BODY) return false;
  const body = new TextDecoder().decode(bytes).trimStart();
  const found = readFailureBody(body);
  if (found?.message === undefined) return false;
  if (body.startsWith("{")) return isJSONFailure(JSON.parse(body) as object);
  if (contentOfText(body) === "xml")
    return /^(?:<\?[^>]*>\s*)?(?:<[\w-]+>\s*)?<(?:[\w-]*error|errors|fault)\b/i.test(body);
  return (
    found.code !== undefined && (Object.hasOwn(profile.errors.value, found.code) || /^QE[A-Z]x\d\d$/.test(found.code))
  );
}

const ROOTS: readonly string[] = Object.values(resources).flatMap(({ fields }) => Object.keys(fields));

function isJSONFailure(members: object): boolean {
  const present = Object.entries(members).filter(([, value]) => value !== null && value !== undefined);
  if (present.some(([name]) => name !== "meta" && ROOTS.includes(name))) return false;
  const names = present.map(([name]) => name.toLowerCase());
  return names.some((name) => /error|fault/.test(name)) || (names.includes("code") && names.includes("message"));
}

/** Whether the bytes are an error body, whatever their status. */
export function looksLikeFailure(bytes: Uint8Array): boolean {
  return bytes.length <= LONGEST_BODY && readFailureBody(new TextDecoder().decode(bytes))?.code !== undefined;
}

/** An error body of a service in the requested format; JSON by default. */
export function writeFailure(
  failure: Failure,
  format: Format | undefined,
  profile: Profile,
): { readonly contentType: string; readonly body: string } {
  const written = documentFormat(format ?? "json");
  return { contentType: written.contentType, body: written.failure(failure, profile) };
}

const LONGEST_SENTENCE = 200;

function sentence(found: FailureText | undefined, body: string, status: number): string {
  const mark = found?.code === undefined ? `status ${status}` : `${found.code}, status ${status}`;
  if (found !== undefined) return `The service refused the call: ${found.message ?? "no reason stated"} (${mark})`;
  const text = body.trim().replace(/\s+/g, " ");
  if (text === "") return `The service replied without a body (${mark})`;
  const isPlain =
    text.length <= LONGEST_SENTENCE &&
    !/^[{[<]|^(?:null|true|false|[\d.-]+)$|[\u0000-\u001f\u007f-\u009f\ufffd]/.test(text);
  if (isPlain) return `The service refused the call: ${text} (${mark})`;
  return `The service replied without an error message (${mark})`;
}

function retryAdvice(meaning: ErrorMeaning, answer: FailedReply): RetryAdvice {
  const after = retryAfter(answer.headers) ?? meaning.after ?? 0;
  return after > 0 ? { retryable: meaning.retryable, after } : { retryable: meaning.retryable };
}

type Headers = (name: string) => string | null;

interface Intermediary {
  readonly name: string;
  readonly sent: (headers: Headers, body: string) => boolean;
  /** The request's reference for the operators of the intermediary. */
  readonly reference?: (headers: Headers, body: string) => string | null | undefined;
}

/** Recognizable pages of proxies in front of a service. */
const INTERMEDIARIES: readonly Intermediary[] = [
  {
    name: "Cloudflare",
    sent: (headers, body) => headers("cf-ray") !== null || /cloudflare/i.test(headers("server") ?? body),
    reference: (headers, body) => headers("cf-ray") ?? /Ray ID:[^0-9a-f]{0,40}([0-9a-f]{8,32})/i.exec(body)?.[1],
  },
  {
    name: "Imperva",
    sent: (headers, body) => headers("x-iinfo") !== null || /incapsula|imperva/i.test(`${headers("x-cdn")} ${body}`),
    reference: (_, body) => /incident ID:\s{0,9}([\d-]{3,60})/i.exec(body)?.[1],
  },
  {
    name: "Akamai",
    sent: (headers, body) => /akamai/i.test(headers("server") ?? "") || /edgesuite\.net|akamai/i.test(body),
    reference: (_, body) => /Reference\s{0,9}(?:#|&#35;)\s{0,9}([\w.&#;]{3,80})/i.exec(body)?.[1],
  },
  {
    name: "CloudFront",
    sent: (headers, body) => /cloudfront/i.test(`${headers("via")} ${headers("x-cache")} ${body}`),
    reference: (headers) => headers("x-amz-cf-id"),
  },
  { name: "Fastly", sent: (headers) => /^cache-/.test(headers("x-served-by") ?? "") },
];

/**
 * The message and hint for a web page in place of an error message: its origin and the next step, as its status does
 * not come from the service.
 */
function webPageText(status: number, body: string, headers: Headers) {
  const found = INTERMEDIARIES.find(({ sent }) => sent(headers, body));
  const reference = found?.reference?.(headers, body);
  const title = decodeEntities(/<title[^>]{0,200}>([^<]{0,200})/i.exec(body)?.[1] ?? "")
    .replace(/\s+/g, " ")
    .trim();
  const page = `a web page${title === "" ? "" : `, "${title}"`}`;
  const mark = [`status ${status}`, ...(reference ? [`reference ${reference}`] : [])].join(", ");
  return {
    message: `${found?.name ?? "The address"} replied with ${page} (${mark})`,
    hint: hintOf(status, found?.name),
  };
}

function hintOf(status: number, name: string | undefined): string {
  const who = name ?? "a proxy, firewall or login page";
  if (status === 404 || status === 410) return BY_STATUS[404];
  if (status >= 500) return `${upper(who)} replied in place of the service; try again later.`;
  const refused = `${upper(who)} replied in place of the service, which never received the request; the key was not checked.`;
  if (status === 429) return `${refused} Send fewer requests at once.`;
  return `${refused} Try from another network, or ask the operators of the service to let this one through.`;
}

const upper = (text: string): string => text[0].toUpperCase() + text.slice(1);
