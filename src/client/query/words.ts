import { InputError } from "../../errors/errors.js";
import { nearest } from "../../errors/nearest.js";
import { shown } from "../../errors/shown.js";
import { FORMATS, type Format } from "../../spec/vocabulary.js";
import { NO_DATE, parseDate } from "../../value/date.js";
import type { Settings } from "../transport/options.js";

/**
 * Passes an option value on; one that the profile does not list gets one warning, for the specification leaves the
 * values open (4.2).
 */
export function word(settings: Settings, what: string, given: string, known: readonly string[]): string {
  if (typeof given !== "string" || given === "") {
    throw new InputError(`${what} is ${shown(given)}.`, {
      code: "BadArgument",
      hint: `It is one of ${known.join(", ")}.`,
    });
  }
  if (!known.includes(given)) {
    const [close] = nearest(given, known, 1);
    settings.warn(
      `${what} ${shown(given)} is not a known value in this profile${close ? `; did you mean ${JSON.stringify(close)}?` : "."} It is sent unchanged.`,
    );
  }
  return given;
}

/**
 * A reply format.
 *
 * @throws {InputError} for any but `json`, `xml`, `csv` (spec 1)
 */
export function formatOf(given: string): Format {
  if ((FORMATS as readonly string[]).includes(given)) return given as Format;
  throw new InputError(`There is no format ${shown(given)}.`, {
    code: "UnknownValue",
    hint: `The formats are ${FORMATS.join(", ")} (spec 1).`,
  });
}

/**
 * A day `YYYY-MM-DD` that exists.
 *
 * @throws {InputError}
 */
export function dayOf(given: string, what: string): string {
  if (typeof given === "string" && parseDate(given) !== NO_DATE) return given;
  throw new InputError(`${what} is ${shown(given)}, not a day.`, {
    code: "BadArgument",
    hint: "Write days as YYYY-MM-DD.",
  });
}

/**
 * A whole number of at least `least`.
 *
 * @throws {InputError}
 */
export function wholeOf(given: number, least: number, what: string): number {
  if (Number.isSafeInteger(given) && given >= least) return given;
  throw new InputError(`${what} is ${shown(given)}.`, {
    code: "BadArgument",
    hint: `Give a whole number of at least ${least}.`,
  });
}
