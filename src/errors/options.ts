import { InputError } from "./errors.js";
import { suggestion } from "./nearest.js";
import { shown } from "./shown.js";

/**
 * @throws {InputError} for options that are not an object (`undefined` means none), and for a member that `names` does
 *   not list; it names the nearest
 */
export function refuseUnknown(given: object | null | undefined, names: readonly string[], where: string): void {
  if (given === undefined) return;
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw new InputError(`${where} takes its options as an object, not ${shown(given)}.`, {
      code: "BadArgument",
      hint: `The options are ${names.map((name) => JSON.stringify(name)).join(", ")}.`,
    });
  }
  for (const name of Object.keys(given)) {
    if (names.includes(name)) continue;
    throw new InputError(`${where} has no option ${JSON.stringify(name)}.`, {
      code: "UnknownOption",
      hint: suggestion(name, names, "options"),
    });
  }
}

/**
 * `word` if it is one of `words`.
 *
 * @throws {InputError} UnknownValue that names the nearest
 */
export function oneOf<T extends string>(word: string, words: readonly T[], what: string): T {
  const found = words.find((known) => known === word);
  if (found !== undefined) return found;
  throw new InputError(`Unknown ${what}: ${shown(word)}.`, {
    code: "UnknownValue",
    value: String(word),
    hint: suggestion(String(word), words, `values of ${what}`),
  });
}

/** Throws as {@link oneOf} for each option of `words` whose value is not one of its values. */
export function checkWords(given: object | undefined, words: Readonly<Record<string, readonly string[]>>): void {
  for (const [name, known] of Object.entries(words)) {
    const word = (given as Readonly<Record<string, unknown>> | undefined)?.[name];
    if (word !== undefined) oneOf(word as string, known, name);
  }
}
