/**
 * Keys never reach a message, log, URL, `cause` or notebook output: everything that leaves goes through {@link scrub}.
 * Two nets: the shape of a key in a query string or header (spec 5: `api_key=<API_KEY>`), and the keys this process
 * uses.
 */

const known = new Set<string>();

/**
 * Shorter keys (such as the sample's `sample`) may be common text; the pattern below still removes them from addresses.
 */
const SHORTEST_KNOWN = 8;

/** Remembers a key so that {@link scrub} removes it everywhere, also percent-encoded. */
export function rememberSecret(key: string): void {
  if (key.length < SHORTEST_KNOWN) return;
  known.add(key);
  known.add(encodeURIComponent(key));
}

const IN_TEXT = /((?:api_?key|auth_?token|x-api-token|access_?token)["']?\s*(?:=|%3D|:)\s*["']?)[^&\s"'<>#,;)}\]]+/gi;

/** The same text without any key: `api_key=abc` becomes `api_key=[key]`. */
export function scrub(text: string): string {
  let clean = text.replace(IN_TEXT, "$1[key]");
  for (const key of known) if (clean.includes(key)) clean = clean.replaceAll(key, "[key]");
  return clean;
}
