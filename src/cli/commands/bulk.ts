import { Command, Option } from "commander";
import { DOWNLOAD_TYPES, type DownloadType } from "../../spec/vocabulary.js";
import { count, examples, MAX_RATIO, type ServiceFlags, serving, withService } from "../input/service-flags.js";
import { bulkEndings, checkOutput, writeBulk } from "../output/output.js";
import { RESUMABLE } from "./export.js";

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
