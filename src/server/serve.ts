import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseTempName } from "../columns/io/temp-name.js";
import { duckdbEngine } from "../engine/duckdb.js";
import type { Engine } from "../engine/engine.js";
import { InputError } from "../errors/errors.js";
import { fileError } from "../errors/file-error.js";
import { rememberSecret } from "../errors/secrets.js";
import type { CatalogItem } from "../spec/catalog-item.js";
import { profileOf } from "../spec/profile.js";
import { cursors } from "./answers/cursor.js";
import { type BulkFiles, bulkFiles, type MadeFile } from "./answers/exports.js";
import { gate, type KeyGrant } from "./answers/keys.js";
import { links } from "./answers/links.js";
import { replyCache } from "./answers/reply-cache.js";
import type { ServiceState } from "./answers/service-state.js";
import { checkProfile } from "./data/check-profile.js";
import { SAMPLE_KEY } from "./data/sample.js";
import { folderSource, type Source } from "./data/source.js";
import { readState, writeState } from "./data/state.js";
import { openStore, type Store } from "./data/store.js";
import { checkOptions } from "./http/check-options.js";
import { application } from "./http/http.js";
import { isLoopback, listen } from "./http/listen.js";
import type { RunningService, ServeOptions, TableHolderEngine } from "./http/options.js";

/**
 * Starts a service that speaks the interface (spec 4) over HTTP, on a folder of CSV or Parquet files with a catalogue.
 * It listens on this machine only by default.
 *
 * @throws {InputError} for options or a catalogue that cannot be
 * @throws {DataError} for rows that are not what the catalogue   says
 * @throws {TransportError} NotListening when the port is taken
 *
 * @example
 * ```ts no-run
 * import { sampleData, serve } from "arrowbook/server";
 * const service = await serve({ data: sampleData(), port: 8080 });
 * console.log(service.url, service.catalog().map((item) => item.code));
 * await service.close();
 * ```
 */
export async function serve(options: ServeOptions): Promise<RunningService> {
  checkOptions(options);
  const { host = "127.0.0.1" } = options;
  const profile = profileOf(options.profile);
  checkProfile(profile);
  const apiKeys = keysOf(options, host);
  const source = typeof options.data === "string" ? folderSource(options.data) : options.data;
  const engine = options.engine === undefined ? await duckdbEngine(options.database) : tableEngine(options.engine);
  const undo: (() => Promise<unknown>)[] = options.engine === undefined ? [() => engine.close()] : [];
  const undoAll = async (): Promise<void> => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const { state, now, remember } = await openService(engine, source, options, undo);
    let closing: Promise<void> | undefined;
    const app = await application({
      state,
      gate: gate(apiKeys, profile),
      publicUrl: options.publicUrl,
      log: options.log,
      closing: () => closing !== undefined,
    });
    const server = await listen(app.fetch, { ...options, host, profile });
    return {
      url: `http://${host.includes(":") ? `[${host}]` : host}:${server.port}`,
      catalog: () => catalogItems(state.store),
      refresh: (code) => state.store.refresh(code, now()),
      unref: () => server.unref(),
      close() {
        closing ??= server
          .stop(options.graceMs ?? 5_000)
          .then(() => state.files.close())
          .then(remember)
          .finally(undoAll);
        return closing;
      },
    };
  } catch (error) {
    await undoAll();
    throw error;
  }
}

/** The engine as one whose answers are Arrow tables. */
function tableEngine(engine: Engine | TableHolderEngine): Engine {
  return {
    load: (name, data, options) => engine.load(name, data, options),
    async query(sql, params) {
      const answer = await engine.query(sql, params);
      return "table" in answer ? answer.table : answer;
    },
    batches: (sql, params) => engine.batches(sql, params),
    close: () => engine.close(),
  };
}

