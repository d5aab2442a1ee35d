import type { Format } from "../../spec/vocabulary.js";
import type { Coding } from "../answers/rendered.js";

const MEDIA_TYPES: Readonly<Record<Format, readonly string[]>> = {
  json: ["application/json", "application/*", "*/*"],
  xml: ["application/xml", "text/xml"],
  csv: ["text/csv"],
};

/**
 * The format that an `Accept` header prefers, for a path that ends without one; JSON unless another is preferred by its
 * quality. A browser, which accepts web pages, gets JSON.
 */
export function acceptedFormat(accept: string | undefined, formats: readonly Format[]): Format {
  const qualities = qualitiesOf(accept);
  if ((qualities.get("text/html") ?? 0) > 0) return "json";
  const qualityOf = (format: Format): number =>
    Math.max(0, ...MEDIA_TYPES[format].map((type) => qualities.get(type) ?? 0));
  return formats.reduce((best, format) => (qualityOf(format) > qualityOf(best) ? format : best), "json");
}

export function acceptedCoding(accept: string | undefined): Coding {
  const qualities = qualitiesOf(accept);
  return (qualities.get("gzip") ?? qualities.get("*") ?? 0) > 0 ? "gzip" : "identity";
}

/** The entries of an `Accept…` header with their qualities (RFC 9110, 12.4.2): 0 refuses. */
function qualitiesOf(accept: string | undefined): Map<string, number> {
  const qualities = new Map<string, number>();
  for (const part of (accept ?? "").toLowerCase().split(",")) {
    const [name, ...parameters] = part.split(";").map((each) => each.trim());
    const quality = Number(parameters.find((each) => each.startsWith("q="))?.slice(2) ?? 1);
    qualities.set(name, quality || 0);
  }
  return qualities;
}
