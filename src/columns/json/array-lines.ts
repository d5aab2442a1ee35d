import { checkJson, skipJson, skipSpace } from "../../format/json.js";
import { skipByteOrderMark } from "../../value/text.js";

const LF = 10;
const CR = 13;
const SPACE = 32;
const OPEN_ARRAY = 91;
const CLOSE_ARRAY = 93;

/**
 * A JSON array as JSON lines, an element on each line: the same bytes at the same offsets, with spaces for the brackets
 * and line feeds for the commas between elements. Undefined for JSON that is not an array.
 *
 * @throws {DataError} BadJson
 */
export function linesOfArray(json: Uint8Array): Uint8Array | undefined {
  const start = skipSpace(json, skipByteOrderMark(json), json.length);
  if (json[start] !== OPEN_ARRAY) return undefined;
  checkJson(json);
  const lines = json.slice();
  // A string holds no line end, so that all of them are between tokens.
  for (let i = 0; i < lines.length; i++) if (lines[i] === LF || lines[i] === CR) lines[i] = SPACE;
  lines[start] = SPACE;
  let p = skipSpace(json, start + 1, json.length);
  while (json[p] !== CLOSE_ARRAY) {
    p = skipSpace(json, skipJson(json, p, json.length), json.length);
    if (json[p] === CLOSE_ARRAY) break;
    lines[p] = LF;
    p = skipSpace(json, p + 1, json.length);
  }
  lines[p] = SPACE;
  return lines;
}
