import { InputError } from "./errors.js";
import { suggestion } from "./nearest.js";

/** Throws InputError `UnknownOption` for a member that `names` does not list, and names the nearest. */
export function refuseUnknown(given: object, names: readonly string[], where: string): void {
  for (const name of Object.keys(given)) {
    if (names.includes(name)) continue;
    throw new InputError(`${where} has no option ${JSON.stringify(name)}.`, {
      code: "UnknownOption",
      hint: suggestion(name, names, "options"),
    });
  }
}
