/** Rows of one table reply without export, at most (spec 8). */
export const MAX_ROWS_PER_REPLY = 10_000;

/** Table exports a subscriber may ask for in an hour (spec 8). */
export const EXPORTS_PER_HOUR = 60;

/** Life of a bulk-file link in milliseconds (spec 3 and 8: 30 minutes). */
export const LINK_LIFETIME_MS = 30 * 60 * 1000;

/** The path prefix of every endpoint (spec 9). */
export const API_PREFIX = "/api/v3";
