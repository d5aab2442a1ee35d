import { InputError } from "../../errors/errors.js";
import { shown } from "../../errors/shown.js";
import { Int64, type Vector } from "../arrow/arrow.js";
import { chunkReader } from "../arrow/cell-reader.js";
import { isValid, mapChunks, mapTruths, unitsData, validOf } from "./chunks.js";
import { mapTexts } from "./map-texts.js";
import { type Place, wrongType } from "./place.js";
import { isText, textMarks } from "./texts.js";
import { store } from "./units.js";

/** A string that is looked for as it is, or a regular expression. */
export type TextPattern = string | RegExp;

/**
 * Which texts contain (`within`), start with (`start`) or end with (`end`) a string, letter by letter, or match a
 * regular expression (`within`); null where there is none.
 *
 * @throws {InputError} WrongType, BadArgument
 */
export function contains(vector: Vector, where: "within" | "start" | "end", part: TextPattern, place: Place): Vector {
  if (!isText(vector.type)) throw wrongType(place, vector.type, "a column of text");
  const pattern = where === "within" ? neededPattern(part, place) : neededString(part, place);
  return mapTruths(
    vector,
    textMarks((data) => {
      const { text } = chunkReader(data);
      if (pattern instanceof RegExp) return (i) => pattern.test(text(i));
      if (where === "within") return (i) => text(i).includes(pattern);
      return where === "start" ? (i) => text(i).startsWith(pattern) : (i) => text(i).endsWith(pattern);
    }),
  );
}

/**
 * Replaces every occurrence of a string, or every match of a regular expression, in which `$1` is a group as in
 * JavaScript.
 *
 * @throws {InputError} WrongType, BadArgument
 */
export function replace(vector: Vector, part: TextPattern, by: string, place: Place): Vector {
  const pattern = neededPattern(part, place);
  const text = neededString(by, place);
  if (typeof pattern === "string") return mapTexts(vector, place, (value) => value.replaceAll(pattern, () => text));
  const all = new RegExp(pattern.source, `${pattern.flags}g`);
  return mapTexts(vector, place, (value) => value.replace(all, text));
}

/**
 * The first match of a regular expression: one of its groups, by number or name; by default the first, or all of the
 * match where the expression has no groups. Null without a match, and for a group without one.
 *
 * @throws {InputError} WrongType, BadArgument for what is not a regular expression, or a group that it does not have
 */
export function extract(vector: Vector, part: RegExp, group: number | string | undefined, place: Place): Vector {
  const pattern = neededPattern(part, place);
  if (typeof pattern === "string") {
    throw badArgument(place, "a regular expression", part, "Such as extract(/\\d+/) or extract(/(\\w+)-(\\d+)/, 2).");
  }
  // An alternative that is always empty: its match has the groups of the expression.
  const { length, groups } = new RegExp(`${pattern.source}|`, pattern.flags).exec("") as RegExpExecArray;
  const wanted = group ?? (length > 1 ? 1 : 0);
  const isNumber = Number.isInteger(wanted) && (wanted as number) >= 0 && (wanted as number) < length;
  if (!isNumber && !(typeof wanted === "string" && Object.hasOwn(groups ?? {}, wanted))) {
    throw badArgument(place, `a group of ${pattern}`, wanted, "Such as extract(/(\\w+)-(\\d+)/, 2).");
  }
  return mapTexts(vector, place, (text) => {
    const match = pattern.exec(text);
    return (typeof wanted === "string" ? match?.groups?.[wanted] : match?.[wanted]) ?? null;
  });
}

/**
 * One of the parts between separators, counted from 0, or from the end where negative; null where there are fewer.
 *
 * @throws {InputError} WrongType, BadArgument
 */
export function split(vector: Vector, separator: TextPattern, index: number, place: Place): Vector {
  const pattern = neededPattern(separator, place);
  const at = neededInteger(index, place);
  return mapTexts(vector, place, (text) => text.split(pattern).at(at) ?? null);
}

/**
 * The characters (code points) from `start` to before `end`, negative ones counted from the end.
 *
 * @throws {InputError} WrongType, BadArgument
 */
export function slice(vector: Vector, start: number, end: number | undefined, place: Place): Vector {
  const from = neededInteger(start, place);
  const to = end === undefined ? undefined : neededInteger(end, place);
  return mapTexts(vector, place, (text) => [...text].slice(from, to).join(""));
}

/**
 * Texts of at least so many characters (code points), filled from the start.
 *
 * @throws {InputError} WrongType, BadArgument
 */
export function padStart(vector: Vector, length: number, fill: string, place: Place): Vector {
  const width = neededInteger(length, place);
  const characters = [...neededString(fill, place)];
  return mapTexts(vector, place, (text) => {
    const missing = characters.length === 0 ? 0 : Math.max(0, width - [...text].length);
    return Array.from({ length: missing }, (_, i) => characters[i % characters.length]).join("") + text;
  });
}

/**
 * The number of characters (code points) of each text.
 *
 * @throws {InputError} WrongType
 */
export function textLength(vector: Vector, place: Place): Vector {
  if (!isText(vector.type)) throw wrongType(place, vector.type, "a column of text");
  return mapChunks(vector, new Int64(), (data) => {
    const { text } = chunkReader(data);
    const valid = validOf(data);
    const words = new Int32Array(2 * data.length);
    for (let i = 0; i < data.length; i++) if (isValid(valid, i)) store(words, 2 * i, 2, characters(text(i)));
    return unitsData({ scale: 0, precision: 19, isInteger: true }, data.length, words, valid);
  });
}

function characters(text: string): number {
  let count = text.length;
  for (let i = 1; i < text.length; i++) {
    // The second half of a pair.
    if ((text.charCodeAt(i) & 0xfc00) === 0xdc00) count--;
  }
  return count;
}

/** A string, or a regular expression that keeps no state between calls. */
function neededPattern(part: TextPattern, place: Place): TextPattern {
  if (part instanceof RegExp) return new RegExp(part.source, part.flags.replace(/[gy]/g, ""));
  return neededString(part, place);
}

function neededString(part: unknown, place: Place): string {
  if (typeof part === "string") return part;
  throw badArgument(place, "a string", part, `Pass the text to look for: ${place.method.replace("()", '("Inc")')}.`);
}

function neededInteger(value: number, place: Place): number {
  if (Number.isSafeInteger(value)) return value;
  throw badArgument(place, "a whole number", value, 'Such as split("-", 0), slice(0, 3) or padStart(5, "0").');
}

const badArgument = ({ column, method }: Place, needs: string, value: unknown, hint: string): InputError =>
  new InputError(`${method} of column ${JSON.stringify(column)} expects ${needs}; got ${shown(value)}.`, {
    code: "BadArgument",
    column,
    hint,
  });
