import type { ScalarField } from "../spec/resources.js";
import type { Format } from "../spec/vocabulary.js";
import { formatTimestamp, readTimestamp } from "../value/timestamp.js";

const ENDS_WITH_ZONE = /(?:[zZ]|UTC|[+-]\d\d:?\d\d)$/;

/**
 * Converts a timestamp in any spelling of the service (`…T…Z`, `… UTC`, `… +0000`; without a zone it is UTC) to ISO
 * 8601 UTC with `T` and `Z` and, if they are not zero, milliseconds. Undefined if the text is not a timestamp.
 */
export function isoTimestamp(text: string): string | undefined {
  const bytes = new TextEncoder().encode(ENDS_WITH_ZONE.test(text) ? text : `${text}Z`);
  const ms = readTimestamp(bytes, 0, bytes.length, true);
  return Number.isFinite(ms) ? formatTimestamp(ms) : undefined;
}

/**
 * Formats an ISO timestamp: ISO in XML, `YYYY-MM-DD hh:mm:ss UTC` in CSV and, if the field requires it (spec 2.8), in
 * JSON.
 */
export function spellTimestamp(iso: string, field: ScalarField, format: Format): string {
  const utc = format === "csv" || (format === "json" && field.json === "utc");
  return utc ? iso.replace("T", " ").replace(/Z$/, " UTC") : iso;
}
