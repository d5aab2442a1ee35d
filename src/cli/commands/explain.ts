import { inspect } from "node:util";
import { Command, Option } from "commander";
import type { Plan } from "../../client/pages/plan.js";
import type { Service } from "../../client/service.js";
import { examples, formatOption, type ServiceFlags, serving, withService } from "../input/service-flags.js";
import { type DatasetFlags, datasetFlags, datasetQuery, type TableFlags, tableFlags, tableQuery } from "./get.js";

/** `arrowbook explain dataset|table CODE …`: prints what `get` or `export` would do, without requesting rows. */
export function explainCommand(): Command {
  const explain = new Command("explain")
    .description("show what a query would do, without requesting rows")
    .showHelpAfterError("(arrowbook explain dataset or table CODE)");
  const dataset = examples(
    datasetFlags(withService(new Command("dataset")).addOption(formatOption())),
    "arrowbook explain dataset MARKET/AAA --column Close --sample",
  )
    .description("addresses and checks of a query of a time series")
    .action((code: string, flags: DatasetFlags) =>
      show(flags, (service, signal) => datasetQuery(service, code, flags).explain({ signal })),
    );
  const table = examples(
    tableFlags(withService(new Command("table")).addOption(formatOption())),
    "arrowbook explain table MARKET/PRICES --where ticker=AAA --sample",
  )
    .description("addresses, checks and pages of a query of a table")
    .addOption(new Option("--by <way>", "by pages, or by an export").choices(["pages", "export"]).default("pages"))
    .action((code: string, flags: TableFlags & { readonly by: "pages" | "export" }) =>
      show(flags, (service, signal) =>
        tableQuery(service, code, flags).format(flags.format).explain({ by: flags.by, signal }),
      ),
    );
  return explain.addCommand(dataset).addCommand(table);
}

function show(flags: ServiceFlags, plan: (service: Service, signal: AbortSignal) => Promise<Plan>): Promise<void> {
  return serving(flags, "Nothing was requested.", async (service, signal) => {
    const made = await plan(service, signal);
    process.stdout.write(`${flags.json ? JSON.stringify(made) : inspect(made)}\n`);
  });
}
