import { InputError } from "../../errors/errors.js";

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