function keysOf(options: ServeOptions, host: string): Readonly<Record<string, KeyGrant>> {
  if (options.apiKeys === undefined && !isLoopback(host)) {
    throw new InputError(`Listening on ${host} needs apiKeys: the sample key would open the service to everyone.`, {
      code: "KeysNeeded",
      hint: 'Give apiKeys: { "your key": { subscriptions: "all" } }.',
    });
  }
  const apiKeys = options.apiKeys ?? { [SAMPLE_KEY]: { subscriptions: "all" } };
  for (const key of Object.keys(apiKeys)) rememberSecret(key);
  return apiKeys;
}

interface Opened {
  readonly state: ServiceState;
  /** The time of day, ISO 8601 UTC: that of the start, moved on by the clock. */
  readonly now: () => string;
  readonly remember: () => Promise<void>;
}

async function openService(
  engine: Engine,
  source: Source | undefined,
  options: ServeOptions,
  undo: (() => Promise<unknown>)[],
): Promise<Opened> {
  const { clock = () => performance.now() } = options;
  const profile = profileOf(options.profile);
  const [beganAt, began] = [Date.now(), clock()];
  const now = (): string => `${new Date(beganAt + clock() - began).toISOString().slice(0, 19)}Z`;
  const store = await openStore(engine, source);
  const secret = (await readState<string>(engine, "secret")) ?? randomBytes(32).toString("hex");
  await writeState(engine, "secret", secret);
  const downloads = new Map(Object.entries((await readState<Record<string, number>>(engine, "downloads")) ?? {}));
  const remembered = (await readState<MadeFile[]>(engine, "files")) ?? [];
  const folder = await filesFolder(options.database, remembered, undo);
  const remember = async (): Promise<void> => {
    await writeState(engine, "downloads", Object.fromEntries(downloads));
    await writeState(engine, "files", options.database === undefined ? [] : files.made());
  };
  // A service that is killed remembers what was finished by then; one that is just closing does so itself.
  const changed = (): void => void remember().catch(() => undefined);
  const files: BulkFiles = bulkFiles({ folder, profile, clock, now, remembered, changed });
  return {
    now,
    state: {
      store,
      profile,
      files,
      downloads,
      links: links(clock, profile.linkLifetimeMs.value),
      cursors: cursors(secret),
      replies: replyCache(options.replyCacheBytes ?? 64 << 20),
      maxResultRows: options.maxResultRows ?? 1_000_000,
    },
    remember,
  };
}

/**
 * Beside the database file, so that finished files outlive the process; else a temporary folder, removed at the end.
 */
async function filesFolder(
  database: string | undefined,
  remembered: readonly MadeFile[],
  undo: (() => Promise<unknown>)[],
): Promise<string> {
  if (database === undefined) {
    const folder = await mkdtemp(join(tmpdir(), "arrowbook-files-")).catch((cause: unknown) =>
      Promise.reject(fileError(tmpdir(), "write", cause)),
    );
    undo.push(() => rm(folder, { recursive: true, force: true }));
    return folder;
  }
  const folder = `${database}.files`;
  const known = new Set(remembered.map((file) => file.path));
  try {
    await mkdir(folder, { recursive: true });
    for (const name of await readdir(folder)) {
      const path = join(folder, name);
      const unfinished = parseTempName(name)?.kind === "file";
      if (unfinished || (name.endsWith(".zip") && !known.has(path))) await rm(path, { force: true });
    }
  } catch (error) {
    throw fileError(folder, "write", error);
  }
  return folder;
}

function catalogItems({ databases, tables }: Store): CatalogItem[] {
  const items: CatalogItem[] = [];
  for (const { entry, datasets } of databases.values()) {
    const { premium } = entry;
    items.push({ kind: "database", code: entry.database_code, name: entry.name, premium });
    for (const { code, entry: dataset } of datasets.values())
      items.push({ kind: "dataset", code, name: dataset.name, premium });
  }
  for (const { code, entry } of tables.values())
    items.push({ kind: "table", code, name: entry.name, premium: entry.premium });
  return items;
}
