import { readFileSync } from "node:fs";
import { Command, InvalidArgumentError, Option } from "commander";
import type { Engine } from "../../engine/contract/engine.js";
import { InputError } from "../../errors/errors.js";
import { fileError } from "../../errors/file-error.js";
import type { KeyGrant } from "../../server/answers/keys.js";
import { tableCode } from "../../server/data/open-table.js";
import type { TableHistory } from "../../server/data/past-tables.js";
import { sampleData } from "../../server/data/sample.js";
import { folderSource, type Source } from "../../server/data/source.js";
import { isLoopback } from "../../server/http/listen.js";
import type { RunningService, ServeOptions } from "../../server/http/options.js";
import { logLine } from "../../server/http/request-log.js";
import { serve } from "../../server/serve.js";
import type { CatalogItem } from "../../spec/endpoints.js";
import { SAMPLE_KEY } from "../../spec/endpoints.js";
import type { ProfileName } from "../../spec/profile.js";
import { passwordOf } from "../input/key-input.js";
import { list, profileOption } from "../input/service-flags.js";

interface ServeFlags {
  readonly sample?: boolean;
  readonly data?: string;
  readonly port: number;
  readonly host: string;
  readonly key?: readonly string[];
  readonly database?: string;
  readonly engine?: string;
  readonly tables?: string;
  readonly askPassword?: boolean;
  readonly profile?: ProfileName;
  readonly publicUrl?: string;
  readonly subscriptions?: readonly string[];
  readonly cors?: readonly string[];
  readonly allowedHost?: readonly string[];
  readonly history?: string;
  readonly log?: boolean;
  readonly json?: boolean;
}

/** `arrowbook serve`: runs the embedded service on a folder of data or on the sample, until Ctrl-C. */
export function serveCommand(): Command {
  return new Command("serve")
    .description("serve a folder of data, or the sample data, over the same interface")
    .option("--sample", "serve the sample data with the key `sample`")
    .option("--data <folder>", "serve the CSV or Parquet files of a folder with a catalogue file (docs/server.md)")
    .option("--port <number>", "port, 0 for a free one", port, 8080)
    .option("--host <address>", "address to listen on", "127.0.0.1")
    .option("--key <key...>", "keys that may read everything (or ARROWBOOK_SERVER_KEYS, separated by commas)")
    .option("--subscriptions <products>", 'what the keys subscribe to: "all" (default) or EOD,SHARADAR/SEP', list)
    .addOption(profileOption())
    .option("--public-url <origin>", "origin of links behind a proxy (default: the address of each request)")
    .option("--cors <origin...>", 'origins whose web pages may read the replies, or "*"')
    .option("--allowed-host <name...>", "host names that requests may be for, besides those of this machine")
    .option("--database <file>", "keep the loaded data and the state of exports in this file")
    .addOption(
      new Option(
        "--engine <address>",
        "keep and query the rows in ClickHouse, clickhouse://user@host/database (password: ARROWBOOK_ENGINE_PASSWORD)",
      ).conflicts("database"),
    )
    .addOption(
      new Option(
        "--tables <json>",
        'serve tables of --engine as they are: {"VENDOR/TABLE": "database.table"}, or a file with it (docs/server.md)',
      ).conflicts(["data", "sample"]),
    )
    .option("--ask-password", "ask for the password of --engine on the terminal, without showing it")
    .option("--history <place>", "answer point-in-time calls from the copies that arrowbook sync --history made there")
    .option("--log", "write one line per request to stderr")
    .option("--json", "print the address and codes as one JSON line")
    .action((flags: ServeFlags, command: Command) => run(flags, command));
}

function port(text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 0 || number > 65535)
    throw new InvalidArgumentError("must be a port from 0 to 65535");
  return number;
}

async function run(flags: ServeFlags, command: Command): Promise<void> {
  const hasRows = flags.engine !== undefined && !flags.sample && !flags.data;
  if (!flags.sample === !flags.data && !hasRows) {
    command.error("error: serve needs either --sample or --data <folder>. Try: arrowbook serve --sample");
  }
  if (flags.askPassword && flags.engine === undefined) {
    command.error("error: --ask-password is for the password of --engine <address>.");
  }
  if (flags.tables !== undefined && flags.engine === undefined) {
    command.error("error: --tables are those of --engine <address>.");
  }
  const given = flags.key ?? (process.env["ARROWBOOK_SERVER_KEYS"] ?? "").split(",").filter((key) => key !== "");
  const products = flags.subscriptions ?? ["all"];
  const subscriptions: KeyGrant["subscriptions"] = products.includes("all") ? "all" : products;
  const keys = given.map((key) => [key, { subscriptions }] as const);
  const sampleKeys = flags.subscriptions === undefined ? undefined : { [SAMPLE_KEY]: { subscriptions } };
  if (given.length === 0 && !isLoopback(flags.host)) {
    command.error(
      `error: listening on ${flags.host} needs --key <key> (or ARROWBOOK_SERVER_KEYS, which other users of this machine cannot see): the sample key would open the service to everyone.`,
    );
  }
  const engine = flags.engine === undefined ? undefined : await openEngine(flags.engine, flags.askPassword);
  try {
    await serveUntilStopped(flags, keys.length > 0 ? Object.fromEntries(keys) : sampleKeys, keys.length === 0, engine);
  } finally {
    await engine?.close();
  }
}

