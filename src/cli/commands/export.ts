import { Command, Option } from "commander";
import type { Stale } from "../../client/bulk/export-options.js";
import { examples } from "../input/examples.js";
import { count, list, MAX_RATIO, type ServiceFlags, serving, withService } from "../input/service-flags.js";
import { type Where, where } from "../input/where.js";
import { bulkEndings, checkOutput, writeBulk } from "../output/output.js";

interface ExportFlags extends ServiceFlags {
  readonly maxRatio?: number;
  readonly output: string;
  readonly where?: Where;
  readonly select?: string[];
  readonly stale: Stale;
}

/** The message after Ctrl-C. */
export const RESUMABLE = "The partial download is kept; run the same command again to resume.";

/** `arrowbook export VENDOR/TABLE -o FILE`: exports a whole table to a file. */
export function exportCommand(): Command {
  return examples(
    withService(new Command("export")),
    "arrowbook export MARKET/PRICES --where ticker=AAA,BBB --sample -o export.parquet",
  )
    .description("export a table to a file, which is complete or absent; run it again to resume an interrupted export")
    .argument("<code>", "VENDOR/TABLE")
    .requiredOption("-o, --output <file>", `write this file: ${bulkEndings}`)
    .option("--where <condition>", 'such as "ticker=AAPL,MSFT" or "date>=2020-01-01"; may be repeated', where)
    .option("--select <columns>", "these columns, separated by commas, in this order", list)
    .addOption(
      new Option("--stale <choice>", "use an existing older file, or wait for a new one")
        .choices(["use", "wait"])
        .default("use"),
    )
    .option(...MAX_RATIO, count)
    .action((code: string, flags: ExportFlags) => {
      checkOutput(flags.output, "bulk");
      return serving(flags, RESUMABLE, (service, signal) => {
        let query = service.table(code);
        if (flags.where) query = query.where(flags.where);
        const [first, ...rest] = flags.select ?? [];
        const chosen = first === undefined ? query : query.select(first, ...rest);
        return writeBulk(chosen.export({ stale: flags.stale }), flags.output, flags, {
          signal,
          maxRatio: flags.maxRatio,
        });
      });
    });
}
