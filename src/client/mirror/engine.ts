import { randomUUID } from "node:crypto";
import type { DataType, RecordBatch, Table } from "../../columns/arrow/arrow.js";
import { columnsOf } from "../../columns/arrow/schema.js";
import { isText } from "../../columns/compute/texts.js";
import type { ParquetReadOptions } from "../../columns/parquet/read/options.js";
import { conditionsOf } from "../../columns/predicate/conditions.js";
import type { LoadOptions, Rows, Stoppable } from "../../engine/contract/engine.js";
import { quoteName } from "../../engine/contract/statements.js";
import { FileError } from "../../errors/errors.js";
import { noColumn } from "../../errors/options.js";
import { Frame } from "../../frame/frame.js";
import { type ColumnSpec, parseType } from "../../spec/columns.js";
import type { Operator } from "../../spec/vocabulary.js";
import { type Manifest, NUMBER_COLUMN, namesOf, newest, type Piece, parseManifest, type View, viewOf } from "./log.js";
import type { NextPieces, Place } from "./place.js";
import { rowsStatement, Tally } from "./rows.js";

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

/** The table in which an engine keeps the manifests of its copies. */
export const MANIFESTS = "arrowbook_mirrors";
const MANIFEST_COLUMNS = [
  { name: "code", type: "String" },
  { name: "state", type: "String" },
] as const;

/** Rows that are read at once. */
const READ_ROWS = 500_000;
/** What follows the code in the name of a table: a number, the time when it was begun, what two at once differ in. */
const WRITTEN = /^ \d+ ([0-9a-z]{8})[0-9a-f]{4} (?:rows|removed)$/;
/** Tables of a synchronisation that did not end are removed after this time where two can run at once. */
const ABANDONED_MS = 86_400_000;

/** The beginning of a statement with common table expressions of its own, maybe after comments. */
const BLANK = String.raw`(?:\s|--[^\n]*\n|/\*[\s\S]*?\*/)`;
const WITH = new RegExp(`^${BLANK}*with(?![\\w$])(?:${BLANK}+recursive(?![\\w$]))?`, "i");

/** Pieces are tables of a SQL engine; the newest version is a view, called by the code of what it copies. */
export class EnginePlace implements Place {
  /** @param exclusive keeps other processes from writing; undefined where two can write at once */
  constructor(
    readonly name: string,
    private readonly code: string,
    private readonly withEngine: WithEngine,
    private readonly lock?: Place["exclusive"],
  ) {}

  manifest(): Promise<Manifest | undefined> {
    return this.withEngine(async (engine) => {
      const text = await noted(engine, this.code);
      return text === undefined ? undefined : parseManifest(text, `The copy of ${this.code} in ${this.name}`);
    });
  }

  async exclusive<T>(what: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    // Open for all steps at once.
    const all = (): Promise<T> => this.withEngine(work, signal);
    return this.lock === undefined ? all() : this.lock(what, signal, all);
  }

  writing<T>(_code: string, current: number, use: (next: NextPieces) => Promise<T>): Promise<T> {
    const number = current + 1;
    const prefix = `${this.code} ${number} ${Date.now().toString(36)}${randomUUID().slice(0, 4)} `;
    return this.withEngine(async (engine) => {
      if (current === 0) await this.#demandFree(engine);
      const write: NextPieces["write"] = async (kind, rows) => {
        const name = `${prefix}${kind}`;
        const tally = new Tally();
        const batches = tally.of(rows);
        // An engine that fails may not have read them to their end.
        await engine.load(name, batches, { mode: "replace" }).finally(() => batches.return(undefined));
        return [{ name, ...tally.noted() }];
      };
      return use({ number, write }).finally(() => this.#dropUnnamed(engine, prefix));
    });
  }

  /** Drops tables that no manifest names: those with this prefix, and those of synchronisations that did not end. */
  async #dropUnnamed(engine: CopyEngine, prefix: string): Promise<void> {
    const manifest = await this.manifest();
    const named = manifest ? [...namesOf(manifest), ...manifest.old] : [];
    for (const table of await engine.tables()) {
      if (named.includes(table) || !table.startsWith(`${this.code} `)) continue;
      const begun = Number.parseInt(WRITTEN.exec(table.slice(this.code.length))?.[1] ?? "", 36);
      const isAbandoned = this.lock === undefined ? Date.now() - begun > ABANDONED_MS : !Number.isNaN(begun);
      if (isAbandoned || table.startsWith(prefix)) await engine.query(`drop table ${quoteName(table)}`);
    }
  }

