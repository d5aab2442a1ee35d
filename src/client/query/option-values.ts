import { InputError } from "../../errors/errors.js";
import { nearest } from "../../errors/nearest.js";
import { shown } from "../../errors/shown.js";
import { FORMATS, type Format } from "../../spec/vocabulary.js";
import { dayOfDate, NO_DATE, parseDate } from "../../value/date.js";
import type { Settings } from "../transport/settings.js";

/**
 * Passes on an option value; warns once of a value that the profile does not list, since the specification leaves the
 * values open (4.2).
 */
export function optionValue(settings: Settings, what: string, given: string, known: readonly string[]): string {
  if (typeof given !== "string" || given === "") {
    throw new InputError(`${what} is ${shown(given)}.`, {
      code: "BadArgument",
      hint: `The known values are ${known.join(", ")}.`,
    });
  }
  if (!known.includes(given)) {
    const [close] = nearest(given, known, 1);
    const guess = close ? `; did you mean ${JSON.stringify(close)}?` : ".";
    settings.warn(`${what} ${shown(given)} is not a known value in this profile${guess} It is sent unchanged.`);
  }
  return given;
}

/**
 * Validates a reply format.
 *
 * @throws {InputError} UnknownValue for any but `json`, `xml`, `csv` (spec 1)
 */
export function formatOf(given: string): Format {
  if ((FORMATS as readonly string[]).includes(given)) return given as Format;
  throw new InputError(`There is no format ${shown(given)}.`, {
    code: "UnknownValue",
    hint: `The formats are ${FORMATS.join(", ")}.`,
  });
}

/**
 * A date `YYYY-MM-DD` that exists; of a `Date`, midnight in UTC only.
 *
 * @throws {InputError}
 */
export function dayOf(given: string | Date, what: string): string {
  if (given instanceof Date) return dayOfDate(given, what);
  if (typeof given === "string" && parseDate(given) !== NO_DATE) return given;
  throw new InputError(`${what} is ${shown(given)}, not a day.`, {
    code: "BadArgument",
    hint: "Pass a day as YYYY-MM-DD.",
  });
}

/**
 * Validates a whole number of at least `least`.
 *
 * @throws {InputError} BadArgument
 */
export function wholeOf(given: number, least: number, what: string): number {
  if (Number.isSafeInteger(given) && given >= least) return given;
  throw new InputError(`${what} is ${shown(given)}.`, {
    code: "BadArgument",
    hint: `Pass a whole number of at least ${least}.`,
  });
}
