import { Command, Option } from "commander";
import type { Service } from "../client/service.js";
import type { Frame } from "../frame/frame.js";
import { type Collapse, FORMATS, type Format, type Order, type Transform, type Unlisted } from "../spec/vocabulary.js";
import { checkOutput, writeFrame } from "./output.js";
import { count, list, type ServiceFlags, serving, withService } from "./service-flags.js";
import { type Where, where } from "./where.js";

interface GetFlags extends ServiceFlags {
  readonly output?: string;
  readonly format: Format;
}

interface DatasetFlags extends GetFlags {
  readonly column?: string;
  readonly from?: string;
  readonly to?: string;
  readonly collapse?: string;
  readonly transform?: string;
  readonly order?: string;
  readonly limit?: number;
}

interface TableFlags extends GetFlags {
  readonly where?: Where;
  readonly select?: string[];
}

/** `arrowbook get dataset|table CODE`: rows to stdout or a file. */
export function getCommand(): Command {
  const get = new Command("get").description("get the rows of a time series or a table");
  get.addCommand(datasetCommand()).addCommand(tableCommand());
  return get;
}

function outputs(command: Command): Command {
  return withService(command)
    .option("-o, --output <file>", "write a .csv, .parquet, .arrow, .arrows (stream) or .json file; else print")
    .addOption(new Option("--format <format>", "format of the replies").choices(FORMATS).default("json"));
}

function datasetCommand(): Command {
  return outputs(new Command("dataset"))
    .description("the rows of a time series")
    .argument("<code>", "DATABASE/DATASET")
    .option("--column <title>", "one column, by its title or its number")
    .option("--from <day>", "first day, YYYY-MM-DD")
    .option("--to <day>", "last day, YYYY-MM-DD")
    .option("--collapse <frequency>", "daily, weekly, monthly, quarterly or annual")
    .option("--transform <calculation>", "diff, rdiff, rdiff_from, cumul or normalize")
    .option("--order <order>", "asc or desc")
    .option("--limit <rows>", "at most this many rows", count)
    .action((code: string, flags: DatasetFlags) =>
      run(flags, (service, signal) => dataset(service, code, flags, signal)),
    );
}

function tableCommand(): Command {
  return outputs(new Command("table"))
    .description("the rows of a table, through every page")
    .argument("<code>", "VENDOR/TABLE")
    .option("--where <condition>", 'such as "ticker=AAPL,MSFT" or "date>=2020-01-01"; may be repeated', where)
    .option("--select <columns>", "these columns, separated by commas, in this order", list)
    .action((code: string, flags: TableFlags) => run(flags, (service, signal) => table(service, code, flags, signal)));
}

async function run(flags: GetFlags, ask: (service: Service, signal: AbortSignal) => Promise<Frame>): Promise<void> {
  checkOutput(flags.output, "frame");
  let frame: Frame | undefined;
  await serving(flags, "Nothing was written.", async (service, signal) => {
    frame = await ask(service, signal);
  });
  if (frame) await writeFrame(frame, flags.output, flags.json === true);
}

function dataset(service: Service, code: string, flags: DatasetFlags, signal: AbortSignal): Promise<Frame> {
  let query = service.dataset(code).format(flags.format);
  const { column, from, to, collapse, transform, order, limit } = flags;
  if (column !== undefined) query = query.column(/^\d+$/.test(column) ? Number(column) : column);
  if (from !== undefined) query = query.from(from);
  if (to !== undefined) query = query.to(to);
  if (collapse !== undefined) query = query.collapse(collapse as Collapse | Unlisted);
  if (transform !== undefined) query = query.transform(transform as Transform | Unlisted);
  if (order !== undefined) query = query.order(order as Order | Unlisted);
  if (limit !== undefined) query = query.limit(limit);
  return query.frame({ signal });
}

function table(service: Service, code: string, flags: TableFlags, signal: AbortSignal): Promise<Frame> {
  let query = service.table(code).format(flags.format);
  if (flags.where) query = query.where(flags.where);
  const [first, ...rest] = flags.select ?? [];
  return (first === undefined ? query : query.select(first, ...rest)).frame({ signal });
}
