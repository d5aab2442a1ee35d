import { type ErrorMeaning, EXPORT_HINT as EXPORT } from "../spec/error-meanings.js";
import type { Profile } from "../spec/profile.js";

/** The next step by status, if the code implies none. */
export const BY_STATUS: Readonly<Record<number, string>> = {
  400: "Check the parameters of the call.",
  401: "Check the API key passed to connect() or in ARROWBOOK_API_KEY: see docs/client.md.",
  403: "This key has no access: bulk files and premium data require a subscriber's key.",
  404: "Check the code: DATABASE/DATASET for a series, VENDOR/TABLE for a table; and the address passed to connect({ url }).",
  405: "The service supports GET only.",
  406: "Request json, xml or csv.",
  408: "The service timed out; try again.",
  410: "The service no longer offers this.",
  413: `Narrow the request. ${EXPORT}`,
  414: EXPORT,
  422: "Correct the parameters of the call.",
  429: "Too many calls: wait, then send fewer at once.",
  431: EXPORT,
};

const RETRYABLE = new Set([408, 425, 429, 500, 502, 503, 504]);

/** The letter after `QE` is the class of an observed code: M internal failure, X unavailable. */
const RETRYABLE_CLASS = /^QE[MX]/i;
const REFUSED_CLASS = /^QE[APSC]/i;

/**
 * The meaning of an error and the next step: by its code in the profile, else by its message (spec 7: too long, too
 * many results), else by the class of the code, else by the status.
 */
export function meaningOf(code: string | undefined, message: string, status: number, profile: Profile): ErrorMeaning {
  const table = profile.errors.value;
  if (code !== undefined && Object.hasOwn(table, code)) return table[code];
  if (/too long/i.test(message) && /quer|param|url|uri/i.test(message))
    return { status, retryable: false, hint: EXPORT };
  if (/too many (?:results|rows)|apply some filters/i.test(message)) {
    return { status, retryable: false, hint: `Apply some filters and try again. ${EXPORT}` };
  }
  const retryable =
    code !== undefined && REFUSED_CLASS.test(code)
      ? false
      : RETRYABLE.has(status) || (code !== undefined && RETRYABLE_CLASS.test(code));
  return { status, retryable, hint: BY_STATUS[status] ?? (status >= 500 ? FAILED : "See the body of the reply.") };
}

const FAILED = `The service failed; try again later. If a table request keeps failing: ${EXPORT}`;
