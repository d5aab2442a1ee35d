import { type DataType, Field, type RecordBatch, Schema } from "../../columns/arrow/arrow.js";
import { recordBatch, sliceData } from "../../columns/arrow/record-batch.js";
import { arrivingStream, EndedEarly } from "../../columns/ipc/read/byte-stream.js";
import { InputError, isArrowbookError, TransportError } from "../../errors/errors.js";
import { errorInResult, isTransport } from "./error.js";
import { isAmbiguous, type ResultColumn, resultColumn } from "./result-type.js";
import type { Reply, Server } from "./server.js";
import type { Statement } from "./statement.js";

const BATCH_ROWS = 65_536;

/** The longest message of an error in the middle of a result, with its marks. */
const LONGEST_TAIL = 1 << 16;

export interface Result {
  readonly schema: Schema;
  /** Batches of at most {@link BATCH_ROWS} rows. */
  batches(): AsyncGenerator<RecordBatch>;
}

/**
 * Sends a statement that returns rows and reads the begin of its result. The result is complete only with Arrow's end
 * mark: a connection that breaks, and an error that the server writes into the bytes, are errors.
 *
 * @throws {InputError} UnsupportedType; the errors of the server
 */
export async function openResult(
  server: Server,
  { sql, params }: Statement,
  signal: AbortSignal | undefined,
): Promise<Result> {
  const reply = await server.send({ sql: `${sql}\nFORMAT ArrowStream`, params, signal, repeatable: true });
  const source = new WatchedReply(reply);
  try {
    const arriving = await arrivingStream(source).catch((error) => {
      throw source.judge(error);
    });
    const { fields } = arriving.schema;
    const types = fields.some(({ type }) => isAmbiguous(type as DataType))
      ? await serverTypes(server, { sql, params }, signal)
      : [];
    const columns = fields.map((field, i) => resultColumn(field.name, field.type as DataType, types[i]));
    const schema = new Schema(fields.map((field, i) => new Field(field.name, columns[i].type, true)));
    return { schema, batches: () => batchesOf(arriving, schema, columns, source) };
  } catch (error) {
    reply.stop();
    throw error;
  }
}

async function* batchesOf(
  arriving: Awaited<ReturnType<typeof arrivingStream>>,
  schema: Schema,
  columns: readonly ResultColumn[],
  source: WatchedReply,
): AsyncGenerator<RecordBatch> {
  try {
    for (;;) {
      const next = await arriving.batches.next().catch(async (error) => {
        await source.drain();
        throw source.judge(error);
      });
      if (next.done) break;
      yield* converted(next.value, schema, columns);
    }
    await source.drain();
    if (arriving.rest().length > 0 || source.drained > 0) {
      throw source.error() ?? broken("bytes follow its end mark");
    }
  } finally {
    source.reply.stop();
  }
}

function* converted(batch: RecordBatch, schema: Schema, columns: readonly ResultColumn[]): Generator<RecordBatch> {
  const children = batch.data.children.map((data, i) => columns[i].convert(data));
  if (batch.numRows <= BATCH_ROWS) {
    if (batch.numRows > 0) yield recordBatch(schema, children, batch.numRows);
    return;
  }
  for (let from = 0; from < batch.numRows; from += BATCH_ROWS) {
    const count = Math.min(BATCH_ROWS, batch.numRows - from);
    const slices = children.map((data) => sliceData(data, from, count));
    yield recordBatch(schema, slices, count);
  }
}

/** The names of the server's types of a result; empty for statements that cannot be described, such as SHOW. */
async function serverTypes(
  server: Server,
  { sql, params }: Pick<Statement, "sql" | "params">,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  if (!/^[\s(]*(SELECT|WITH|FROM)\b/i.test(sql)) return [];
  const described = `DESCRIBE TABLE (\n${sql}\n) FORMAT ArrowStream`;
  const reply = await server.send({ sql: described, params, signal, repeatable: true });
  const { schema, batches } = await arrivingStream(reply.bytes[Symbol.asyncIterator]());
  const column = schema.fields.findIndex((field) => field.name === "type");
  const types: string[] = [];
  for await (const batch of batches) for (const type of batch.getChildAt(column) ?? []) types.push(String(type));
  reply.stop();
  return types;
}

const broken = (how: string, cause?: unknown): TransportError =>
  new TransportError(`The result is incomplete: ${how}.`, {
    code: "TruncatedBody",
    hint: "Run the statement again; if it happens again, look for the reason in the server's log.",
    ...(cause !== undefined && { cause }),
  });

/** The bytes of a reply, of which the last ones are kept. */
class WatchedReply {
  drained = 0;
  readonly #source: AsyncIterator<Uint8Array>;
  #last: Uint8Array[] = [];
  #size = 0;
  #lost: unknown;

  constructor(readonly reply: Reply) {
    this.#source = reply.bytes[Symbol.asyncIterator]();
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    try {
      const { done, value } = await this.#source.next();
      if (done) return { done: true, value: undefined };
      this.#last.push(value);
      this.#size += value.length;
      while (this.#size - this.#last[0].length > LONGEST_TAIL) this.#size -= (this.#last.shift() as Uint8Array).length;
      return { done: false, value };
    } catch (error) {
      this.#lost = error;
      throw error;
    }
  }

  async drain(): Promise<void> {
    if (this.#lost !== undefined) return;
    try {
      for (let step = await this.next(); !step.done; step = await this.next()) this.drained += step.value.length;
    } catch {
      // The connection broke while the reason of an earlier error was looked for.
    }
  }

  /** The error that the server wrote into its result. */
  error(): Error | undefined {
    return errorInResult(Buffer.concat(this.#last).subarray(-LONGEST_TAIL), this.reply.exceptionTag);
  }

  /** The error to report instead of one that was found while reading. */
  judge(error: unknown): unknown {
    const found = this.error();
    if (found !== undefined) return found;
    if (error instanceof EndedEarly) return this.#last.length === 0 ? noArrow() : broken("it ends early");
    if (this.#lost !== undefined && isTransport(this.#lost)) return broken("the connection broke", this.#lost);
    if (isArrowbookError(error) && error.code === "BadArrow") return broken(error.message, error);
    return error;
  }
}

const noArrow = (): InputError =>
  new InputError("The statement returned no rows in Arrow format.", {
    code: "BadStatement",
    hint: "Leave out FORMAT and INTO OUTFILE.",
  });
