// SQL in a database of @duckdb/duckdb-wasm. Both sides exchange bytes of Arrow IPC: the objects of its own Arrow
// library are of other classes.
import { type Data, Field, Schema, type Table, Timestamp, Type, Vector } from "../../columns/arrow/arrow.js";
import { emptyData } from "../../columns/arrow/record-batch.js";
import { tableFromIPCBytes } from "../../columns/ipc/read/read.js";
import { tableToIPCBytes } from "../../columns/ipc/stream.js";
import { tableOfVectors } from "../../columns/table/of-vectors.js";
import { withoutDictionary } from "../../columns/table/take.js";
import { InputError } from "../../errors/errors.js";
import type { ScanSource, Stoppable } from "../contract/engine.js";
import { boundValue, checkedParams, checkSources, engineClosed, isDouble, quoteName } from "../contract/statements.js";
import { engineError, withNearestName } from "./error.js";
import type { DuckdbWasm } from "./page-database.js";
import { type DescribedColumn, shapedResult } from "./page-result.js";
import { isPlainResult, sqlType, wideColumns } from "./types.js";
import { markedColumns, markOf } from "./wide-results.js";

/** A statement, and its values for `$1`, `$2`, … as SQL. */
interface Statement {
  readonly sql: string;
  readonly values: readonly string[];
}

let calls = 0;

/**
 * The result of a statement over sources by name, whose rows are copied into an in-memory database of the call. An
 * abort cancels the statement at its next step.
 *
 * @throws {InputError} BadStatement, DuplicateColumn, NoColumns, UnsupportedType, EngineClosed
 */
export async function queryCopies(
  db: DuckdbWasm,
  sql: string,
  params: readonly unknown[] | undefined,
  sources: Readonly<Record<string, ScanSource>>,
  { signal }: Stoppable = {},
): Promise<Table> {
  signal?.throwIfAborted();
  checkSources(sources);
  checkCasts(db);
  const statement = { sql, values: checkedParams(params).map(literal) };
  const outer = await db.connectInternal();
  if (outer === undefined) throw engineClosed("useDuckDB(db)");
  const own = await db.connectInternal();
  const database = `arrowbook_${++calls}`;
  try {
    await db.runQuery(outer, `ATTACH ':memory:' AS ${database}`);
    await db.runQuery(own, `USE ${database}`);
    for (const [name, source] of Object.entries(sources)) await addRows(db, own, database, name, source);
    const wide = await wideTypes(db, outer, statement, sources);
    const columns = await describe(db, own, statement);
    const bytes = await run(db, own, { ...statement, sql: withTexts(sql, columns) }, signal);
    return shapedResult(tableFromIPCBytes(bytes), columns, wide);
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    throw withNearestName(engineError(error, "The statement cannot be executed"), sources);
  } finally {
    await db.disconnect(own);
    await db.runQuery(outer, `DETACH ${database}`).catch(() => undefined);
    await db.disconnect(outer);
  }
}

/** @throws {InputError} BadArgument for a database that rounds results */
function checkCasts({ config }: DuckdbWasm): void {
  const cast = Object.entries(config?.query ?? {}).find(([name, on]) => name.startsWith("cast") && on === true)?.[0];
  if (cast === undefined) return;
  throw new InputError(`The database of useDuckDB() was opened with query.${cast}, which loses digits of results.`, {
    code: "BadArgument",
    hint: "Open it without this option.",
  });
}

/** Copies rows into a table, over which a view has the names and the types of the columns. */
async function addRows(
  db: DuckdbWasm,
  own: number,
  database: string,
  name: string,
  { schema, numRows, column }: ScanSource,
): Promise<void> {
  const types = schema.fields.map(sqlType);
  const vectors = types.map((type, at) => {
    const chunks = column(at).data.map((data) => storable(data, type));
    return new Vector(chunks.length > 0 ? chunks : [storable(emptyData(schema.fields[at].type), type)]);
  });
  const rows = new Schema(vectors.map(({ type }, at) => new Field(`c${at}`, type, true)));
  const bytes = tableToIPCBytes(tableOfVectors(rows, vectors, numRows), { wideDecimals: "string" });
  const table = `rows of ${name}`;
  // The database takes the memory of the bytes.
  await db.insertArrowFromIPCStream(own, bytes.slice(), { name: table, create: true });
  const columns = schema.fields.map((field, at) => `CAST(c${at} AS ${types[at]}) AS ${quoteName(field.name)}`);
  await db.runQuery(
    own,
    // Another source may have the name of the table.
    `CREATE TEMP VIEW ${quoteName(name)} AS SELECT ${columns.join(", ")} FROM ${database}.main.${quoteName(table)}`,
  );
}

