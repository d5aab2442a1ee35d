import { InputError } from "../../errors/errors.js";
import { shown } from "../../errors/shown.js";

/**
 * Splits `DATABASE/DATASET` or `VENDOR/TABLE` (spec 4.1, 4.7).
 *
 * @throws {InputError} for anything but two parts
 */
export function twoParts(code: string, shape: string): readonly [string, string] {
  const parts = typeof code === "string" ? code.split("/") : [];
  if (parts.length === 2 && parts.every((part) => part.trim() !== "")) return [parts[0], parts[1]];
  throw new InputError(`${shown(code)} is not a code of the shape ${shape}.`, {
    code: "BadCode",
    hint: `Give both parts with a slash between them: ${shape}.`,
  });
}

/**
 * The code of a database.
 *
 * @throws {InputError} for an empty one or one with a slash
 */
export function onePart(code: string): string {
  if (typeof code === "string" && code.trim() !== "" && !code.includes("/")) return code;
  throw new InputError(`${shown(code)} is not the code of a database.`, {
    code: "BadCode",
    hint: "Give the part before the slash of its datasets' codes.",
  });
}
