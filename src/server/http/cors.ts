/** The origins whose web pages may read the replies: `"*"` for any. */
export type CorsOrigins = string | readonly string[];

const EXPOSED =
  "cursor_id, etag, x-request-id, content-disposition, content-range, content-length, accept-ranges, retry-after";
const ACCEPTED =
  "x-api-token, content-type, accept, range, if-range, if-match, if-none-match, request-source, request-source-version";

/** The headers of a reply to a page of `origin` (the Fetch standard's CORS protocol); none if it is not allowed. */
export function corsHeaders(allowed: CorsOrigins | undefined, origin: string | undefined): Record<string, string> {
  if (allowed === undefined || origin === undefined) return {};
  const origins = typeof allowed === "string" ? [allowed] : allowed;
  if (!origins.includes("*") && !origins.includes(origin)) return {};
  return {
    "access-control-allow-origin": origins.includes("*") ? "*" : origin,
    "access-control-expose-headers": EXPOSED,
  };
}

/** The reply to a preflight request, where pages of its origin are allowed. */
export function preflightHeaders(methods: readonly string[]): Record<string, string> {
  return {
    "access-control-allow-methods": methods.join(", "),
    "access-control-allow-headers": ACCEPTED,
    "access-control-max-age": "86400",
  };
}
