import { rm } from "node:fs/promises";
import { Command, InvalidArgumentError, Option } from "commander";
import type { DatasetQuery } from "../../client/query/dataset-query.js";
import type { TableQuery } from "../../client/query/table-query.js";
import type { Service } from "../../client/service.js";
import { InputError } from "../../errors/errors.js";
import { unlessAborted } from "../../errors/unless-aborted.js";
import type { Frame } from "../../frame/frame.js";
import {
  COLLAPSES,
  type Collapse,
  type Format,
  ORDERS,
  type Order,
  TRANSFORMS,
  type Transform,
  type Unlisted,
} from "../../spec/vocabulary.js";
import {
  count,
  day,
  examples,
  formatOption,
  ListedOption,
  list,
  type ServiceFlags,
  serving,
  stoppable,
  withService,
} from "../input/service-flags.js";
import { checkOutput, frameEndings, writeFrame } from "../output/output.js";

interface GetFlags extends ServiceFlags {
  readonly output?: string;
  readonly format: Format;
}

export interface DatasetFlags extends GetFlags {
  readonly column?: string;
  readonly from?: string;
  readonly to?: string;
  readonly collapse?: string;
  readonly transform?: string;
  readonly order?: string;
  readonly limit?: number;
}

export interface TableChoice {
  readonly where?: Where;
  readonly select?: string[];
  readonly limit?: number;
}

export interface TableFlags extends GetFlags, TableChoice {
  readonly fallback?: "export";
  readonly resume?: boolean;
  readonly from?: string;
  readonly asOf?: string;
  readonly lag?: string;
}

/** `arrowbook get dataset|table CODE`: prints rows or writes them to a file. */
export function getCommand(): Command {
  return new Command("get")
    .description("get the rows of a time series or a table")
    .showHelpAfterError("(arrowbook get dataset or table CODE)")
    .addCommand(datasetCommand())
    .addCommand(tableCommand());
}

/** The flags of a command that writes rows. */
function outputs(command: Command): Command {
  return withService(command)
    .option("-o, --output <file>", `write a file instead of printing: ${frameEndings}`)
    .addOption(formatOption());
}

function datasetCommand(): Command {
  const command = datasetFlags(outputs(new Command("dataset")));
  return examples(
    command,
    "arrowbook get dataset MARKET/AAA --collapse monthly --limit 12 --sample",
    "arrowbook get dataset MARKET/AAA --column Close --from 2020-01-01 --sample -o close.csv",
  )
    .description("the rows of a time series")
    .action(async (code: string, flags: DatasetFlags) => {
      await run(flags, (service, signal) => datasetQuery(service, code, flags).frame({ signal }));
    });
}

export function datasetFlags(command: Command): Command {
  return command
    .argument("<code>", "DATABASE/DATASET")
    .option("--column <title>", "one column, by title or number")
    .option("--from <day>", "first day, YYYY-MM-DD", day)
    .option("--to <day>", "last day, YYYY-MM-DD", day)
    .addOption(new ListedOption("--collapse <frequency>", COLLAPSES))
    .addOption(new ListedOption("--transform <calculation>", TRANSFORMS))
    .addOption(new ListedOption("--order <order>", ORDERS))
    .option("--limit <rows>", "at most this many rows", count);
}

function tableCommand(): Command {
  const command = tableFlags(outputs(new Command("table")));
  return examples(
    command,
    "arrowbook get table MARKET/PRICES --limit 5 --sample",
    'arrowbook get table MARKET/PRICES --where ticker=AAA --where "date>=2020-01-01" --sample -o prices.parquet',
  )
    .description("the rows of a table, from all pages")
    .addOption(
      new Option("--fallback <way>", "where the service cannot reply in pages: the same rows by an export").choices([
        "export",
      ]),
    )
    .option("--resume", "with -o: keep the pages beside the file until it is written, and resume from them")
    .option("--from <place>", "read the copy that arrowbook sync made there (its --to); sends no request")
    .option("--as-of <day>", "with --from: the state known at the end of this day in UTC, or at a timestamp")
    .option("--lag <time>", 'with --as-of: known for at least this long by then, such as "1 day"')
    .action(async (code: string, flags: TableFlags) => {
      if (flags.from !== undefined) return readCopy(flags.from, code, flags);
      if (flags.asOf !== undefined || flags.lag !== undefined) throw needsCopy();
      const { fallback } = flags;
      const checkpoint = checkpointFor(flags.output, flags.resume);
      const onStop = checkpoint === undefined ? undefined : "Run it again to resume.";
      const ask = (service: Service, signal: AbortSignal): Promise<Frame> =>
        tableQuery(service, code, flags)
          .format(flags.format)
          .frame({
            signal,
            fallback,
            checkpoint,
            ...(flags.quiet ? {} : { onResume: reportResumed }),
          });
      await run(flags, ask, onStop);
      if (checkpoint !== undefined) await rm(checkpoint, { force: true });
    });
}

/** Prints or writes the rows of a copy. */
async function readCopy(place: string, code: string, flags: TableFlags): Promise<void> {
  const { select: columns, where: conditions, asOf, lag, limit, output } = flags;
  checkOutput(output, "frame");
  const { copyAt, copyIn } = await import("../../client/mirror/place-at.js");
  const copy = await copyAt(copyIn(place, code), code);
  const onProgress = flags.quiet || flags.json ? { onProgress: false as const } : {};
  await stoppable(NOT_WRITTEN, async (signal) => {
    const frame = await copy.frame({ columns, where: conditions, asOf, lag, signal, ...onProgress });
    await written(limit === undefined ? frame : frame.head(limit), flags, signal);
  });
}

const needsCopy = (): InputError =>
  new InputError("The service has the newest state of a table alone.", {
    code: "BadArgument",
    hint: "Pass the place of a copy with its history: --from copies.",
  });

