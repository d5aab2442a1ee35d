import { DataError, InputError } from "../../errors/errors.js";
import { shown } from "../../errors/shown.js";
import { formatDate } from "../../value/date.js";
import { datePattern, hourOf, minuteOf, secondOf } from "../../value/date-pattern.js";
import { DataType, type Vector } from "../arrow/arrow.js";
import { serviceTypeOfArrow } from "../arrow/types.js";
import { cellAt } from "../arrow/vector-values.js";
import { mapTexts } from "./map-texts.js";
import { isNumber } from "./operands.js";
import type { Place } from "./place.js";

/** How numbers and dates are written as text. */
export interface TextForm {
  /** Dates and timestamps (in UTC), with the directives of `strftime`: `%d/%m/%Y`. Default: as in ISO 8601. */
  readonly format?: string;
  /** The decimal point of numbers; default `.`. */
  readonly decimal?: string;
  /** What separates groups of three digits before the point; by default nothing. */
  readonly thousands?: string;
  /** Numbers are percentages, which end with `%`: `12%` is 0.12. */
  readonly percent?: boolean;
}

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
  const plain = plainText(to, form);
  if (plain === undefined) return vector;
  const texts = mapTexts(vector, place, (text) => plain(text) ?? null);
  if (onBadCell !== "null" && texts.nullCount > vector.nullCount) throw badText(vector, texts, to, form, place);
  return texts;
}

/** What writes a text of the form as a cell of the type; undefined where the form says nothing about the type. */
function plainText(to: DataType, form: TextForm): ((text: string) => string | undefined) | undefined {
  if (isNumber(to)) return form.decimal || form.thousands || form.percent ? plainNumber(form) : undefined;
  if (form.format === undefined) return undefined;
  const { parse } = datePattern(form.format);
  if (DataType.isTimestamp(to)) {
    return (text) => {
      const time = parse(text);
      if (time === undefined) return undefined;
      const [hour, minute, second] = [hourOf, minuteOf, secondOf].map((part) =>
        String(part(time.nanos)).padStart(2, "0"),
      );
      const fraction = String(time.nanos % 1e9).padStart(9, "0");
      return `${formatDate(time.days)}T${hour}:${minute}:${second}.${fraction}Z`;
    };
  }
  if (!DataType.isDate(to)) return undefined;
  return (text) => {
    const time = parse(text);
    return time === undefined || time.nanos !== 0 ? undefined : formatDate(time.days);
  };
}

function plainNumber({
  decimal = ".",
  thousands = "",
  percent = false,
}: TextForm): (text: string) => string | undefined {
  if (decimal.length !== 1 || thousands.length > 1 || decimal === thousands || /[\d+\-%]/.test(decimal + thousands)) {
    throw new InputError(`Numbers with ${shown(decimal)} as point and ${shown(thousands)} between thousands.`, {
      code: "BadArgument",
      hint: 'Both are one character, and not the same: { decimal: ",", thousands: "." }.',
    });
  }
  const [point, group] = [decimal, thousands].map((character) => character.replace(/[\\^$.*+?()[\]{}|]/, "\\$&"));
  const whole = thousands === "" ? "\\d*" : `\\d{1,3}(?:${group}\\d{3})+|\\d*`;
  const form = new RegExp(`^([+-]?)(${whole})(?:${point}(\\d*))?${percent ? "\\s?%" : ""}$`);
  return (text) => {
    const [, sign, grouped, fraction = ""] = form.exec(text.trim()) ?? [];
    if (grouped === undefined || grouped + fraction === "") return undefined;
    const digits = thousands === "" ? grouped : grouped.replaceAll(thousands, "");
    const minus = sign === "-" ? "-" : "";
    if (!percent) return `${minus}${digits || "0"}${fraction === "" ? "" : `.${fraction}`}`;
    const shifted = digits.padStart(3, "0");
    return `${minus}${shifted.slice(0, -2)}.${shifted.slice(-2)}${fraction}`;
  };
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
