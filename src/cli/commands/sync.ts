import { setTimeout as sleep } from "node:timers/promises";
import { Command, InvalidArgumentError, Option } from "commander";
import type { Mirror, SyncReport } from "../../client/mirror/mirror.js";
import { copyIn } from "../../client/mirror/place-at.js";
import type { Service } from "../../client/service.js";
import { count, examples, MAX_RATIO, type ServiceFlags, serving, withService } from "../input/service-flags.js";
import { reportError } from "../output/report-error.js";

interface SyncFlags extends ServiceFlags {
  readonly maxRatio?: number;
  readonly to: string;
  readonly by?: string;
  readonly since?: string;
  readonly wholeEvery?: number;
  readonly history?: string | true;
  readonly files?: true;
  readonly dryRun?: boolean;
  readonly watch?: boolean;
  readonly every: number;
}

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const STOPPED = "The copies are as they were; run the same command again to resume.";

/** `arrowbook sync VENDOR/TABLE… --to PLACE`: keeps local copies of tables up to date. */
export function syncCommand(): Command {
  return examples(withService(new Command("sync")), "arrowbook sync MARKET/PRICES --to copies --sample")
    .description(
      "copy tables into Parquet files, DuckDB or ClickHouse, and update the copies whose tables have changed",
    )
    .argument("<codes...>", "VENDOR/TABLE, one or more")
    .requiredOption(
      "--to <place>",
      "a folder, in which each table has VENDOR/TABLE, a .duckdb file, or clickhouse://HOST/DATABASE",
    )
    .option("--by <column>", 'one file for each value of a column, or "date:year", "date:month"')
    .option("--since <column>", "request only rows whose date in this column is that of the last one, or later")
    .option("--whole-every <n>", "with --since: export the whole table at every n-th change (default: 10)", count)
    .option("--files", "take whole exports as lists of Parquet files, where the profile has them")
    .option("--history [time]", 'keep earlier states too: all, or those of a time such as "2 years"')
    .option(...MAX_RATIO, count)
    .option("--dry-run", "print what would be done; request metadata alone")
    .option("--watch", "run until Ctrl-C, at the pace of --every")
    .addOption(
      new Option("--every <time>", "with --watch: 30s, 15m, 6h, 1d").argParser(duration).default(UNIT_MS.d, "1d"),
    )
    .action((codes: string[], flags: SyncFlags) =>
      serving(flags, STOPPED, async (service, signal) => {
        for (;;) {
          await syncAll(service, codes, flags, signal);
          if (!flags.watch || flags.dryRun) return;
          await sleep(flags.every, undefined, { signal }).catch(() => signal.throwIfAborted());
        }
      }),
    );
}

/** A failure of one table does not keep the others from being copied; while watching it is tried again next time. */
async function syncAll(
  service: Service,
  codes: readonly string[],
  flags: SyncFlags,
  signal: AbortSignal,
): Promise<void> {
  let failure: { readonly error: unknown } | undefined;
  for (const code of codes) {
    try {
      const { by, since, wholeEvery, maxRatio, files } = flags;
      const history = typeof flags.history === "string" ? { keep: flags.history } : flags.history;
      const options = { by, since, wholeEvery, maxRatio, files, history, load: false };
      const mirror = await service.table(code).mirror(copyIn(flags.to, code), options);
      await (flags.dryRun ? plan(mirror, flags, signal) : sync(mirror, flags, signal));
    } catch (error) {
      signal.throwIfAborted();
      if (codes.length === 1 && !flags.watch) throw error;
      reportError(error);
      failure ??= { error };
    }
  }
  if (failure !== undefined && !flags.watch) process.exitCode = 1;
}

async function plan(mirror: Mirror, { json }: SyncFlags, signal: AbortSignal): Promise<void> {
  const { change, why, update } = await mirror.plan({ signal });
  const does = {
    none: "nothing to do",
    export: "would export the whole table",
    since: `would request rows with ${update?.column} from ${update?.day} on (deleted rows are not noticed)`,
  }[change];
  print(json, { code: mirror.code, change, why }, `${mirror.code}: ${does}. ${why}`);
}

async function sync(mirror: Mirror, { json, quiet }: SyncFlags, signal: AbortSignal): Promise<void> {
  const report = await mirror.sync({ signal, ...((quiet || json) && { onProgress: false }) });
  print(json, report, `${mirror.code}: ${done(report)}`);
}

function done({ change, rows, received, refreshed_at }: SyncReport): string {
  const all = `${rows.toLocaleString("en-US")} rows`;
  const at = refreshed_at === null ? "" : ` of ${refreshed_at}`;
  if (change === "none") return `unchanged, ${all}${at}.`;
  if (change === "export") return `copied ${all}${at}.`;
  return `put ${received.toLocaleString("en-US")} changed rows in place, ${all}${at}.`;
}

function print(json: boolean | undefined, what: object, line: string): void {
  process.stdout.write(`${json ? JSON.stringify(what) : line}\n`);
}

function duration(text: string): number {
  const match = /^(\d{1,6})([smhd])$/.exec(text);
  const ms = match === null ? 0 : Number(match[1]) * UNIT_MS[match[2] as keyof typeof UNIT_MS];
  // The longest time of Node's timers is 24.8 days.
  if (ms >= UNIT_MS.s && ms <= 24 * UNIT_MS.d) return ms;
  throw new InvalidArgumentError("must be a time from 1s to 24d, such as 15m or 6h");
}
