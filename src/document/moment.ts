import type { ScalarField } from "../spec/resources.js";
import type { Format } from "../spec/vocabulary.js";
import { formatInstant, readInstant } from "../value/instant.js";

const ENDS_WITH_ZONE = /(?:[zZ]|UTC|[+-]\d\d:?\d\d)$/;

/**
 * A timestamp in any spelling of the service (`…T…Z`, `… UTC`, `… +0000`; without a zone it is UTC) as ISO 8601 UTC
 * with `T` and `Z` and, where they are not zero, milliseconds. Undefined where the text is not a timestamp.
 */
export function isoMoment(text: string): string | undefined {
  const bytes = new TextEncoder().encode(ENDS_WITH_ZONE.test(text) ? text : `${text}Z`);
  const ms = readInstant(bytes, 0, bytes.length, true);
  return Number.isFinite(ms) ? formatInstant(ms) : undefined;
}

/**
 * An ISO timestamp as a format spells it: ISO in XML, `YYYY-MM-DD hh:mm:ss UTC` in CSV and, where the field says so
 * (spec 2.8), in JSON.
 */
export function spellMoment(iso: string, field: ScalarField, format: Format): string {
  const utc = format === "csv" || (format === "json" && field.json === "utc");
  return utc ? iso.replace("T", " ").replace(/Z$/, " UTC") : iso;
}
