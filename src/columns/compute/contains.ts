import { InputError } from "../../errors/errors.js";
import { shown } from "../../errors/shown.js";
import type { Vector } from "../arrow/arrow.js";
import { chunkReader } from "../arrow/cell-reader.js";
import { mapTruths } from "./chunks.js";
import { type Place, wrongType } from "./place.js";
import { isText, textMarks } from "./texts.js";

/**
 * Which texts contain (`within`) or start with (`start`) a string, letter by letter; null where there is none.
 *
 * @throws {InputError} WrongType, BadArgument
 */
export function contains(vector: Vector, where: "within" | "start", part: string, place: Place): Vector {
  if (!isText(vector.type)) throw wrongType(place, vector.type, "a column of text");
  if (typeof part !== "string") {
    throw new InputError(
      `${place.method} of column ${JSON.stringify(place.column)} expects a string; got ${shown(part)}.`,
      {
        code: "BadArgument",
        column: place.column,
        hint: `Pass the text to look for: ${place.method.replace("()", '("Inc")')}.`,
      },
    );
  }
  const marks = textMarks((data) => {
    const { text } = chunkReader(data);
    return where === "start" ? (i) => text(i).startsWith(part) : (i) => text(i).includes(part);
  });
  return mapTruths(vector, marks);
}
