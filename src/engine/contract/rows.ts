import type { RecordBatch, Schema } from "../../columns/arrow/arrow.js";
import { adopt } from "../../columns/table/foreign-table.js";
import { DataError, InputError } from "../../errors/errors.js";
import { suggestion } from "../../errors/nearest.js";
import { unlessAborted } from "../../errors/unless-aborted.js";
import type { LoadOptions, Rows } from "./engine.js";

/** Rows that are about to be loaded: their columns are known. */
export interface OpenRows {
  readonly schema: Schema;
  /** All batches, each with exactly the columns of `schema`. */
  readonly batches: AsyncIterable<RecordBatch>;
}

/**
 * Opens rows: the schema is that of the options, of the table, or of the first batch.
 *
 * @param what the rows, for messages
 * @throws {InputError} NoSchema for a stream without batches, NoColumns
 * @throws {DataError} in the iteration, SchemaMismatch; the signal's reason on abort
 */
export async function openRows(
  what: string,
  data: Rows,
  { schema, signal }: Pick<LoadOptions, "schema" | "signal">,
): Promise<OpenRows> {
  if (typeof data !== "object" || data === null) {
    throw new InputError(`The rows of ${what} are not a table.`, {
      code: "BadArgument",
      hint: "Pass a frame, an Arrow table or record batches.",
    });
  }
  if (Array.isArray(data) && data.length > 0 && !("schema" in Object(data[0]))) {
    throw new InputError(`The rows of ${what} are an array of ${typeof data[0]} values, not record batches.`, {
      code: "BadArgument",
      hint: "Make a frame of them: Frame.fromRows(rows).",
    });
  }
  signal?.throwIfAborted();
  if (!isStream(data)) {
    const table = adopt(data);
    return checked(stoppable(table.batches, signal), schema ?? table.schema);
  }
  const source = stoppable(data, signal);
  const first = await source.next();
  const found = schema ?? (first.done ? undefined : first.value.schema);
  if (found === undefined) {
    throw new InputError(`Without batches the columns of ${what} are unknown.`, {
      code: "NoSchema",
      hint: "Pass the schema in the options of load().",
    });
  }
  async function* all(): AsyncGenerator<RecordBatch> {
    try {
      if (!first.done) yield first.value;
      yield* source;
    } finally {
      await source.return(undefined);
    }
  }
  return checked(all(), found);
}

function isStream(data: Rows): data is AsyncIterable<RecordBatch> | Iterable<RecordBatch> {
  if (typeof data !== "object" || data === null || "batches" in data || "table" in data) return false;
  return Symbol.asyncIterator in data || Symbol.iterator in data;
}

function checked(batches: AsyncIterable<RecordBatch>, schema: Schema): OpenRows {
  if (schema.fields.length === 0) {
    throw new InputError("A table without columns cannot be loaded.", { code: "NoColumns" });
  }
  async function* all(): AsyncGenerator<RecordBatch> {
    for await (const batch of batches) {
      checkSchema(batch.schema, schema);
      yield batch;
    }
  }
  return { schema, batches: all() };
}

/** The batches until the signal aborts, also while the next one is awaited. */
async function* stoppable(
  data: AsyncIterable<RecordBatch> | Iterable<RecordBatch>,
  signal: AbortSignal | undefined,
): AsyncGenerator<RecordBatch> {
  if (signal === undefined) {
    yield* data;
    return;
  }
  const source = Symbol.asyncIterator in data ? data[Symbol.asyncIterator]() : data[Symbol.iterator]();
  let done = false;
  try {
    for (;;) {
      signal.throwIfAborted();
      const next = await unlessAborted(Promise.resolve(source.next()), signal);
      if (next.done) {
        done = true;
        return;
      }
      yield next.value;
    }
  } finally {
    // Not awaited: a source that does not answer would hold up the abort.
    if (!done) void Promise.resolve(source.return?.()).catch(() => undefined);
  }
}

function checkSchema(found: Schema, expected: Schema): void {
  if (found === expected) return;
  const text = (schema: Schema) => schema.fields.map((field) => `${field.name}: ${field.type}`).join(", ");
  if (text(found) !== text(expected)) {
    throw new DataError(`Expected a batch with the columns ${text(expected)}; got ${text(found)}.`, {
      code: "SchemaMismatch",
    });
  }
}

/**
 * The key columns of a load.
 *
 * @throws {InputError} UnknownColumn; BadArgument for `upsert` without a key
 */
export function keyOf(schema: Schema, { key = [], mode }: LoadOptions): readonly string[] {
  const names = schema.fields.map((field) => field.name);
  const columns = [key].flat();
  for (const name of columns) {
    if (names.includes(name)) continue;
    throw new InputError(`The key has no column ${JSON.stringify(name)}. ${suggestion(name, names, "columns")}`, {
      code: "UnknownColumn",
      column: name,
    });
  }
  if (mode === "upsert" && columns.length === 0) {
    throw new InputError("An upsert needs the columns that identify a row.", {
      code: "BadArgument",
      hint: 'Pass them: load(name, rows, { mode: "upsert", key: ["ticker", "date"] }).',
    });
  }
  return columns;
}

/** A table to which rows are added, and the columns of both, by their names as the engine compares them. */
interface AddedRows {
  readonly engine: string;
  readonly table: string;
  readonly stored: ReadonlyMap<string, StoredColumn>;
  readonly added: ReadonlyMap<string, StoredColumn>;
}

/** A column of a table: its name, and its type in the engine. */
export interface StoredColumn {
  readonly column: string;
  readonly type: string;
}

/**
 * Checks that rows to be added have exactly the columns of the table and their types: engines would round and cast.
 *
 * @throws {InputError} WrongTable
 */
export function checkAddedColumns({ engine, table, stored, added }: AddedRows): void {
  const shown = JSON.stringify(table);
  for (const [id, { column, type }] of added) {
    const other = stored.get(id)?.type;
    if (other === type) continue;
    const has = other === undefined ? "has no such column" : `stores it as ${other}`;
    throw new InputError(`Column ${JSON.stringify(column)} is ${type} in ${engine}, and the table ${shown} ${has}.`, {
      code: "WrongTable",
      column,
      hint: "Convert the column with cast(): the engine would round it.",
    });
  }
  const missing = [...stored].filter(([id]) => !added.has(id)).map(([, { column }]) => column);
  if (missing.length === 0) return;
  throw new InputError(`The rows lack the columns ${missing.join(", ")} of the table ${shown}.`, {
    code: "WrongTable",
    hint: "Add them with with().",
  });
}

/**
 * Checks that rows have the key with which a table was loaded: rows are replaced by key only then.
 *
 * @throws {InputError} WrongKey
 */
export function checkAddedKey(table: string, stored: readonly string[], key: readonly string[]): void {
  if (stored.length === key.length && stored.every((column) => key.includes(column))) return;
  const spelled = (columns: readonly string[]): string =>
    columns.length === 0 ? "without a key" : `with the key ${columns.join(", ")}`;
  throw new InputError(`The table ${JSON.stringify(table)} was loaded ${spelled(stored)}, not ${spelled(key)}.`, {
    code: "WrongKey",
    hint: 'Load it once with that key and mode: "replace".',
  });
}
