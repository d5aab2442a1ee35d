import { expect, it } from "vitest";
import { write } from "../../src/client/mirror/copy.js";
import { type CopyEngine, EnginePlace } from "../../src/client/mirror/engine.js";
import type { Log, Version, View } from "../../src/client/mirror/log.js";
import type { MirrorQuery } from "../../src/client/mirror/place.js";
import { placeAt } from "../../src/client/mirror/place-at.js";
import type { SyncPlan } from "../../src/client/mirror/plan.js";
import { Frame } from "../../src/frame/frame.js";

const COLUMNS = [{ name: "close", type: "Double" }] as const;
const PIECE = { name: "V/T 1 rows", rows: 1, first: 0, last: 0, digest: "" };
const LOG: Log = { number: 1, columns: COLUMNS, key: [], rows: [PIECE], removed: [] };
const VERSION: Version = {
  number: 1,
  log: 1,
  refreshed_at: null,
  synced_at: "",
  known_at: "",
  rows: 1,
  end: 1,
  updates: 0,
};
const VIEW: View = {
  code: "V/T",
  version: VERSION,
  log: LOG,
  rows: [PIECE],
  removed: [],
  removedUpTo: 1,
  isWhole: true,
};
const PLAN: SyncPlan = {
  code: "V/T",
  change: "export",
  why: "",
  refreshed_at: "2024-01-01T00:00:00Z",
  columns: COLUMNS,
  key: [],
  isNewLog: true,
};

/** A query whose rows hold a download until their reader ends. */
function exported(): { readonly query: MirrorQuery; readonly open: () => number } {
  let open = 0;
  const batches = async function* () {
    open++;
    try {
      for (let i = 0; i < 3; i++) yield* Frame.fromRows([{ close: i }], COLUMNS).table.batches;
    } finally {
      open--;
    }
  };
  return { query: { code: "V/T", question: "", export: () => ({ batches }) } as never, open: () => open };
}

const MANIFESTS = "arrowbook_mirrors";

const writeTo = (load: CopyEngine["load"], query: MirrorQuery): Promise<unknown> => {
  const states = new Map<string, string>();
  const engine: CopyEngine = {
    async load(name, rows, options) {
      if (name !== MANIFESTS) return load(name, rows, options);
      for (const { code, state } of Frame.from<{ code: string; state: string }>(rows).rows()) states.set(code, state);
      return { rows: 1 };
    },
    tables: async () => (states.size === 0 ? [] : [MANIFESTS]),
    query: async (_text, [code] = []) => {
      const state = states.get(String(code));
      return Frame.fromRows(state === undefined ? [] : [{ state }], [{ name: "state", type: "String" }]).table;
    },
  };
  return write(new EnginePlace("here", "V/T", (use) => use(engine)), query, PLAN, {});
};

it.each<[string, CopyEngine["load"]]>([
  ["before it reads the rows", () => Promise.reject(new Error("refused"))],
  [
    "after the first row",
    async (_name, rows) => {
      for await (const _ of rows as AsyncIterable<unknown>) throw new Error("refused");
      return { rows: 0 };
    },
  ],
])("closes the download when the engine fails %s", async (_, load) => {
  const { query, open } = exported();
  await expect(writeTo(load, query)).rejects.toThrow("refused");
  expect(open()).toBe(0);
});

it("loads every batch, and closes the download", async () => {
  const { query, open } = exported();
  let rows = 0;
  await writeTo(async (name, batches) => {
    if (name !== MANIFESTS)
      for await (const batch of batches as AsyncIterable<{ numRows: number }>) rows += batch.numRows;
    return { rows };
  }, query);
  expect([rows, open()]).toEqual([3, 0]);
});

const THIS = 'this as (select "close" from (select "close", "arrowbook_row" from "V/T 1 rows") as log)';

it.each([
  ["select 1", `with ${THIS} select 1`],
  ["with a as (select 1) select * from a", `with ${THIS},  a as (select 1) select * from a`],
  ["-- with\n/* of\ntwo */ WITH\ta as (select 1)", `-- with\n/* of\ntwo */ WITH ${THIS}, \ta as (select 1)`],
  ["with/**/a as (select 1)", `with ${THIS}, /**/a as (select 1)`],
  ["with recursive a as (select 1)", `with recursive ${THIS},  a as (select 1)`],
  ["with recursive_a as (select 1)", `with ${THIS},  recursive_a as (select 1)`],
  ["-- with\nfrom this", `with ${THIS} -- with\nfrom this`],
])("puts the copy before the tables that a statement defines: %j", async (text, sent) => {
  const seen: string[] = [];
  const query = async (sql: string) => {
    seen.push(sql);
    return Frame.fromRows([{ n: 1 }]).table;
  };
  const engine = { load: async () => ({ rows: 0 }), tables: async () => [PIECE.name], query };
  await new EnginePlace("here", "V/T", (use) => use(engine)).query(VIEW, text);
  expect(seen).toEqual([sent]);
});

it("an address of a server that cannot be read is an error, without its password", () => {
  const error = (() => {
    try {
      return placeAt("clickhouse://user:hidden@my host/db", "V/T", undefined);
    } catch (cause) {
      return cause;
    }
  })();
  expect(error).toMatchObject({ name: "InputError", code: "BadAddress" });
  expect(String(error)).not.toContain("hidden");
});
