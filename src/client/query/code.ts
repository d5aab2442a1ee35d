import { InputError } from "../../errors/errors.js";
import { shown } from "../../errors/shown.js";

/**
 * Splits `DATABASE/DATASET` or `VENDOR/TABLE` (spec 4.1, 4.7).
 *
 * @throws {InputError} BadCode for anything but two parts
 */
export function twoParts(code: string, shape: string): readonly [string, string] {
  const parts = typeof code === "string" ? code.split("/") : [];
  if (parts.length === 2 && parts.every((part) => part.trim() !== "")) return [parts[0], parts[1]];
  throw new InputError(`Expected a code of the form ${shape}; got ${shown(code)}.`, {
    code: "BadCode",
    hint: `Pass both parts, separated by a slash: ${shape}.`,
  });
}

/**
 * Validates the code of a database.
 *
 * @throws {InputError} BadCode if it is empty or contains a slash
 */
export function onePart(code: string): string {
  if (typeof code === "string" && code.trim() !== "" && !code.includes("/")) return code;
  throw new InputError(`Expected the code of a database; got ${shown(code)}.`, {
    code: "BadCode",
    hint: "Pass the part before the slash of its datasets' codes.",
  });
}
