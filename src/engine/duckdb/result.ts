import { setImmediate } from "node:timers/promises";
import type {
  DuckDBConnection,
  DuckDBDataChunk,
  DuckDBMaterializedResult,
  DuckDBResult,
  DuckDBType,
  DuckDBValue,
} from "@duckdb/node-api";
import { type RecordBatch, Schema, Table } from "../../columns/arrow/arrow.js";
import type { Allocate } from "../contract/engine.js";
import { boundValue, checkedParams, isDouble } from "../contract/statements.js";
import { engineError } from "./error.js";
import { loadApi } from "./instance.js";
import { BatchBuilder } from "./read.js";
import { outColumn } from "./types.js";
import type { WideResult } from "./wide-results.js";
import { CHUNK_ROWS } from "./write.js";

/** A result of at most this many rows is fetched in one call: each call waits for a thread of Node's pool. */
export const SMALL_RESULT = 16_384;

const BATCH_ROWS = 65_536;

/** A result, of which nothing is read yet. */
interface StatementResult {
  readonly schema: Schema;
  batches(): AsyncGenerator<RecordBatch>;
}

interface Statement {
  readonly sql: string;
  readonly params: readonly unknown[] | undefined;
  readonly wide: WideResult;
  /** Infinity if unknown. */
  readonly mostRows: number;
  readonly allocate?: Allocate | undefined;
}

export async function completeResult(
  main: DuckDBConnection,
  sql: string,
  params: readonly unknown[] | undefined,
  wide: WideResult,
): Promise<Table> {
  const { schema, batches } = await resultOf(main, { sql, params, wide, mostRows: Number.POSITIVE_INFINITY });
  const all: RecordBatch[] = [];
  for await (const batch of batches()) all.push(batch);
  return new Table(schema, all);
}

/**
 * Begins a statement.
 *
 * @throws {InputError} BadStatement, BadArgument
 */
export async function resultOf(
  own: DuckDBConnection,
  { sql, params, wide, mostRows, allocate }: Statement,
): Promise<StatementResult> {
  const { values, types: valueTypes } = await boundValues(params);
  let result: DuckDBResult;
  let chunks: AsyncGenerator<DuckDBDataChunk>;
  let capacity = CHUNK_ROWS;
  try {
    if (mostRows <= SMALL_RESULT) {
      const complete = await own.run(sql, values, valueTypes);
      result = complete;
      chunks = heldChunks(complete);
      capacity = Math.min(Number(complete.rowCount), BATCH_ROWS);
    } else {
      result = await own.stream(sql, values, valueTypes);
      chunks = fetchedChunks(result);
    }
  } catch (error) {
    throw engineError(error, "The statement cannot be executed");
  }
  const types = result.columnTypes();
  const columns = result
    .columnNames()
    .map((name, i) => outColumn(name, types[i], String(types[i]) === "VARCHAR" ? wide[i] : undefined));
  const schema = new Schema(columns.map((column) => column.field));
  async function* batches(): AsyncGenerator<RecordBatch> {
    const builder = new BatchBuilder(schema, columns, capacity, allocate);
    try {
      for await (const chunk of chunks) {
        builder.append(chunk);
        if (builder.rows > BATCH_ROWS - CHUNK_ROWS) yield builder.flush();
      }
    } catch (error) {
      throw engineError(error, "The statement failed during execution");
    }
    if (builder.rows > 0) yield builder.flush();
  }
  return { schema, batches };
}

/** Values for `$1`, `$2`, …, and the types of those whose type does not follow from the value. */
interface BoundValues {
  readonly values?: DuckDBValue[];
  readonly types?: DuckDBType[];
}

/** @throws {InputError} BadArgument */
async function boundValues(params: readonly unknown[] | undefined): Promise<BoundValues> {
  const values = checkedParams(params).map(boundValue) as DuckDBValue[];
  if (values.length === 0) return {};
  if (!values.some(isDouble)) return { values };
  const { DOUBLE } = await loadApi();
  // Without a type, a whole number is an integer to the binding.
  return { values, types: values.map((value) => (isDouble(value) ? DOUBLE : undefined) as DuckDBType) };
}

/** One chunk for each turn of the event loop: others are served in between. */
async function* heldChunks(result: DuckDBMaterializedResult): AsyncGenerator<DuckDBDataChunk> {
  for (let i = 0; i < result.chunkCount; i++) {
    yield result.getChunk(i);
    await setImmediate();
  }
}

async function* fetchedChunks(result: DuckDBResult): AsyncGenerator<DuckDBDataChunk> {
  for (let chunk = await result.fetchChunk(); chunk?.rowCount; chunk = await result.fetchChunk()) yield chunk;
}
