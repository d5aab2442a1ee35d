import { Command, Option } from "commander";
import { unlessAborted } from "../../errors/unless-aborted.js";
import { Frame } from "../../frame/frame.js";
import { localEndings } from "../input/local-tables.js";
import { queryFiles } from "../input/query-files.js";
import { examples, stoppable } from "../input/service-flags.js";
import { checkOutput, frameEndings, type ReportFlags, writeFrame } from "../output/output.js";

interface SqlFlags extends ReportFlags {
  readonly output?: string;
  readonly delimiter?: string;
  readonly param?: readonly string[];
}

/** `arrowbook sql "select …" FILE …`: queries files on the embedded engine. */
export function sqlCommand(): Command {
  return examples(
    new Command("sql"),
    "arrowbook get table MARKET/PRICES --sample -o prices.parquet",
    'arrowbook sql "select ticker, max(close) from prices group by ticker" prices.parquet',
  )
    .description("run a SQL statement over files; each is a table of its name: prices.parquet is prices")
    .argument("<statement>", 'SQL, such as "select ticker, max(close) from prices group by ticker"')
    .argument("<files...>", `files that end in ${localEndings}, text also with .gz or .zst; NAME=FILE names the table`)
    .option("-o, --output <file>", `write a file instead of printing: ${frameEndings}`)
    .option("--param <value>", "a value for $1, $2, …; may be repeated", (value, before: string[] = []) => [
      ...before,
      value,
    ])
    .addOption(new Option("--delimiter <character>", "between the cells of CSV files").default(undefined, '","'))
    .option("-q, --quiet", "write nothing but results, warnings and errors")
    .option("--json", "print JSON")
    .action(run);
}

async function run(statement: string, files: readonly string[], flags: SqlFlags): Promise<void> {
  checkOutput(flags.output, "frame");
  await stoppable("Nothing was written; run it again.", async (signal) => {
    // Files are read and written by calls that cannot be aborted: the process exits before they are done.
    // The engine, in contrast, must have stopped before.
    const result = Frame.from(await queryFiles(statement, files, flags, signal));
    await unlessAborted(writeFrame(result, flags.output, flags), signal);
  });
}
