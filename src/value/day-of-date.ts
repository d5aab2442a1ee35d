import { InputError } from "../errors/errors.js";
import { NO_DATE, parseDate } from "./date.js";

const DAY = 86_400_000;

/**
 * The date of a JavaScript `Date` that is midnight in UTC. Any other time is refused, because its date depends on the
 * time zone.
 *
 * @param what the argument, for the message
 * @throws {InputError} BadArgument that names the dates in UTC and here; also outside of the years 1 to 9999
 */
export function dayOfDate(date: Date, what: string): string {
  const time = date.getTime();
  if (Number.isNaN(time)) {
    throw new InputError(`${what} is an invalid Date.`, { code: "BadArgument", hint: "Write dates as YYYY-MM-DD." });
  }
  const utc = date.toISOString();
  if (parseDate(utc.slice(0, utc.indexOf("T"))) === NO_DATE) {
    throw new InputError(`${what} is ${utc}, outside of the years 1 to 9999.`, {
      code: "BadArgument",
      hint: "Write dates as YYYY-MM-DD.",
    });
  }
  if (time % DAY === 0) return utc.slice(0, utc.indexOf("T"));
  const here = new Date(Date.UTC(date.getFullYear(), date.getMonth(), date.getDate())).toISOString();
  const [day, other] = [utc.slice(0, utc.indexOf("T")), here.slice(0, here.indexOf("T"))];
  throw new InputError(`${what} is a Date of ${utc}, not a whole day.`, {
    code: "BadArgument",
    hint:
      day === other
        ? `Pass "${day}" for that day.`
        : `It is ${day} in UTC and ${other} in this time zone: pass the one you mean as text.`,
  });
}
