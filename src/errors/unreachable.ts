import { InputError } from "./errors.js";
import { shown } from "./shown.js";

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
