import { Command, CommanderError } from "commander";
import { version } from "../package/package-root.js";
import { cacheCommand } from "./commands/cache.js";
import { demoCommand } from "./commands/demo.js";
import { explainCommand } from "./commands/explain.js";
import { bulkCommand, exportCommand } from "./commands/export.js";
import { getCommand } from "./commands/get.js";
import { kernelCommand } from "./commands/kernel.js";
import { mcpCommand } from "./commands/mcp.js";
import { metaCommand } from "./commands/meta.js";
import { runCommand } from "./commands/run.js";
import { serveCommand } from "./commands/serve.js";
import { sqlCommand } from "./commands/sql.js";
import { syncCommand } from "./commands/sync.js";
import { typesCommand } from "./commands/types.js";
import { completeCommand, completionsCommand } from "./completions/command.js";
import { reportError } from "./output/report-error.js";

/**
 * Runs the command line and returns the exit status: 0 success, 1 failure, 2 wrong usage, 130 after Ctrl-C. Data goes
 * to stdout or `-o`, progress and messages to stderr.
 */
export async function main(args: readonly string[]): Promise<number> {
  const program = new Command("arrowbook")
    .description("Typed columns from a time-series and tables service: query, export, serve, and run notebooks.")
    .version(version(), "-V, --version", "print the version")
    .helpOption("-h, --help", "show help")
    .showSuggestionAfterError(true)
    .addHelpText(
      "after",
      "\nThe service is set by --url and --key, or ARROWBOOK_URL and ARROWBOOK_API_KEY.\nTry it offline: arrowbook get table MARKET/PRICES --sample",
    );
  const queries = [getCommand, metaCommand, explainCommand, exportCommand, bulkCommand, syncCommand, typesCommand];
  const local = [sqlCommand, cacheCommand, serveCommand, mcpCommand, runCommand, kernelCommand, demoCommand];
  for (const make of [...queries, ...local, completionsCommand]) program.addCommand(make());
  program.addCommand(completeCommand(), { hidden: true });
  throwInsteadOfExit(program);
  try {
    if (args.length === 0) {
      program.outputHelp({ error: true });
      return 2;
    }
    await program.parseAsync(args, { from: "user" });
    return typeof process.exitCode === "number" ? process.exitCode : 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    reportError(error);
    return Number(process.exitCode) || 1;
  }
}

function throwInsteadOfExit(command: Command): void {
  command.exitOverride();
  for (const child of command.commands) throwInsteadOfExit(child as Command);
}
