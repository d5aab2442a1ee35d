import { suggestion } from "../../errors/nearest.js";
import type { Diagnostic } from "./tslab-parts.js";

const STRING = /"((?:[^"\\]|\\.)*)"/;
const WRONG = new RegExp(`ype '${STRING.source}' is not assignable to |NoSuchColumn<${STRING.source}, `);
/** The names of columns in a message: `ColumnName<"ticker" | "Adj. Close">`, or `ColumnName<"ticker">`. */
const COLUMNS = new RegExp(String.raw`\bColumnName<(${STRING.source}(?: \| ${STRING.source})*)>`);
/** The longest line of another message; the compiler itself ends types of more characters, and names with them. */
const MAX_LINE = 320;

/**
 * Replaces the compiler's messages about a misspelt column, which list all columns, by one short message at each place.
 * Other messages do not change, but for lines that are very long.
 */
export function withColumnMessages(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const places = new Map<string, Diagnostic[]>();
  for (const found of diagnostics) {
    const place = `${found.fileName ?? ""}:${found.start.offset}`;
    places.set(place, [...(places.get(place) ?? []), found]);
  }
  return [...places.values()].flatMap((all) => {
    const messageText = columnMessage(all.map((each) => each.messageText).join("\n"));
    if (messageText !== undefined) return [{ ...all[0], messageText }];
    return all.map((each) => ({ ...each, messageText: each.messageText.split("\n").map(clipped).join("\n") }));
  });
}

function columnMessage(text: string): string | undefined {
  const [, assigned, member] = WRONG.exec(text) ?? [];
  const wrong = assigned ?? member;
  const list = COLUMNS.exec(text)?.[1];
  if (wrong === undefined || list === undefined) return undefined;
  const names = [...list.matchAll(new RegExp(STRING, "g"))].map(([, name]) => name);
  if (names.includes(wrong)) return undefined;
  return `There is no column "${wrong}". ${suggestion(wrong, names, "columns")}`;
}

const clipped = (line: string): string => (line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line);
