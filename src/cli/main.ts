import { Command, CommanderError } from "commander";
import { version } from "../package/version.js";
import { bulkCommand } from "./bulk.js";
import { demoCommand } from "./demo.js";
import { exportCommand } from "./export.js";
import { getCommand } from "./get.js";
import { kernelCommand } from "./kernel.js";
import { metaCommand } from "./meta.js";
import { reportError } from "./report-error.js";
import { runCommand } from "./run.js";
import { serveCommand } from "./serve.js";
import { typesCommand } from "./types.js";

/**
 * Runs the command line and answers the exit status: 0 done, 1 failed, 2 wrong usage. Data goes to stdout or `-o`,
 * progress and messages to stderr.
 */
export async function main(words: readonly string[]): Promise<number> {
  const program = new Command("arrowbook")
    .description("Typed columns from a time-series and tables service: ask, export, serve, and run notebooks.")
    .version(version(), "-V, --version", "print the version")
    .helpOption("-h, --help", "show help")
    .showSuggestionAfterError(true)
    .addHelpText(
      "after",
      "\nThe service is taken from --url and --key or from ARROWBOOK_URL and ARROWBOOK_API_KEY.\nTry it offline: arrowbook serve --sample",
    );
  const commands = [getCommand, metaCommand, exportCommand, bulkCommand, typesCommand];
  for (const make of [...commands, serveCommand, runCommand, kernelCommand, demoCommand]) program.addCommand(make());
  throwInsteadOfExit(program);
  try {
    if (words.length === 0) {
      program.outputHelp({ error: true });
      return 2;
    }
    await program.parseAsync(words, { from: "user" });
    return typeof process.exitCode === "number" ? process.exitCode : 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    reportError(error);
    return 1;
  }
}

function throwInsteadOfExit(command: Command): void {
  command.exitOverride();
  for (const child of command.commands) throwInsteadOfExit(child as Command);
}
