import { readFailure } from "../../document/failure.js";
import { reworded, type ServiceError } from "../../errors/errors.js";
import { API_PREFIX } from "../../spec/endpoints.js";
import { baseOf } from "./address.js";
import type { Answer } from "./exchange.js";
import type { Session } from "./session.js";
import type { Settings } from "./settings.js";

/**
 * The error of a reply of any status. "Too many requests" slows the limiter down; a reply from another host is not
 * attributed to the key.
 */
export function failed({ settings, limiter }: Session, answer: Answer, bytes: Uint8Array): ServiceError {
  const error = failureOf(answer, bytes, settings);
  if (answer.status === 429 && error.retry?.retryable !== false) limiter.slowDown(error.retry?.after);
  if (settings.profile.seriesRetired.value && isRetired(error, answer)) {
    return reworded(error, `The time series of ${answer.host} have been withdrawn (status ${answer.status}).`, {
      hint: 'Its tables remain: service.table("VENDOR/TABLE"). Frame.fromParquet() and the like read series saved before.',
    });
  }
  return answer.redirectedFrom === undefined ? error : elsewhere(error, answer, answer.redirectedFrom);
}

/** Whether a reply to a call of a time series, without an error code of its own, means that there are none any more. */
function isRetired({ code }: ServiceError, { status, url }: Answer): boolean {
  const isSeries = new URL(url).pathname.includes(`${API_PREFIX}/datasets/`);
  return isSeries && (status === 410 || (status === 403 && !/^QE/.test(code)));
}

/** The error of a storage host: it rejects the link from the service, not the key. */
export function storageFailure(settings: Settings, answer: Answer, bytes: Uint8Array, code: string): ServiceError {
  const error = failureOf(answer, bytes, settings);
  const what = error.message.replace(/^The service refused the call: /, "");
  const message = `${answer.host}, which stores the file of ${code}, rejected the download: ${what}`;
  const hint = error.retry?.retryable
    ? error.hint
    : "The link from the service has expired or is invalid; try again later, and report it to the service if it persists.";
  return reworded(error, message, { hint });
}

function failureOf({ status, header }: Answer, bytes: Uint8Array, { profile }: Settings): ServiceError {
  return readFailure({ status, contentType: header("content-type"), headers: header, bytes }, profile);
}

/**
 * The error of another host after a redirect: the key was not sent there, so that its complaint about a key is
 * meaningless.
 */
function elsewhere(error: ServiceError, answer: Answer, from: string): ServiceError {
  const aboutKeys = answer.keyWithheld && ([401, 403].includes(answer.status) || /^QE[AP]/i.test(error.code));
  const message = `${error.message} ${redirectText(answer, from)}${aboutKeys ? ", which does not get the key" : ""}.`;
  if (!aboutKeys) return reworded(error, message);
  const hint = `If the service has moved there, pass its new address: connect({ url: ${JSON.stringify(newBase(answer.url))} }).`;
  return reworded(error, message, { hint });
}

/** Describes a redirect by its hosts, with protocols if only these differ. */
export function redirectText({ url, host }: Answer, from: string): string {
  const { host: fromHost } = new URL(from);
  return fromHost === host
    ? `${from} redirected the call to ${new URL(url).origin}`
    : `${fromHost} redirected the call to ${host}`;
}

/** The base address of a service that replied at `url`, without a query, which may contain a key. */
function newBase(url: string): string {
  const { origin, pathname } = new URL(url);
  const at = pathname.indexOf("/api/v3/");
  return baseOf(at < 0 ? origin : origin + pathname.slice(0, at));
}