/** Data without dictionaries; timestamps without a time zone where the engine has none of that unit. */
function storable(data: Data, type: string): Data {
  if (data.type.typeId === Type.Dictionary) return storable(withoutDictionary(data), type);
  if (data.type.typeId !== Type.Timestamp || type === "TIMESTAMPTZ") return data;
  return data.clone(new Timestamp((data.type as Timestamp).unit, null));
}

/** @throws {InputError} BadArgument */
function literal(value: unknown): string {
  const known = boundValue(value);
  if (known === null || typeof known === "boolean") return String(known);
  if (typeof known === "bigint") return `CAST('${known}' AS HUGEINT)`;
  if (typeof known === "number") {
    const isWhole = Number.isInteger(known) && !isDouble(known);
    const isInteger = isWhole && (known | 0) === known;
    return `CAST('${Object.is(known, -0) ? "-0" : known}' AS ${isInteger ? "INTEGER" : isWhole ? "BIGINT" : "DOUBLE"})`;
  }
  if (typeof known === "string") {
    return known
      .split("\0")
      .map((part) => `'${part.replaceAll("'", "''")}'`)
      .join(" || chr(0) || ");
  }
  throw new InputError(`A bound parameter is of type ${typeof known}.`, {
    code: "BadArgument",
    hint: "Pass a string, a number, a bigint, a boolean, a Date or null.",
  });
}

/** The parts of a statement: what may have semicolons within, what may follow its end, and other characters. */
const PARTS =
  /(?<![\w$])e'(?:[^'\\]|\\[\s\S]|'')*(?:'|\\?$)|'(?:[^']|'')*(?:'|$)|"(?:[^"]|"")*(?:"|$)|(\$\w*\$)[\s\S]*?(?:\1|$)|(--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|[;\s]+)|[^;\s]/gi;

/** The statement as part of another one, without the semicolons and comments at its end. */
function inner(sql: string): string {
  let end = 0;
  for (const { 0: part, 2: after, index } of sql.matchAll(PARTS)) if (after === undefined) end = index + part.length;
  return `(${sql.slice(0, end)}\n)`;
}

/** The columns of a result; none for a statement that is not a query. */
async function describe(db: DuckdbWasm, connection: number, { sql, values }: Statement): Promise<DescribedColumn[]> {
  try {
    const bytes = await run(db, connection, { sql: `DESCRIBE ${inner(sql)}`, values });
    return [...tableFromIPCBytes(bytes)].map((row) => ({
      name: String(row?.["column_name"]),
      type: String(row?.["column_type"]),
    }));
  } catch {
    return [];
  }
}

/** The service type of each column of the result that passes a wide column through. */
async function wideTypes(
  db: DuckdbWasm,
  outer: number,
  statement: Statement,
  sources: Readonly<Record<string, ScanSource>>,
): Promise<readonly (string | undefined)[]> {
  const schemas = Object.entries(sources).map(([name, { schema }]) => ({ name, schema }));
  if (!schemas.some(({ schema }) => wideColumns(schema).size > 0)) return [];
  for (const { name, schema } of schemas) {
    await db.runQuery(outer, `CREATE TEMP VIEW ${quoteName(name)} AS ${markedColumns(schema)}`);
  }
  return (await describe(db, outer, statement)).map(({ type }) => markOf(type));
}

/** The query with its other columns as text; of enums, the database sends no strings. */
function withTexts(sql: string, columns: readonly DescribedColumn[]): string {
  if (columns.every(({ type }) => isPlainResult(type))) return sql;
  const names = columns.map((_, at) => `c${at}`);
  const cells = columns.map(({ type }, at) => (isPlainResult(type) ? names[at] : `CAST(${names[at]} AS VARCHAR)`));
  return `SELECT ${cells.join(", ")} FROM ${inner(sql)} AS t(${names.join(", ")})`;
}

/** The Arrow IPC stream of a result. An abort is checked at each step of the engine. */
async function run(
  db: DuckdbWasm,
  connection: number,
  { sql, values }: Statement,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  let text = sql;
  if (values.length > 0) {
    await db.runQuery(connection, `PREPARE arrowbook AS ${sql}`);
    text = `EXECUTE arrowbook(${values.join(", ")})`;
  }
  let header = await db.startPendingQuery(connection, text);
  while (header === null) {
    if (signal?.aborted) {
      await db.cancelPendingQuery(connection);
      throw signal.reason;
    }
    header = await db.pollPendingQuery(connection);
  }
  const parts = [header];
  for (;;) {
    signal?.throwIfAborted();
    const part = await db.fetchQueryResults(connection);
    if (part === null) continue;
    if (part.length === 0) break;
    parts.push(part);
  }
  return new Uint8Array(await new Blob(parts as Uint8Array<ArrayBuffer>[]).arrayBuffer());
}
