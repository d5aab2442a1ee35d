import type { ScalarField } from "../spec/resources.js";
import type { Format } from "../spec/vocabulary.js";

const MOMENT = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(\.\d+)?\s*(Z|UTC|GMT|[+-]\d\d:?\d\d)?$/;
const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;

/**
 * A moment in any spelling the service has (`…T…Z`, `… UTC`, `… +0000`) as ISO 8601 UTC with `T` and `Z`; a fraction of a second
 * is kept unless it is zero. Undefined where the text is no moment. Without a zone it is UTC.
 */
export function isoMoment(text: string): string | undefined {
  const match = MOMENT.exec(text);
  if (!match || !isDate(text.slice(0, 10))) return undefined;
  const [, , , , hour, minute, second, fraction = "", zone = "Z"] = match;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return undefined;
  const digits = fraction.replace(/\.?0+$/, "");
  const clock = `${text.slice(0, 10)}T${hour}:${minute}:${second}`;
  const offset = /^([+-])(\d\d):?(\d\d)$/.exec(zone);
  if (!offset || Number(offset[2]) + Number(offset[3]) === 0) return `${clock}${digits}Z`;
  const minutes = (Number(offset[2]) * 60 + Number(offset[3])) * (offset[1] === "+" ? -1 : 1);
  return `${new Date(Date.parse(`${clock}Z`) + minutes * 60_000).toISOString().slice(0, 19)}${digits}Z`;
}

/** Whether the text is a calendar day `YYYY-MM-DD`. */
export function isDate(text: string): boolean {
  const match = DATE.exec(text);
  if (!match) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  return month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
}

function daysIn(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** An ISO moment as a format spells it: ISO in XML, `YYYY-MM-DD hh:mm:ss UTC` in CSV and, where the field says so (spec 2.8), in JSON. */
export function spellMoment(iso: string, field: ScalarField, format: Format): string {
  const utc = format === "csv" || (format === "json" && field.json === "utc");
  return utc ? iso.replace("T", " ").replace(/Z$/, " UTC") : iso;
}
