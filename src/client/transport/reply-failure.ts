import { readFailure } from "../../document/failure.js";
import type { ServiceError } from "../../errors/errors.js";
import { reworded } from "../../errors/errors.js";
import { baseOf } from "./address.js";
import type { Answer } from "./exchange.js";
import type { Limiter } from "./limiter.js";
import type { Settings } from "./options.js";

/** The connection that asked. */
interface Asking {
  readonly settings: Settings;
  readonly limiter: Limiter;
}

/**
 * The error in an answer of any status. A "too many" slows the limiter down; an answer from another host is not blamed
 * on the key.
 */
export function failed({ settings, limiter }: Asking, answer: Answer, bytes: Uint8Array): ServiceError {
  const error = failureOf(answer, bytes, settings);
  if (answer.status === 429 && error.retry?.retryable !== false) limiter.slowDown(error.retry?.after);
  return answer.redirectedFrom === undefined ? error : elsewhere(error, answer, answer.redirectedFrom);
}

/** The error of a host that only stores files: what it refuses is the link that the service gave, not the key. */
export function storageFailure(settings: Settings, answer: Answer, bytes: Uint8Array, code: string): ServiceError {
  const error = failureOf(answer, bytes, settings);
  const what = error.message.replace(/^The service refused the call: /, "");
  const message = `${answer.host}, which stores the file of ${code}, refused the download: ${what}`;
  const hint = error.retry?.retryable
    ? error.hint
    : "The link from the service has expired or is wrong; try again later, and report it to the service if it persists.";
  return reworded(error, message, { hint });
}

function failureOf({ status, header }: Answer, bytes: Uint8Array, { profile }: Settings): ServiceError {
  return readFailure({ status, contentType: header("content-type"), headers: header, bytes }, profile);
}

const ABOUT_KEYS = new Set([401, 403]);

/**
 * The error of another host that a redirect led to: the key is not sent there, so its complaint about a key means
 * nothing.
 */
function elsewhere(error: ServiceError, answer: Answer, from: string): ServiceError {
  const aboutKeys = answer.keyWithheld && (ABOUT_KEYS.has(answer.status) || /^QE[AP]/i.test(error.code));
  const message = `${error.message} ${redirectText(answer, from)}${aboutKeys ? ", which does not get the key" : ""}.`;
  if (!aboutKeys) return reworded(error, message);
  const hint = `If the service has moved there, pass its new address: connect({ url: ${JSON.stringify(newBase(answer.url))} }).`;
  return reworded(error, message, { hint });
}

/** Which host redirected the call to which; with their protocols where these are all that differs. */
export function redirectText({ url, host }: Answer, from: string): string {
  const { host: fromHost } = new URL(from);
  return fromHost === host
    ? `${from} redirected the call to ${new URL(url).origin}`
    : `${fromHost} redirected the call to ${host}`;
}

/** The base address of a service that has answered at `url`; no query, which may hold a key. */
function newBase(url: string): string {
  const { origin, pathname } = new URL(url);
  const at = pathname.indexOf("/api/v3/");
  return baseOf(at < 0 ? origin : origin + pathname.slice(0, at));
}
