import { tableTexts } from "../../columns/arrow/cell-batch.js";
import type { Engine } from "../../engine/contract/engine.js";
import type { ForeignSource, ForeignState, ForeignTable } from "../../engine/contract/foreign-table.js";
import { DataError, InputError } from "../../errors/errors.js";
import { suggestion } from "../../errors/nearest.js";
import { noColumn } from "../../errors/options.js";
import type { TableEntry } from "./catalog.js";
import type { StoredTable, TableSeek } from "./open-table.js";
import type { Store } from "./store.js";

/** A table that is in the engine already, and is served as it is; see docs/server.md. */
export interface EngineTable extends ForeignSource {
  /** The columns that rows can be filtered by. Default: those of the key. */
  readonly filters?: readonly string[];
  /** The title; default: the code. */
  readonly name?: string;
  /** What the table has. */
  readonly description?: string;
  /** Whether only subscribers may read its rows; default false. */
  readonly premium?: boolean;
}

/**
 * Opens tables that others load into the engine, by their codes `VENDOR/TABLE`. Nothing is written into the engine.
 *
 * @throws {InputError} NotServable, UnknownColumn, UnsupportedType
 * @throws {DataError} DuplicateKey
 */
export async function openForeignTables(
  engine: Engine,
  sources: Readonly<Record<string, string | EngineTable>>,
): Promise<Store> {
  const tables = new Map<string, StoredTable>();
  const followers = new Map<string, () => Promise<StoredTable | undefined>>();
  for (const [code, source] of Object.entries(sources)) {
    const table = typeof source === "string" ? { from: source } : source;
    const { foreign, now } = await followed(engine, code, table);
    if (foreign.repeated !== undefined) await checkKey(engine, code, foreign, foreign.repeated);
    followers.set(code, now);
  }
  const follow = async (code: string): Promise<void> => {
    const table = await followers.get(code)?.();
    if (table === undefined) tables.delete(code);
    else tables.set(code, table);
  };
  for (const code of followers.keys()) await follow(code);
  return {
    engine,
    databases: new Map(),
    tables,
    tableCodes: () => followers.keys(),
    follow,
    async refresh(code) {
      if (followers.has(code)) return follow(code);
      const known = suggestion(code, [...followers.keys()], "codes");
      throw new InputError(`There is no ${JSON.stringify(code)} to refresh. ${known}`, { code: "UnknownCode" });
    },
  };
}

/** A table, and how its present state is read: undefined while there is no such table. */
async function followed(engine: Engine, code: string, source: EngineTable) {
  const describe = async (): Promise<ForeignTable> => {
    if (engine.dialect.foreignTable !== undefined) return engine.dialect.foreignTable(engine, source);
    throw new InputError("The engine has no tables that others load.", {
      code: "NotServable",
      hint: "Pass the engine of clickhouse(); load other rows as data.",
    });
  };
  const foreign = await describe();
  let described: { readonly foreign: ForeignTable; readonly identity: string } | undefined;
  let last: StoredTable | undefined;
  /** The present state, and the description of a table of its identity: it may change while it is described. */
  const present = async () => {
    let state = await (described?.foreign ?? foreign).state();
    while (state !== undefined && state.identity !== described?.identity) {
      const { identity } = state;
      const found = await describe();
      state = await found.state();
      if (state?.identity === identity) described = { foreign: found, identity };
    }
    return state && described && { state, foreign: described.foreign };
  };
  const now = async (): Promise<StoredTable | undefined> => {
    const found = await present();
    if (found === undefined) return undefined;
    if (last?.version !== versionOf(found.state)) last = storedTable(code, source, found.foreign, found.state, last);
    return last;
  };
  return { foreign, now };
}

const versionOf = ({ identity, version }: ForeignState): string => `${identity} ${version}`;

function storedTable(
  code: string,
  source: EngineTable,
  foreign: ForeignTable,
  state: ForeignState,
  before: StoredTable | undefined,
): StoredTable {
  const { columns, from } = foreign;
  const seek = seekOf(foreign, state);
  return {
    code,
    entry: entryOf(code, source, foreign),
    version: versionOf(state),
    refreshedAt: refreshTime(state, before),
    seek,
    compared: (index) => columns[index].compared,
    ready: async () => ({
      table: from,
      rows: state.rows,
      isNumbered: false,
      column: (index) => columns[index].read,
      within: seek.version && upTo(seek.version),
    }),
    // The engine keeps what a statement reads, whatever happens to its table.
    hold: () => () => undefined,
    retire: async () => undefined,
  };
}

/**
 * Later than that of the state before, by which copies know that there is something new: removed rows and columns leave
 * no time behind, and two changes may be in one second.
 */
function refreshTime({ changedAt }: ForeignState, before: StoredTable | undefined): string {
  const now = Math.floor(Date.now() / 1_000);
  const earlier = before && Date.parse(before.refreshedAt) / 1_000;
  const isLater = earlier === undefined || (changedAt ?? now) > earlier;
  const seconds = isLater ? (changedAt ?? now) : Math.max(now, earlier + 1);
  return `${new Date(seconds * 1_000).toISOString().slice(0, 19)}Z`;
}

function seekOf(foreign: ForeignTable, state: ForeignState): TableSeek {
  const { key, version } = foreign;
  const validFor = (each: ForeignState): string => (version === undefined ? versionOf(each) : each.identity);
  const identity = validFor(state);
  return {
    key,
    ...(version && { version: { column: version, latest: state.version } }),
    identity,
    async isCurrent() {
      const present = await foreign.state();
      return present !== undefined && validFor(present) === identity;
    },
  };
}

/** The condition of the rows up to a version, whose text is that of a number or time. */
const upTo = ({ column, latest }: NonNullable<TableSeek["version"]>): string =>
  `${column.sql} <= ${column.value.replace("?", `'${latest}'`)}`;

function entryOf(code: string, source: EngineTable, { columns, key }: ForeignTable): TableEntry {
  const [vendor_code, datatable_code] = code.split("/");
  const names = columns.map(({ name }) => name);
  const filters = source.filters ?? key.flatMap(({ name }) => (columns.some(canFilter(name)) ? [name] : []));
  for (const name of filters) {
    if (!names.includes(name)) throw noColumn(code, name, names);
    if (columns.some(canFilter(name))) continue;
    throw new InputError(`The column ${JSON.stringify(name)} of ${code} cannot be a filter.`, {
      code: "NotServable",
      column: name,
      hint: "Filters are columns of at most 38 digits, and of times in milliseconds or coarser.",
    });
  }
  return {
    vendor_code,
    datatable_code,
    name: source.name ?? code,
    description: source.description ?? null,
    columns: columns.map(({ name, type }) => ({ name, type })),
    filters,
    // Of rows without a column of the key, the rest of it is not one.
    primary_key: key.every(({ name }) => names.includes(name)) ? key.map(({ name }) => name) : [],
    premium: source.premium ?? false,
    status: { status: null, expected_at: null, update_frequency: null },
  };
}

const canFilter =
  (name: string) =>
  (column: ForeignTable["columns"][number]): boolean =>
    column.name === name && column.compared !== undefined;

async function checkKey(engine: Engine, code: string, { key }: ForeignTable, repeated: string): Promise<void> {
  const found = await engine.query(repeated);
  if (found.numRows === 0) return;
  const [row] = tableTexts(found);
  const shown = key.map(({ name }, i) => `${name} = ${row[i]}`).join(", ");
  throw new DataError(`${code}: the key has several rows with ${shown}.`, {
    code: "DuplicateKey",
    hint: "Pass the columns that identify a row as key.",
  });
}
