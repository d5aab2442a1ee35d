import type { Format } from "../../spec/vocabulary.js";

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
  const qualities = new Map<string, number>();
  for (const part of (accept ?? "").toLowerCase().split(",")) {
    const [type, ...parameters] = part.split(";").map((each) => each.trim());
    const quality = Number(parameters.find((each) => each.startsWith("q="))?.slice(2) ?? 1);
    if (quality > 0) qualities.set(type, quality);
  }
  if (qualities.has("text/html")) return "json";
  const qualityOf = (format: Format): number =>
    Math.max(0, ...MEDIA_TYPES[format].map((type) => qualities.get(type) ?? 0));
  return formats.reduce((best, format) => (qualityOf(format) > qualityOf(best) ? format : best), "json");
}
