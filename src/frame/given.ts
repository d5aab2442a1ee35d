import { InputError } from "../errors/errors.js";

/** Throws InputError `BadOption` unless an object with members is given. */
export function needObject(given: unknown, where: string, hint: string): void {
  if (typeof given === "object" && given !== null) return;
  throw new InputError(`${where} is given ${kindOf(given)}.`, { code: "BadOption", hint });
}

/** Throws InputError `BadOption` unless a list is given. */
export function needList(given: unknown, where: string, hint: string): void {
  if (typeof given === "object" && typeof (given as { length?: unknown } | null)?.length === "number") return;
  throw new InputError(`${where} is given ${kindOf(given)}.`, { code: "BadOption", hint });
}

const kindOf = (given: unknown): string =>
  given === undefined || given === null ? `${given}` : typeof given === "object" ? "an object" : `a ${typeof given}`;
