import { Command, Option } from "commander";
import { DOWNLOAD_TYPES, type DownloadType } from "../spec/vocabulary.js";
import { RESUMABLE } from "./export.js";
import { checkOutput, land } from "./output.js";
import { type ServiceFlags, serving, withService } from "./service-flags.js";

interface BulkFlags extends ServiceFlags {
  readonly output: string;
  readonly type: DownloadType;
}

/** `arrowbook bulk DATABASE -o FILE`: a whole database of time series, into a file. */
export function bulkCommand(): Command {
  return withService(new Command("bulk"))
    .description(
      "download a database of time series (spec 4.6) into a file; an interrupted download resumes when run again",
    )
    .argument("<code>", "DATABASE")
    .requiredOption("-o, --output <file>", "a .parquet, .arrow, .arrows (stream), .csv or .zip file")
    .addOption(
      new Option("--type <type>", "every observation, or the latest of each series")
        .choices(DOWNLOAD_TYPES)
        .default("full"),
    )
    .action((code: string, flags: BulkFlags) => {
      checkOutput(flags.output, "bulk");
      return serving(flags, RESUMABLE, (service, signal) =>
        land(service.database(code).bulk(flags.type), flags.output, flags.json === true, { signal }),
      );
    });
}
