import { Command } from "commander";
import type { Service } from "../../client/service.js";
import type { Format } from "../../spec/vocabulary.js";
import { examples, formatOption, type ServiceFlags, serving, withService } from "../input/service-flags.js";

interface MetaFlags extends ServiceFlags {
  readonly format: Format;
  readonly refresh?: boolean;
}

const KINDS = {
  dataset: {
    shape: "DATABASE/DATASET",
    what: "a time series",
    example: "MARKET/AAA",
    query: (service: Service, code: string) => service.dataset(code),
  },
  database: {
    shape: "DATABASE",
    what: "a database of time series",
    example: "LABOR",
    query: (service: Service, code: string) => service.database(code),
  },
  table: {
    shape: "VENDOR/TABLE",
    what: "a table",
    example: "MARKET/PRICES",
    query: (service: Service, code: string) => service.table(code),
  },
} as const;

/** `arrowbook meta dataset|database|table CODE`: prints metadata. */
export function metaCommand(): Command {
  const meta = new Command("meta")
    .description("show the metadata of a time series, database or table")
    .showHelpAfterError("(arrowbook meta dataset, database or table CODE)");
  for (const [kind, { shape, what, example, query }] of Object.entries(KINDS)) {
    const command = examples(withService(new Command(kind)), `arrowbook meta ${kind} ${example} --sample`)
      .description(`the metadata of ${what}`)
      .argument("<code>", shape)
      .addOption(formatOption("format of the reply"))
      .option("--refresh", "with --cache: request it even if it is on disk")
      .action((code: string, flags: MetaFlags) =>
        serving(flags, "Nothing was written.", async (service) => {
          const { format, refresh } = flags;
          show(await query(service, code).format(format).metadata({ refresh }), flags);
        }),
      );
    meta.addCommand(command);
  }
  return meta;
}

function show(metadata: object, flags: MetaFlags): void {
  if (flags.json) {
    process.stdout.write(`${JSON.stringify(metadata)}\n`);
    return;
  }
  const width = Math.max(...Object.keys(metadata).map((name) => name.length));
  for (const [name, value] of Object.entries(metadata)) {
    const [first = "", ...rest] = lines(value);
    process.stdout.write(`${name.padEnd(width)}  ${first}\n`);
    for (const line of rest) process.stdout.write(`${" ".repeat(width)}  ${line}\n`);
  }
}

/** Removes control characters, which must not reach the terminal from foreign text. */
const plain = (text: string): string => text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "");

function lines(value: unknown): string[] {
  if (value === null) return ["-"];
  if (Array.isArray(value)) return value.map(item);
  if (typeof value === "object") return Object.entries(value).map(([name, inner]) => plain(`${name}: ${inner ?? "-"}`));
  return plain(String(value)).split("\n");
}

function item(value: unknown): string {
  const { name, type } = Object(value) as { name?: string; type?: string };
  return plain(name !== undefined && type !== undefined ? `${name}  ${type}` : String(value));
}
