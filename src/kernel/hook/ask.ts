import { InputError } from "../../errors/errors.js";
import { kernelHooks } from "./kernel-hooks.js";

/**
 * Asks the user for a line of text and waits for it. An empty line is `initial`, if passed.
 *
 * @throws {InputError} NoInput where the front end takes no input, as in `arrowbook run`, and outside of the kernel
 */
export function prompt(question = "", initial = ""): string {
  const answer = input(question === "" ? "" : `${question} `, false);
  return answer === "" ? initial : answer;
}

/**
 * Asks a question to be answered by yes or no (`y`, `yes`, `n`, `no` or an empty line for no), again until it is.
 *
 * @throws {InputError} NoInput as {@link prompt}
 */
export function confirm(question = "Continue?"): boolean {
  for (;;) {
    const answer = input(`${question} [y/N] `, false).trim();
    if (/^y(es)?$/i.test(answer)) return true;
    if (/^(no?)?$/i.test(answer)) return false;
  }
}

/**
 * Asks for a secret such as an API key. The front end does not show what is typed, and the kernel removes it from all
 * later outputs if it has 4 characters or more; it is not in the history.
 *
 * @throws {InputError} NoInput as {@link prompt}
 */
export function password(question = "Password:"): string {
  return input(`${question} `, true);
}

function input(question: string, isSecret: boolean): string {
  const answer = kernelHooks()?.input(question, isSecret);
  if (answer !== undefined) return answer;
  throw new InputError("There is no front end that takes input.", {
    code: "NoInput",
    hint: "Run the cell in JupyterLab, Notebook or VS Code with arrowbook's kernel, or read an environment variable instead.",
  });
}
