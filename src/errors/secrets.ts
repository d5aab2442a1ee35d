import { indexOfBytes, utf8Bytes } from "../platform/node/bytes.js";
/**
 * Keys must never appear in a message, log, URL, `cause` or notebook output: all outgoing text passes {@link scrub}. It
 * removes both whatever looks like a key in a query string or header (spec 5: `api_key=<API_KEY>`) and the keys that
 * this process uses.
 */

/** The keys of this process. */
export const knownSecrets = new Set<string>();

/** Shorter keys (such as `sample`) may be common text; the pattern below still removes them from addresses. */
const SHORTEST_KNOWN = 8;

/** Registers a key that {@link scrub} then removes everywhere, also percent-encoded. */
export function rememberSecret(key: string): void {
  if (key.length < SHORTEST_KNOWN) return;
  knownSecrets.add(key);
  knownSecrets.add(encodeURIComponent(key));
}

const KEY_PATTERN =
  /((?:api_?key|auth_?token|x-api-token|access_?token)["']?\s*(?:=|%3D|:)\s*["']?)[^&\s"'<>#,;)}\]]+/gi;

/** Removes keys from text: `api_key=abc` becomes `api_key=[key]`. */
export function scrub(text: string): string {
  let clean = text.replace(KEY_PATTERN, "$1[key]");
  for (const key of knownSecrets) if (clean.includes(key)) clean = clean.replaceAll(key, "[key]");
  return clean;
}

/** Whether bytes contain a key that this process uses, such as a reply that repeats it. */
export function holdsSecret(bytes: Uint8Array): boolean {
  return [...knownSecrets].some((key) => indexOfBytes(bytes, utf8Bytes(key)) >= 0);
}