  /** @throws {FileError} BadMirror for a table or view of that name that no mirror made */
  async #demandFree(engine: CopyEngine): Promise<void> {
    const [isTable, isView] = ["tables", "views"].map((kind) => `information_schema.${kind} where table_name = $1`);
    const found = await engine.query(`select table_name from ${isTable}`, [this.code]);
    const views = await engine.query(`select view_definition from ${isView}`, [this.code]);
    const [view] = Frame.from<{ readonly view_definition: string }>(views).rows();
    const isOwn = view?.view_definition.includes(NUMBER_COLUMN) === true;
    if (isOwn || Frame.from(found).numRows === 0) return;
    throw new FileError(`${this.name} has ${quoteName(this.code)}, which is not a mirror's of this version.`, {
      code: "BadMirror",
      hint: "Rename or drop it, or mirror the table into another place.",
    });
  }

  async commit(manifest: Manifest, before: Manifest | undefined): Promise<void> {
    await this.withEngine(async (engine) => {
      const tables = await engine.tables();
      const old = manifest.old.filter((name) => tables.includes(name));
      await note(engine, this.code, JSON.stringify({ ...manifest, old }));
      await this.checked(viewOf(manifest, newest(manifest)));
      for (const name of before?.old ?? []) await engine.query(`drop table if exists ${quoteName(name)}`);
    });
  }

  damage(pieces: readonly Piece[]): Promise<string | undefined> {
    return this.withEngine(async (engine) => {
      const tables = await engine.tables();
      const missing = pieces.find(({ name }) => !tables.includes(name));
      if (missing !== undefined) return `the table ${quoteName(missing.name)} is missing`;
      const counts = pieces.map(({ name }, i) => `select ${i} as piece, count(*) as n from ${quoteName(name)}`);
      const found = Frame.from<{ piece: number; n: number }>(await engine.query(counts.join(" union all ")));
      for (const { piece, n } of found.rows()) {
        const { name, rows } = pieces[piece];
        if (Number(n) !== rows) return `the table ${quoteName(name)} has ${n} rows; written were ${rows}`;
      }
      return undefined;
    });
  }

  async *batches(pieces: readonly Piece[], columns: readonly string[]): AsyncGenerator<RecordBatch> {
    // The column of the numbers is the last one, and that of removed rows is read whole.
    const number = quoteName(columns[columns.length - 1]);
    for (const { name, first, last } of pieces) {
      for (let from = first; from <= last; from += READ_ROWS) {
        const text = `select ${columns.map(quoteName).join(", ")} from ${quoteName(name)}`;
        const part = `${text} where ${number} >= ${from} and ${number} < ${from + READ_ROWS}`;
        yield* withDecimals(await this.#result(part)).batches;
      }
    }
  }

  async table(view: View, { columns, where, signal }: ParquetReadOptions): Promise<Table> {
    const names = view.log.columns.map(({ name }) => name);
    const unknown = [...(columns ?? []), ...Object.keys(where ?? {})].find((name) => !names.includes(name));
    if (unknown !== undefined) throw noColumn(this.code, unknown, names);
    const params: unknown[] = [];
    const placed = (value: unknown): string => `$${params.push(value)}`;
    const conditions = conditionsOf(where).map(({ column, operator, values }) =>
      operator === "eq"
        ? `${quoteName(column)} in (${values.map(placed).join(", ")})`
        : `${quoteName(column)} ${SIGNS[operator]} ${placed(values[0])}`,
    );
    return this.#result(this.#rows(view, columns, conditions), params, { signal });
  }

  query(view: View, text: string, params?: readonly unknown[], options?: Stoppable): Promise<Table> {
    const copy = `this as (${this.#rows(view)})`;
    const other = WITH.exec(text);
    return other === null
      ? this.#result(`with ${copy} ${text}`, params, options)
      : this.#result(`${other[0]} ${copy}, ${text.slice(other[0].length)}`, params, options);
  }

  async checked(newest: View): Promise<void> {
    await this.#result(`create or replace view ${quoteName(this.code)} as ${this.#rows(newest)}`);
  }

  #rows(view: View, columns?: readonly string[], conditions?: readonly string[]): string {
    return rowsStatement(view, (pieces) => pieces.map(({ name }) => quoteName(name)), columns, conditions);
  }

  #result(text: string, params?: readonly unknown[], options?: Stoppable): Promise<Table> {
    return this.withEngine(async (engine) => {
      const result = await engine.query(text, params, options);
      return "table" in result ? result.table : result;
    }, options?.signal);
  }
}

const SIGNS: Readonly<Record<Exclude<Operator, "eq">, string>> = { gt: ">", gte: ">=", lt: "<", lte: "<=" };

/** The rows with decimals that the engine stores as text. */
function withDecimals(table: Table): Table {
  const { fields } = table.schema;
  const isWide = ({ type }: ColumnSpec, i: number): boolean =>
    parseType(type).kind === "decimal" && isText(fields[i].type as DataType);
  const wide = columnsOf(table.schema).filter(isWide);
  if (wide.length === 0) return table;
  return Frame.from(table).cast(Object.fromEntries(wide.map(({ name, type }) => [name, type]))).table;
}

/** What the table of the manifests has under a name. */
async function noted(engine: CopyEngine, name: string): Promise<string | undefined> {
  if (!(await engine.tables()).includes(MANIFESTS)) return undefined;
  const found = await engine.query(`select state from ${quoteName(MANIFESTS)} where code = $1`, [name]);
  const [row] = Frame.from<{ readonly state: string }>(found).rows();
  return row?.state;
}

async function note(engine: CopyEngine, name: string, state: string): Promise<void> {
  const { table } = Frame.fromRows([{ code: name, state }], MANIFEST_COLUMNS);
  await engine.load(MANIFESTS, table, { key: ["code"], mode: "upsert" });
}
