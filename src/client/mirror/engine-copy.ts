import type { RecordBatch, Schema, Table } from "../../columns/arrow/arrow.js";
import { schemaOf } from "../../columns/arrow/schema.js";
import type { ParquetReadOptions } from "../../columns/parquet/read/options.js";
import { conditionsOf } from "../../columns/predicate/conditions.js";
import type { LoadOptions, Rows, Stoppable } from "../../engine/contract/engine.js";
import { quoteName } from "../../engine/contract/statements.js";
import { FileError, hasCode } from "../../errors/errors.js";
import { Frame } from "../../frame/frame.js";
import type { ColumnSpec } from "../../spec/columns.js";
import type { Conditions, Operator } from "../../spec/vocabulary.js";
import { changedRows, lastDayOf, nullKeyAsEmpty } from "./changed-rows.js";
import {
  type Copy,
  type CopyState,
  incomplete,
  type MirrorQuery,
  type SyncPlan,
  stateAfter,
  type Told,
  type WrittenCopy,
} from "./copy.js";

/** What a copy needs of a SQL engine: an `Engine`, or one whose results are Frames. */
export interface CopyEngine {
  load(
    name: string,
    data: Rows,
    options: Pick<LoadOptions, "schema" | "mode" | "signal"> & { readonly key?: readonly string[] },
  ): Promise<{ rows: number }>;
  query(sql: string, params?: readonly unknown[], options?: Stoppable): Promise<Table | { readonly table: Table }>;
  tables(): Promise<string[]>;
}

/** Lends the engine to `use`; an abort ends the wait for it. */
export type WithEngine = <T>(use: (engine: CopyEngine) => Promise<T>, signal?: AbortSignal) => Promise<T>;

const DAY_MS = 86_400_000;

/** The table in which an engine keeps the states of its copies. */
export const STATES = "arrowbook_mirrors";
const STATE_COLUMNS = [
  { name: "code", type: "String" },
  { name: "state", type: "String" },
] as const;

/**
 * Lends batches and the schema of the first of them, as readers choose how text is kept. The batches are closed after
 * `use`, read or not.
 */
async function described<T>(
  batches: AsyncIterable<RecordBatch>,
  columns: readonly ColumnSpec[],
  use: (rows: AsyncIterable<RecordBatch>, schema: Schema) => Promise<T>,
): Promise<T> {
  const iterator = batches[Symbol.asyncIterator]();
  try {
    const first = await iterator.next();
    const all = async function* (): AsyncGenerator<RecordBatch> {
      for (let next = first; !next.done; next = await iterator.next()) yield next.value;
    };
    return await use(all(), first.done ? schemaOf(columns) : first.value.schema);
  } finally {
    await iterator.return?.();
  }
}

/** The beginning of a statement with common table expressions of its own, maybe after comments. */
const BLANK = String.raw`(?:\s|--[^\n]*\n|/\*[\s\S]*?\*/)`;
const WITH = new RegExp(`^${BLANK}*with(?![\\w$])(?:${BLANK}+recursive(?![\\w$]))?`, "i");

/** A copy as a table of a SQL engine, called by the code of what it copies. */
export class EngineCopy implements Copy {
  /** @param exclusive keeps other processes from writing; engines replace a table in one step without it */
  constructor(
    readonly place: string,
    private readonly code: string,
    private readonly withEngine: WithEngine,
    readonly exclusive: Copy["exclusive"],
  ) {}

  async state(): Promise<CopyState | undefined> {
    const noted = await this.withEngine((engine) => this.#noted(engine));
    // The note of a first load that has not ended has no more than the code.
    return noted?.columns === undefined ? undefined : (noted as CopyState);
  }

  async #noted(engine: CopyEngine): Promise<Partial<CopyState> | undefined> {
    if (!(await engine.tables()).includes(STATES)) return undefined;
    const found = await engine.query(`select state from ${quoteName(STATES)} where code = $1`, [this.code]);
    const [row] = Frame.from<{ readonly state: string }>(found).rows();
    return row === undefined ? undefined : JSON.parse(row.state);
  }