async function openEngine(address: string, askPassword: boolean | undefined): Promise<Engine> {
  const password = await passwordOf(askPassword);
  const { clickhouseEngine } = await import("../../engine/clickhouse/clickhouse.js");
  return clickhouseEngine(address, password === undefined ? {} : { password });
}

async function serveUntilStopped(
  flags: ServeFlags,
  apiKeys: Readonly<Record<string, KeyGrant>> | undefined,
  isSampleKey: boolean,
  engine: Engine | undefined,
): Promise<void> {
  const data = flags.data === undefined ? (flags.sample ? sampleData() : undefined) : folderSource(flags.data);
  const service = await serve({
    data,
    history: flags.history === undefined ? [] : await copiesIn(flags.history, data),
    engine,
    tables: flags.tables === undefined ? undefined : tablesIn(flags.tables),
    port: flags.port,
    host: flags.host,
    apiKeys,
    database: flags.database,
    profile: flags.profile,
    publicUrl: flags.publicUrl,
    cors: flags.cors,
    allowedHosts: flags.allowedHost,
    log: flags.log ? (entry) => process.stderr.write(`${logLine(entry)}\n`) : undefined,
  });
  const stop = new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
  announce(service, flags, isSampleKey);
  await stop;
  process.stderr.write("\nStopping.\n");
  await service.close();
}

/** The tables of `serve()`, as JSON or in a file. */
function tablesIn(flag: string): ServeOptions["tables"] {
  const isFile = !flag.trimStart().startsWith("{");
  const json = isFile ? readText(flag) : flag;
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw new InputError(`${isFile ? flag : "--tables"} is not JSON: ${(cause as Error).message}`, {
      code: "BadArgument",
      hint: 'Pass an object such as {"SHARADAR/SEP": "prices.sep"}.',
      cause,
    });
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw fileError(path, "read", cause, { what: "tables", hint: "Pass a JSON file, or JSON that begins with {." });
  }
}

/** The copies of a place that are of tables to be served. */
async function copiesIn(place: string, data: Source | undefined): Promise<TableHistory[]> {
  const { copyAt, copyIn } = await import("../../client/mirror/place-at.js");
  const codes = (data?.catalog.tables ?? []).map(tableCode);
  const copies = await Promise.all(codes.map((code) => copyAt(copyIn(place, code), code)));
  const found = copies.filter((copy) => !copy.isEmpty);
  if (found.length > 0) return found;
  throw new InputError(`${place} has no copy of a table that is served.`, {
    code: "BadArgument",
    hint: "Pass the place of arrowbook sync --to, and with --data or --sample the tables.",
  });
}

function announce(service: RunningService, flags: ServeFlags, sampleKey: boolean): void {
  const catalog = service.catalog();
  if (flags.json) {
    process.stdout.write(`${JSON.stringify({ url: service.url, catalog })}\n`);
    return;
  }
  const width = Math.max(...catalog.map((item) => item.code.length));
  for (const { code, kind, name, premium } of catalog) {
    process.stdout.write(`${code.padEnd(width)}  ${kind.padEnd(8)}  ${name}${premium ? " (premium)" : ""}\n`);
  }
  process.stdout.write(`\nServing at ${service.url}${sampleKey ? " with the key `sample`" : ""}; Ctrl-C stops it.\n`);
  process.stdout.write(
    `Try: ARROWBOOK_URL=${service.url} ${sampleKey ? "ARROWBOOK_API_KEY=sample " : ""}arrowbook get ${example(catalog)}\n`,
  );
}

function example(catalog: readonly CatalogItem[]): string {
  const item = catalog.find(({ kind }) => kind === "table") ?? catalog.find(({ kind }) => kind === "dataset");
  return item === undefined ? "--help" : `${item.kind} ${item.code}`;
}
