import { InputError } from "./errors.js";
import { suggestion } from "./nearest.js";
import { shown } from "./shown.js";

/**
 * @throws {InputError} BadArgument for options that are not an object (`undefined` means none), UnknownOption, with the
 *   nearest name, for a member that `names` does not list
 */
export function refuseUnknown(options: object | null | undefined, names: readonly string[], where: string): void {
  if (options === undefined) return;
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw new InputError(`${where} expects an options object; got ${shown(options)}.`, {
      code: "BadArgument",
      hint: `The options are ${names.map((name) => JSON.stringify(name)).join(", ")}.`,
    });
  }
  for (const name of Object.keys(options)) {
    if (names.includes(name)) continue;
    throw new InputError(`${where} has no option ${JSON.stringify(name)}.`, {
      code: "UnknownOption",
      hint: suggestion(name, names, "options"),
    });
  }
}

/**
 * Returns `value` if it is one of `values`.
 *
 * @throws {InputError} UnknownValue with the nearest value
 */
export function oneOf<T extends string>(value: string, values: readonly T[], what: string): T {
  const found = values.find((known) => known === value);
  if (found !== undefined) return found;
  throw new InputError(`Unknown ${what}: ${shown(value)}.`, {
    code: "UnknownValue",
    value: String(value),
    hint: suggestion(String(value), values, `values of ${what}`),
  });
}

/** Throws as {@link oneOf} for each option whose value is not in its list. */
export function checkWords(options: object | undefined, values: Readonly<Record<string, readonly string[]>>): void {
  for (const [name, known] of Object.entries(values)) {
    const value = (options as Readonly<Record<string, unknown>> | undefined)?.[name];
    if (value !== undefined) oneOf(value as string, known, name);
  }
}

/** The error for a column that `owner` does not have, with the nearest name. */
export function noColumn(owner: string, column: string, names: readonly string[]): InputError {
  return new InputError(`${owner} has no column ${JSON.stringify(column)}.`, {
    code: "UnknownColumn",
    column,
    hint: suggestion(column, names, "columns"),
  });
}

/**
 * The end of a `switch` over a closed union: a missing case does not compile, and a value outside of the type, such as
 * one from plain JavaScript, is an error.
 *
 * @param what the kind of value, for the message
 * @throws {InputError} UnknownValue
 */
export function unreachable(value: never, what: string): never {
  throw new InputError(`Unknown ${what}: ${shown(value)}.`, {
    code: "UnknownValue",
    value: String(value),
    hint: "Use one of the documented values.",
  });
}
