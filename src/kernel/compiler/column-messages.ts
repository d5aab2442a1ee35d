import { suggestion } from "../../errors/nearest.js";
import type { Diagnostic } from "./tslab-parts.js";

const WRONG = /ype '"((?:[^"\\]|\\.)*)"' is not assignable to (?:parameter of )?type '/;
/** The row type inside a message: `Name<{ ticker: string; "Adj. Close": number; }>`. */
const ROW = /\b(?:Names?|Order)<\{ (.*?) \}>/s;
const MEMBER = /^(?:readonly )?(?:"((?:[^"\\]|\\.)*)"|([\w$]+))\??: /;

/**
 * Replaces the compiler's messages about a misspelt column, one for each overload with the whole row type, by one short
 * message at each place. Other messages do not change.
 */
export function withColumnMessages(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const places = new Map<string, Diagnostic[]>();
  for (const found of diagnostics) {
    const place = `${found.fileName ?? ""}:${found.start.offset}`;
    places.set(place, [...(places.get(place) ?? []), found]);
  }
  return [...places.values()].flatMap((all) => {
    const messageText = columnMessage(all.map((each) => each.messageText).join("\n"));
    return messageText === undefined ? all : [{ ...all[0], messageText }];
  });
}

function columnMessage(text: string): string | undefined {
  const wrong = WRONG.exec(text)?.[1];
  const row = ROW.exec(text)?.[1];
  if (wrong === undefined || row === undefined) return undefined;
  const names = row.split("; ").flatMap((member) => {
    const found = MEMBER.exec(member);
    return found === null ? [] : [found[1] ?? found[2]];
  });
  if (names.length === 0 || names.includes(wrong)) return undefined;
  return `There is no column "${wrong}". ${suggestion(wrong, names, "columns")}`;
}