  async #note(engine: CopyEngine, state: Partial<CopyState>): Promise<void> {
    const note = Frame.fromRows([{ code: this.code, state: JSON.stringify(state) }], STATE_COLUMNS);
    await engine.load(STATES, note.table, { key: ["code"], mode: "upsert" });
  }

  async #hasTable(engine: CopyEngine): Promise<boolean> {
    return (await engine.tables()).includes(this.code);
  }

  async #count(engine: CopyEngine): Promise<number> {
    const counted = await engine.query(`select count(*) as n from ${quoteName(this.code)}`);
    const [count] = Frame.from<{ readonly n: number | bigint }>(counted).rows();
    return Number(count?.n);
  }

  get #missing(): string {
    return `the table ${quoteName(this.code)} is missing`;
  }

  #miscounted({ rows }: CopyState, found: number): string | undefined {
    return found === rows ? undefined : `the table ${quoteName(this.code)} has ${found} rows; written were ${rows}`;
  }

  damage(state: CopyState): Promise<string | undefined> {
    if (state.isLoading) return Promise.resolve("a synchronisation did not end");
    return this.withEngine(async (engine) =>
      (await this.#hasTable(engine)) ? this.#miscounted(state, await this.#count(engine)) : this.#missing,
    );
  }

  async lastDay(column: string, until: string): Promise<string | null> {
    const select = `select max(${quoteName(column)}) as last from ${quoteName(this.code)}`;
    const last = await lastDayOf((await this.#query(select)).batches, until);
    if (last !== null) return last;
    const next = new Date(Date.parse(until) + DAY_MS);
    return lastDayOf((await this.#query(`${select} where ${quoteName(column)} < $1`, [next])).batches, until);
  }

  async write(query: MirrorQuery, plan: SyncPlan, told: Told): Promise<WrittenCopy> {
    try {
      return await this.#write(query, plan, told);
    } catch (error) {
      // Engines refuse rows with the same key and with nulls in it. A copy without a key is exported whole.
      if (!hasCode(error, "EngineData") || plan.key.length === 0) throw error;
      const { update, ...whole } = plan;
      return await this.write(query, update === undefined ? { ...whole, key: [] } : whole, told);
    }
  }

  async #write(query: MirrorQuery, plan: SyncPlan, told: Told): Promise<WrittenCopy> {
    const key = plan.key.length === 0 ? {} : { key: plan.key };
    const synced_at = new Date().toISOString();
    return this.withEngine(async (engine) => {
      const before = await this.#noted(engine);
      if (before === undefined) await this.#demandOwn(engine, plan);
      // A process that ends before the last note leaves the rows of before or the new ones, which are loaded again.
      await this.#note(engine, { code: query.code, ...before, isLoading: true });
      const { update } = plan;
      const mode = update === undefined ? "replace" : "upsert";
      const sent = update === undefined ? query.export().batches(told) : changedRows(query, update, told.signal);
      const batches = query.emptyIsNull ? nullKeyAsEmpty(sent, plan.key) : sent;
      const { rows: received } = await described(batches, plan.columns, (rows, schema) =>
        engine.load(this.code, rows, { ...key, schema, mode, signal: told.signal }),
      ).catch(async (error: unknown) => {
        await this.#note(engine, before ?? { code: query.code }).catch(() => undefined);
        throw error;
      });
      const rows = await this.#count(engine);
      const updated = update && { updates: 0, ...before };
      const state = stateAfter(query, plan, { synced_at, rows }, updated);
      await this.#note(engine, state);
      return { state, received, change: update === undefined ? "export" : "since" };
    }, told.signal);
  }

  /** @throws {FileError} BadMirror for a table of other columns, which no mirror has made */
  async #demandOwn(engine: CopyEngine, { columns }: SyncPlan): Promise<void> {
    if (!(await this.#hasTable(engine))) return;
    const { columns: all } = Frame.from(await engine.query(`select * from ${quoteName(this.code)} limit 0`));
    const names = all.map(({ name }) => name);
    if (columns.length === names.length && columns.every(({ name }) => names.includes(name))) return;
    const found = `${this.place} has a table ${quoteName(this.code)} of other columns`;
    throw new FileError(`${found}, which is not a mirror's.`, {
      code: "BadMirror",
      hint: "Rename or drop it, or mirror the table into another place.",
    });
  }

  async checked(): Promise<void> {}

  read(state: CopyState, { columns, where }: ParquetReadOptions): Promise<Table> {
    const { text, params } = selection(this.code, columns, where);
    return this.#query(text, params, {}, async (engine, { numRows }) => {
      if (state.isLoading) return undefined;
      const isSame = JSON.stringify(await this.#noted(engine)) === JSON.stringify(state);
      if (!isSame) return "it was replaced while it was read";
      return where === undefined ? this.#miscounted(state, numRows) : undefined;
    });
  }

  query(_state: CopyState, text: string, params?: readonly unknown[], options?: Stoppable): Promise<Table> {
    const copy = `this as (select * from ${quoteName(this.code)})`;
    const other = WITH.exec(text);
    return other === null
      ? this.#query(`with ${copy} ${text}`, params, options)
      : this.#query(`${other[0]} ${copy}, ${text.slice(other[0].length)}`, params, options);
  }

  /** @param damage what is missing of a result, as a clause */
  #query(
    text: string,
    params?: readonly unknown[],
    options?: Stoppable,
    damage?: (engine: CopyEngine, result: Table) => Promise<string | undefined>,
  ): Promise<Table> {
    return this.withEngine(async (engine) => {
      if (!(await this.#hasTable(engine))) throw incomplete(this.place, this.code, this.#missing);
      const result = await engine.query(text, params, options);
      const table = "table" in result ? result.table : result;
      const found = await damage?.(engine, table);
      if (found !== undefined) throw incomplete(this.place, this.code, found);
      return table;
    }, options?.signal);
  }
}

const SIGNS: Readonly<Record<Exclude<Operator, "eq">, string>> = { gt: ">", gte: ">=", lt: "<", lte: "<=" };

/**
 * The statement that selects columns (default all) and the rows that meet all conditions, with parameters `$1`, `$2`.
 *
 * @throws {InputError} BadArgument, UnknownValue for what is not a condition
 */
function selection(
  table: string,
  columns: readonly string[] | undefined,
  where: Conditions<Readonly<Record<string, unknown>>> | undefined,
): { readonly text: string; readonly params: readonly unknown[] } {
  const params: unknown[] = [];
  const placed = (value: unknown): string => `$${params.push(value)}`;
  const conditions = conditionsOf(where).map(({ column, operator, values }) =>
    operator === "eq"
      ? `${quoteName(column)} in (${values.map(placed).join(", ")})`
      : `${quoteName(column)} ${SIGNS[operator]} ${placed(values[0])}`,
  );
  const names = columns?.map(quoteName).join(", ") ?? "*";
  const filter = conditions.length === 0 ? "" : ` where ${conditions.join(" and ")}`;
  return { text: `select ${names} from ${quoteName(table)}${filter}`, params };
}
