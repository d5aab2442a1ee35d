import { DataError } from "../../errors/errors.js";
import { shown } from "../../errors/shown.js";
import { utf8Bytes, utf8Text } from "../../platform/node/bytes.js";
import { plainCell, type TextForm } from "../../value/text-form.js";
import { DataType, type Vector } from "../arrow/arrow.js";
import { serviceTypeOfArrow } from "../arrow/types.js";
import { cellAt } from "../arrow/vector-values.js";
import { mapTexts } from "./map-texts.js";
import { isNumber } from "./operands.js";
import type { Place } from "./place.js";

export const TEXT_FORM = ["format", "decimal", "thousands", "percent"] as const;

/**
 * Texts of a form as those that the cells of a type have: `1.234,50` as `1234.50`, `31/12/2024` as `2024-12-31`. The
 * column itself where the form says nothing about the type.
 *
 * @throws {InputError} BadArgument
 * @throws {DataError} BadCell for text of another form, unless `onBadCell` is `null`
 */
export function plainTexts(
  vector: Vector,
  to: DataType,
  { onBadCell, ...form }: TextForm & { readonly onBadCell?: "error" | "null" },
  place: Place,
): Vector {
  const { bytes, number, date, datetime } = plainCell(form, "all");
  const plain = isNumber(to) ? number : DataType.isTimestamp(to) ? datetime : DataType.isDate(to) ? date : undefined;
  if (plain === undefined) return vector;
  const texts = mapTexts(vector, place, (text) => {
    const cell = utf8Bytes(text.trim());
    const length = plain(cell, 0, cell.length);
    return length < 0 ? null : utf8Text(bytes, 0, length);
  });
  if (onBadCell !== "null" && texts.nullCount > vector.nullCount) throw badText(vector, texts, to, form, place);
  return texts;
}

/** The error for the first text that is not of the form. */
function badText(vector: Vector, texts: Vector, to: DataType, form: TextForm, { column, method }: Place): DataError {
  let row = 0;
  while (cellAt(vector, row) === null || cellAt(texts, row) !== null) row++;
  const value = String(cellAt(vector, row));
  const type = serviceTypeOfArrow(to);
  return new DataError(`${method} of column ${JSON.stringify(column)}, row ${row}: ${shown(value)} is not a ${type}.`, {
    code: "BadCell",
    column,
    row,
    value,
    hint: `Texts are read with ${JSON.stringify(form)}; { onBadCell: "null" } makes others null.`,
  });
}
