import { Command, Option } from "commander";
import { TEXT_ENCODINGS } from "../../columns/io/text-encoding.js";
import { unlessAborted } from "../../errors/unless-aborted.js";
import { Frame } from "../../frame/frame.js";
import { localEndings, type TextFlags } from "../input/local-tables.js";
import { queryFiles } from "../input/query-files.js";
import { examples, stoppable } from "../input/service-flags.js";
import { checkOutput, frameEndings, type ReportFlags, writeFrame } from "../output/output.js";

interface SqlFlags extends ReportFlags, TextFlags {
  readonly output?: string;
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
    .argument(
      "<files...>",
      `files or addresses (https:, s3:) that end in ${localEndings}, text also with .gz or .zst; NAME=FILE names the table, NAME=PATTERN one of several files`,
    )
    .option("-o, --output <file>", `write a file instead of printing: ${frameEndings}`)
    .option("--param <value>", "a value for $1, $2, …; may be repeated", repeated)
    .addOption(new Option("--delimiter <character>", "between the cells of CSV files").default(undefined, '","'))
    .addOption(new Option("--decimal <character>", "the decimal point in CSV files").default(undefined, '"."'))
    .option("--thousands <character>", "between groups of three digits in CSV files")
    .option("--percent", "numbers of CSV files that end in % are hundredths")
    .option("--date-format <pattern>", "of CSV files, such as dd.MM.yyyy; may be repeated", repeated)
    .addOption(new Option("--encoding <encoding>", "of CSV files").choices(TEXT_ENCODINGS).default(undefined, "utf-8"))
    .option("-q, --quiet", "write nothing but results, warnings and errors")
    .option("--json", "print JSON")
    .action(run);
}

const repeated = (value: string, before: string[] = []): string[] => [...before, value];

async function run(statement: string, files: readonly string[], flags: SqlFlags): Promise<void> {
  checkOutput(flags.output, "frame");
  await stoppable("Nothing was written; run it again.", async (signal) => {
    // Files are read and written by calls that cannot be aborted: the process exits before they are done.
    // The engine, in contrast, must have stopped before.
    const result = Frame.from(await queryFiles(statement, files, flags, signal));
    await unlessAborted(writeFrame(result, flags.output, flags), signal);
  });
}
