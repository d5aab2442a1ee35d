import { InputError } from "../../errors/errors.js";

/** Quotes any name for SQL: `Cost Total $` becomes `"Cost Total $"`. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/**
 * The values for `$1`, `$2`, … of a statement.
 *
 * @throws {InputError} BadArgument for anything but an array
 */
export function checkedParams(params: readonly unknown[] | undefined): readonly unknown[] {
  if (params === undefined) return [];
  if (Array.isArray(params)) return params;
  throw new InputError("The values for $1, $2, … must be an array.", {
    code: "BadArgument",
    hint: 'Pass them in order: query("… WHERE a = $1", ["x"]).',
  });
}

/** The error of a statement with a parameter for which no value was passed. */
export const missingParam = (position: string, count: number): InputError =>
  new InputError(`The statement has $${position}; ${count} values were passed.`, {
    code: "BadArgument",
    hint: "Pass one value for each of $1, $2, ….",
  });

/** The error of a call of an engine that has been closed; `opener` opens another. */
export const engineClosed = (opener: string): InputError =>
  new InputError("The engine has been closed.", { code: "EngineClosed", hint: `Open another one: await ${opener}.` });
