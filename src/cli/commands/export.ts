import { Command, Option } from "commander";
import type { Stale } from "../../client/bulk/export-options.js";
import { DOWNLOAD_TYPES, type DownloadType } from "../../spec/vocabulary.js";
import { count, examples, MAX_RATIO, type ServiceFlags, serving, withService } from "../input/service-flags.js";
import { bulkEndings, checkOutput, writeBulk } from "../output/output.js";
import { choiceFlags, type TableChoice, tableQuery } from "./get.js";

interface ExportFlags extends ServiceFlags, TableChoice {
  readonly maxRatio?: number;
  readonly output: string;
  readonly stale: Stale;
}

/** The message after Ctrl-C. */
const RESUMABLE = "The partial download is kept; run the same command again to resume.";

/** `arrowbook export VENDOR/TABLE -o FILE`: exports a whole table to a file. */
export function exportCommand(): Command {
  return examples(
    choiceFlags(withService(new Command("export")).argument("<code>", "VENDOR/TABLE")),
    "arrowbook export MARKET/PRICES --where ticker=AAA,BBB --sample -o export.parquet",
  )
    .description("export a table to a file, which is complete or absent; run it again to resume an interrupted export")
    .requiredOption("-o, --output <file>", `write this file: ${bulkEndings}`)
    .addOption(
      new Option("--stale <choice>", "use an existing older file, or wait for a new one")
        .choices(["use", "wait"])
        .default("use"),
    )
    .option(...MAX_RATIO, count)
    .action((code: string, flags: ExportFlags) => {
      checkOutput(flags.output, "bulk");
      return serving(flags, RESUMABLE, (service, signal) => {
        const file = tableQuery(service, code, flags).export({ stale: flags.stale });
        return writeBulk(file, flags.output, flags, { signal, maxRatio: flags.maxRatio });
      });
    });
}

interface BulkFlags extends ServiceFlags {
  readonly maxRatio?: number;
  readonly output: string;
  readonly type: DownloadType;
}

/** `arrowbook bulk DATABASE -o FILE`: downloads a database of time series into a file. */
export function bulkCommand(): Command {
  return examples(withService(new Command("bulk")), "arrowbook bulk MARKET --sample -o market.csv.gz")
    .description("download a database of time series to a file; run it again to resume an interrupted download")
    .argument("<code>", "DATABASE")
    .requiredOption("-o, --output <file>", `write this file: ${bulkEndings}`)
    .addOption(
      new Option("--type <type>", "all observations, or the latest of each series")
        .choices(DOWNLOAD_TYPES)
        .default("full"),
    )
    .option(...MAX_RATIO, count)
    .action((code: string, flags: BulkFlags) => {
      checkOutput(flags.output, "bulk");
      return serving(flags, RESUMABLE, (service, signal) =>
        writeBulk(service.database(code).bulk(flags.type), flags.output, flags, { signal, maxRatio: flags.maxRatio }),
      );
    });
}
