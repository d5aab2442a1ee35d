import { Argument, Command } from "commander";
import { type Completions, complete } from "./complete.js";
import { lookup } from "./lookup.js";
import { completionScript, SHELLS, type Shell } from "./scripts.js";

/** `arrowbook completions SHELL`: prints the script that completes the command line in a shell. */
export function completionsCommand(): Command {
  return new Command("completions")
    .description("print the script that completes commands, flags, codes, columns and files in a shell")
    .addArgument(new Argument("<shell>", "the shell").choices(SHELLS))
    .addHelpText(
      "after",
      `
Install it:
  bash  echo 'source <(arrowbook completions bash)' >> ~/.bashrc
  zsh   echo 'source <(arrowbook completions zsh)' >> ~/.zshrc
  fish  arrowbook completions fish > ~/.config/fish/completions/arrowbook.fish`,
    )
    .action((shell: Shell) => {
      process.stdout.write(completionScript[shell]);
    });
}

/** `arrowbook __complete SHELL -- ARGUMENTS`: what completes the last argument, for the scripts; not in the help. */
export function completeCommand(): Command {
  return new Command("__complete")
    .argument("<shell>")
    .argument("[words...]")
    .helpOption(false)
    .action(async (shell: Shell, words: readonly string[], _flags: unknown, command: Command) => {
      const isBash = shell === "bash";
      const joined = isBash ? joinedWords(words.map(unquoted)) : words;
      const found = await complete(command.parent as Command, joined, lookup);
      process.stdout.write(replyText(found, isBash ? brokenOff(joined.at(-1) ?? "") : 0));
    });
}

/** One line for each candidate, with its description after a tab, then a line of what else the shell should know. */
function replyText({ candidates, files, open }: Completions, skip: number): string {
  const lines = candidates.map(({ value, about = "" }) => `${value.slice(skip)}\t${about.replace(/\s+/g, " ")}`);
  return `${[...lines, `:${[files && "files", open && "open"].filter(Boolean).join(" ")}`].join("\n")}\n`;
}

/** Bash breaks arguments at `=`: `--format`, `=`, `js`. */
function joinedWords(words: readonly string[]): readonly string[] {
  const joined: string[] = [];
  let isOpen = false;
  for (const word of words) {
    if (joined.length > 0 && (isOpen || /^=/.test(word))) joined[joined.length - 1] += word;
    else joined.push(word);
    isOpen = /^[=<>]+$/.test(word);
  }
  return joined;
}

/** The length of the part that Bash does not replace. */
const brokenOff = (word: string): number => word.lastIndexOf("=") + 1;

/** The text of an argument that is typed with quotes and backslashes. */
const unquoted = (word: string): string => word.replace(/^["']|["']$/g, "").replace(/\\(.)/g, "$1");