export function tableFlags(command: Command): Command {
  return choiceFlags(command.argument("<code>", "VENDOR/TABLE")).option(
    "--limit <rows>",
    "at most this many rows, for a look at the table",
    count,
  );
}

/** The flags that choose rows and columns of a table. */
export function choiceFlags(command: Command): Command {
  return command
    .option("--where <condition>", 'such as "ticker=AAPL,MSFT" or "date>=2020-01-01"; may be repeated', where)
    .option("--select <columns>", "these columns, separated by commas, in this order", list);
}

/** Requests rows and writes them. */
function run(
  flags: GetFlags,
  ask: (service: Service, signal: AbortSignal) => Promise<Frame>,
  onStop = NOT_WRITTEN,
): Promise<void> {
  checkOutput(flags.output, "frame");
  return serving(flags, onStop, async (service, signal) => written(await ask(service, signal), flags, signal));
}

const NOT_WRITTEN = "Nothing was written.";

/** Files are written by calls that cannot be aborted: the process exits before they are done, and removes them. */
const written = (frame: Frame, flags: GetFlags, signal: AbortSignal): Promise<void> =>
  unlessAborted(writeFrame(frame, flags.output, flags), signal);

export function datasetQuery(service: Service, code: string, flags: DatasetFlags): DatasetQuery {
  let query = service.dataset(code).format(flags.format);
  const { column, from, to, collapse, transform, order, limit } = flags;
  if (column !== undefined) query = query.column(/^\d+$/.test(column) ? Number(column) : column);
  if (from !== undefined) query = query.from(from);
  if (to !== undefined) query = query.to(to);
  if (collapse !== undefined) query = query.collapse(collapse as Collapse | Unlisted);
  if (transform !== undefined) query = query.transform(transform as Transform | Unlisted);
  if (order !== undefined) query = query.order(order as Order | Unlisted);
  if (limit !== undefined) query = query.limit(limit);
  return query;
}

export function tableQuery(service: Service, code: string, flags: TableChoice): TableQuery {
  let query = service.table(code);
  if (flags.limit !== undefined) query = query.limit(flags.limit);
  if (flags.where) query = query.where(flags.where);
  const [first, ...rest] = flags.select ?? [];
  return first === undefined ? query : query.select(first, ...rest);
}

/**
 * The checkpoint of a command that writes `output`: a file beside it.
 *
 * @throws {InputError} BadArgument without an output file
 */
function checkpointFor(output: string | undefined, resume: boolean | undefined): string | undefined {
  if (!resume) return undefined;
  if (output !== undefined) return `${output}.checkpoint`;
  throw new InputError("--resume needs an output file.", {
    code: "BadArgument",
    hint: "Pass one with -o: the pages are kept beside it.",
  });
}

/** Says how much was taken from the checkpoint. */
function reportResumed({ pages, rows }: { readonly pages: number; readonly rows: number }): void {
  const count = (n: number, what: string): string => `${n.toLocaleString("en-US")} ${what}${n === 1 ? "" : "s"}`;
  process.stderr.write(`resumed after ${count(pages, "page")}, ${count(rows, "row")}\n`);
}

/** Conditions by column, as `table(…).where()` accepts them. */
type Where = Record<string, string | string[] | Record<string, string>>;

const SIGNS: readonly (readonly [string, string])[] = [
  [">=", "gte"],
  ["<=", "lte"],
  [">", "gt"],
  ["<", "lt"],
  ["=", "eq"],
];

/**
 * Parses one condition and adds it: `ticker=AAPL,MSFT` (any of them), `date>=2020-01-01`, `<=`, `>`, `<`, or the
 * service's own `date.gte=2020-01-01` (spec 4.7).
 */
function where(text: string, before: Where = {}): Where {
  const found = /^(.+?)(>=|<=|>|<|=)([\s\S]*)$/.exec(text);
  if (!found) throw new InvalidArgumentError('expected a condition such as "ticker=AAPL,MSFT" or "date>=2020-01-01"');
  const [, left, sign, value] = found;
  refuseOtherSigns(left, sign, value);
  const dotted = sign === "=" ? /^(.+)\.(gte|lte|gt|lt|eq)$/.exec(left.trim()) : null;
  const column = dotted ? dotted[1] : left.trim();
  const operator = dotted ? dotted[2] : (SIGNS.find(([spelt]) => spelt === sign) as readonly [string, string])[1];
  const known = before[column];
  if (operator === "eq") {
    if (known !== undefined)
      throw new InvalidArgumentError(`"${column}" already has a condition; list its values: a,b`);
    return { ...before, [column]: value.split(",") };
  }
  if (Array.isArray(known) || typeof known === "string") {
    throw new InvalidArgumentError(`"${column}" already has a condition`);
  }
  return { ...before, [column]: { ...known, [operator]: value } };
}

/** `==`, `=>`, `=<`, `!=` and `<>` are signs of other languages; as `=` they would ask for other rows. */
function refuseOtherSigns(left: string, sign: string, value: string): void {
  const written = left.endsWith("!") ? `!${sign}` : `${sign}${/^[=<>]?/.exec(value)?.[0] ?? ""}`;
  const meant = { "==": "=", "=>": ">=", "=<": "<=" }[written];
  if (meant !== undefined && !/\.(gte|lte|gt|lt|eq)$/.test(left.trim())) {
    throw new InvalidArgumentError(
      `"${written}" is not an operator; write "${left}${meant}${value.slice(1)}" (or "${left}.eq=${value}" for a value that begins so)`,
    );
  }
  if (left.endsWith("!") || written === "<>") {
    throw new InvalidArgumentError(
      `"${written}" is not an operator: the service can only include rows; filter them afterwards`,
    );
  }
}
