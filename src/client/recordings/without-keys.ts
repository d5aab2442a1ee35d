import { rememberSecret, scrub } from "../../errors/secrets.js";
import { API_PREFIX } from "../../spec/endpoints.js";
import { percentDecoded } from "../../value/text.js";

/** The origin of the recorded service; a replay uses that of its own requests. */
export const RECORDED = "https://recorded.invalid";

/** Query parameters and members whose values are keys, signatures or sessions. */
const SECRET_NAME =
  /^(?:.*[-_.]|x-amz-|x-goog-)?(?:api_?-?key|apikey|key|auth_?token|token|signature|sig|secret|password|credential|session|sessionid|security-token)$/i;

/** At the tables of a service other parameters are row filters (spec 4.7), whose columns may have such names. */
const SECRET_BESIDE_FILTERS = /^(?:(?:.*[-_.])?api_?-?key|key|(?:auth_?|access_?)?token|secret|password)$/i;

const secretAt = (address: URL): RegExp =>
  address.pathname.includes(`${API_PREFIX}/datatables/`) ? SECRET_BESIDE_FILTERS : SECRET_NAME;

const SECRET_HEADER = /authorization|token|api-?key|secret|session/i;

/** Registers every key of a request, so that none remains in a reply that repeats it. */
export function rememberKeys(address: URL, headers: Headers, body: string | undefined): void {
  const secret = secretAt(address);
  for (const [name, value] of address.searchParams) if (secret.test(name)) rememberSecret(value);
  if (address.password) rememberSecret(percentDecoded(address.password) ?? address.password);
  for (const [name, value] of headers) {
    if (/cookie/i.test(name)) for (const cookie of value.split(/;\s*/)) rememberCookie(cookie);
    else if (SECRET_HEADER.test(name)) for (const part of [value, ...value.split(/\s+/)]) rememberSecret(part);
  }
  for (const [name, value] of new URLSearchParams(body ?? "")) if (secret.test(name)) rememberSecret(value);
}

/** Short values, such as those of preferences, may be common text. */
function rememberCookie(cookie: string): void {
  const value = cookie.slice(cookie.indexOf("=") + 1);
  if (value.length >= 16) rememberSecret(value);
}

/**
 * An address as recordings spell it: without keys, parameters in alphabetical order, the service's origin as {@link
 * RECORDED}.
 */
export function recordedAddress(address: URL, origin: string): string {
  const secret = secretAt(address);
  const parameters = [...address.searchParams].filter(([name]) => !secret.test(name));
  // Values of a repeated parameter keep their order.
  parameters.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const query = new URLSearchParams(parameters).toString();
  const place = address.origin === origin ? RECORDED : address.origin;
  return scrub(`${place}${address.pathname}${query === "" ? "" : `?${query}`}`);
}

const PARAMETER = /([?&](?:amp;)?)([\w.%-]+)=([^&\s"'<>\\;#]*)/g;
const MEMBER = /("([\w.-]+)"\s*:\s*")((?:[^"\\]|\\.)*)"/g;

/** Text without keys: known ones, and the values of parameters and members that carry one. */
export function withoutKeys(text: string): string {
  return scrub(text)
    .replace(PARAMETER, (all, sign: string, name: string, value: string) =>
      SECRET_NAME.test(name) && value !== "" ? `${sign}${name}=[key]` : all,
    )
    .replace(MEMBER, (all, start: string, name: string) => (isKeyMember(name) ? `${start}[key]"` : all));
}

/** A member of JSON: stricter than a parameter, as data has members such as `key`. */
const isKeyMember = (name: string): boolean =>
  /^(?:x-)?(?:api_?-?key|auth_?token|access_?token|api-?token|password|secret)$/i.test(name);
