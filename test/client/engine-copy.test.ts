import { expect, it } from "vitest";
import type { CopyState, MirrorQuery, SyncPlan } from "../../src/client/mirror/copy.js";
import { copyIn } from "../../src/client/mirror/copy-in.js";
import { type CopyEngine, EngineCopy } from "../../src/client/mirror/engine-copy.js";
import { Frame } from "../../src/frame/frame.js";

const COLUMNS = [{ name: "close", type: "Double" }] as const;
const STATE: CopyState = { code: "V/T", question: "", refreshed_at: null, columns: COLUMNS, rows: 1, updates: 0 };
const PLAN: SyncPlan = { change: "export", why: "", refreshed_at: null, columns: COLUMNS, key: [] };

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

const writeTo = (load: CopyEngine["load"], query: MirrorQuery): Promise<unknown> => {
  const engine: CopyEngine = {
    load: async (name, ...rows) => (name === "V/T" ? load(name, ...rows) : { rows: 1 }),
    tables: async () => [],
    query: async () => Frame.fromRows([{ n: 3 }]).table,
  };
  const copy = new EngineCopy(
    "here",
    "V/T",
    (use) => use(engine),
    (_what, _signal, work) => work(),
  );
  return copy.write(query, PLAN, {});
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
    if (name === "V/T") for await (const batch of batches as AsyncIterable<{ numRows: number }>) rows += batch.numRows;
    return { rows };
  }, query);
  expect([rows, open()]).toEqual([3, 0]);
});

it.each([
  ["select 1", 'with this as (select * from "V/T") select 1'],
  ["with a as (select 1) select * from a", 'with this as (select * from "V/T"),  a as (select 1) select * from a'],
  [
    "-- with\n/* of\ntwo */ WITH\ta as (select 1)",
    '-- with\n/* of\ntwo */ WITH this as (select * from "V/T"), \ta as (select 1)',
  ],
  ["with/**/a as (select 1)", 'with this as (select * from "V/T"), /**/a as (select 1)'],
  ["with recursive a as (select 1)", 'with recursive this as (select * from "V/T"),  a as (select 1)'],
  ["with recursive_a as (select 1)", 'with this as (select * from "V/T"),  recursive_a as (select 1)'],
  ["-- with\nfrom this", 'with this as (select * from "V/T") -- with\nfrom this'],
])("puts the copy before the tables that a statement defines: %j", async (text, sent) => {
  const seen: string[] = [];
  const query = async (sql: string) => {
    seen.push(sql);
    return Frame.fromRows([{ n: 1 }]).table;
  };
  const engine = { load: async () => ({ rows: 0 }), tables: async () => ["V/T"], query };
  const copy = new EngineCopy(
    "here",
    "V/T",
    (use) => use(engine),
    (_what, _signal, work) => work(),
  );
  await copy.query(STATE, text);
  expect(seen).toEqual([sent]);
});

it("an address of a server that cannot be read is an error, without its password", () => {
  const error = (() => {
    try {
      return copyIn("clickhouse://user:hidden@my host/db", "V/T", undefined);
    } catch (cause) {
      return cause;
    }
  })();
  expect(error).toMatchObject({ name: "InputError", code: "BadAddress" });
  expect(String(error)).not.toContain("hidden");
});
