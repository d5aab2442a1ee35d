import { randomBytes } from "node:crypto";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "../disk/sync-folder.js";
import { parseTempName } from "../disk/temp-name.js";
import { temporaryFolder } from "../disk/temporary-folder.js";
import type { Engine } from "../engine/contract/engine.js";
import { embeddedEngine } from "../engine/embedded.js";
import { InputError } from "../errors/errors.js";
import { fileError } from "../errors/file-error.js";
import { rememberSecret } from "../errors/secrets.js";
import { SAMPLE_KEY } from "../spec/endpoints.js";
import { profileOf } from "../spec/profile.js";
import { catalogItems } from "./answers/answer-list.js";
import { type BulkFiles, bulkFiles, type MadeFile } from "./answers/exports.js";
import { gate, type KeyGrant } from "./answers/keys.js";
import { pageMemories } from "./answers/page-memory.js";
import { replyCache } from "./answers/reply-cache.js";
import { cursors, links, type ServiceState } from "./answers/service-state.js";
import { passingState, savedState } from "./data/catalog.js";
import { checkProfile } from "./data/check-profile.js";
import { openForeignTables } from "./data/foreign-tables.js";
import { pastTables } from "./data/past-tables.js";
import { folderSource, type Source } from "./data/source.js";
import { openStore } from "./data/store.js";
import { checkOptions } from "./http/check-options.js";
import { hostCheck } from "./http/hosts.js";
import { type HttpOptions, reply } from "./http/http.js";
import { isLoopback, listen } from "./http/listen.js";
import type { RunningService, ServeOptions, TableHolderEngine } from "./http/options.js";

/**
 * Starts a service with the interface of the specification (spec 4) over HTTP, on a folder of CSV or Parquet files with
 * a catalogue. By default it listens on this machine only.
 *
 * @throws {InputError} BadArgument, UnknownOption, BadCatalog
 * @throws {DataError} for rows that do not match the catalogue
 * @throws {TransportError} NotListening if the port is in use
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
  const engine = options.engine === undefined ? await embeddedEngine(options.database) : tableEngine(options.engine);
  const undo: (() => Promise<unknown>)[] = options.engine === undefined ? [() => engine.close()] : [];
  const undoAll = async (): Promise<void> => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const { state, now, remember } = await openService(engine, source, options, undo);
    let closing: Promise<void> | undefined;
    const http: HttpOptions = {
      ...options,
      state,
      gate: gate(apiKeys, profile),
      checkHost: hostCheck({ ...options, host }, profile),
      closing: () => closing !== undefined,
    };
    const server = await listen((incoming, outgoing) => reply(incoming, outgoing, http), { ...options, host, profile });
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

function tableEngine(engine: Engine | TableHolderEngine): Engine {
  return {
    dialect: engine.dialect,
    load: (name, data, options) => engine.load(name, data, options),
    async query(sql, params, queryOptions) {
      const answer = await engine.query(sql, params, queryOptions);
      return "table" in answer ? answer.table : answer;
    },
    batches: (sql, params, options) => engine.batches(sql, params, options),
    tables: () => engine.tables(),
    verify: (name, source, options) => engine.verify(name, source, options),
    close: () => engine.close(),
  };
}

function keysOf(options: ServeOptions, host: string): Readonly<Record<string, KeyGrant>> {
  if (options.apiKeys === undefined && !isLoopback(host)) {
    throw new InputError(`Listening on ${host} requires apiKeys: the sample key would give everyone access.`, {
      code: "KeysNeeded",
      hint: 'Pass apiKeys: { "your key": { subscriptions: "all" } }.',
    });
  }
  const apiKeys = options.apiKeys ?? { [SAMPLE_KEY]: { subscriptions: "all" } };
  for (const key of Object.keys(apiKeys)) rememberSecret(key);
  return apiKeys;
}

async function openService(
  engine: Engine,
  source: Source | undefined,
  options: ServeOptions,
  undo: (() => Promise<unknown>)[],
) {
  const { clock = () => performance.now() } = options;
  const profile = profileOf(options.profile);
  const [beganAt, began] = [Date.now(), clock()];
  /** The time of day, ISO 8601 UTC: that of the start, advanced by the clock. */
  const now = (): string => `${new Date(beganAt + clock() - began).toISOString().slice(0, 19)}Z`;
  const { tables } = options;
  const isKept = tables === undefined && (options.engine !== undefined || options.database !== undefined);
  const saved = isKept ? savedState(engine) : passingState();
  const store = await (tables === undefined ? openStore(engine, source, saved) : openForeignTables(engine, tables));
  const past = pastTables([options.history ?? []].flat(), store.tables);
  undo.push(past.close);
  const secret = (await saved.read<string>("secret")) ?? randomBytes(32).toString("hex");
  await saved.write({ secret });
  const downloads = new Map(Object.entries((await saved.read<Record<string, number>>("downloads")) ?? {}));
  const remembered = (await saved.read<MadeFile[]>("files")) ?? [];
  const folder = await filesFolder(options.database, remembered, undo);
  const remember = async (): Promise<void> => {
    await saved.write({
      downloads: Object.fromEntries(downloads),
      files: options.database === undefined ? [] : files.made(),
    });
  };
  // A service that is killed keeps the files that were finished by then; closing saves the state itself.
  const changed = async (): Promise<void> => {
    const saving = remember().catch(() => undefined);
    if (options.database !== undefined) await saving;
  };
  const files: BulkFiles = bulkFiles({ folder, profile, clock, now, remembered, changed });
  const state: ServiceState = {
    store,
    past,
    profile,
    files,
    downloads,
    links: links(clock, profile.linkLifetimeMs.value),
    cursors: cursors(secret),
    lendMemory: pageMemories(),
    replies: replyCache(options.replyCacheBytes ?? 64 << 20),
    maxResultRows: options.maxResultRows ?? 1_000_000,
  };
  return { now, state, remember };
}

/**
 * The folder of bulk files: beside the database file, so that finished files outlive the process; otherwise a temporary
 * folder, removed at the end.
 */
async function filesFolder(
  database: string | undefined,
  remembered: readonly MadeFile[],
  undo: (() => Promise<unknown>)[],
): Promise<string> {
  if (database === undefined) {
    const { path, release } = await temporaryFolder("files");
    undo.push(release);
    return path;
  }
  const folder = `${database}.files`;
  const known = new Set(remembered.map((file) => file.path));
  try {
    await makeFolder(folder);
    for (const name of await readdir(folder)) {
      const path = join(folder, name);
      const unfinished = parseTempName(name)?.kind === "file";
      if (unfinished || (/\.(?:zip|parquet)$/.test(name) && !known.has(path))) await rm(path, { force: true });
    }
  } catch (error) {
    throw fileError(folder, "write", error);
  }
  return folder;
}
