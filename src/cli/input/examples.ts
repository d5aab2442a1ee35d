import type { Command } from "commander";

/** Adds examples to the help of a command; each is a line that runs. */
export function examples(command: Command, ...lines: readonly string[]): Command {
  const title = lines.length === 1 ? "Example" : "Examples";
  return command.addHelpText("after", `\n${title}:\n${lines.map((line) => `  ${line}\n`).join("")}`.trimEnd());
}
