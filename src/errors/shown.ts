/**
 * A value in short form for an error message: a quoted string, a number or symbol as it is, otherwise the kind of
 * value.
 */
export function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (Array.isArray(value)) return "a list";
  if (typeof value === "function") return "a function";
  return typeof value === "object" && value !== null ? "an object" : String(value);
}

const MOST_CHARACTERS = 80;

/** The beginning of a text in quotes, for an error message. */
export function shownText(text: string): string {
  return JSON.stringify(text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text);
}
