import { InputError } from "./errors.js";
import { shown } from "./shown.js";

/**
 * The end of a `switch` over a closed union: a case that is missing does not compile, and a value from outside of the
 * type, such as one of plain JavaScript, is an error instead of another case.
 *
 * @param what the value is, for the message
 * @throws {InputError} UnknownValue
 */
export function unreachable(value: never, what: string): never {
  throw new InputError(`Unknown ${what}: ${shown(value)}.`, {
    code: "UnknownValue",
    value: String(value),
    hint: "Use one of the documented values.",
  });
}
