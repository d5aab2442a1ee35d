import { type RecordBatch, Table } from "../../columns/arrow/arrow.js";
import { DataError, isArrowbookError } from "../../errors/errors.js";
import { scrub } from "../../errors/secrets.js";
import type { Frame } from "../../frame/frame.js";
import { COLLAPSES, ORDERS, TRANSFORMS } from "../../spec/vocabulary.js";
import { type AnswerSource, checkQuestion, type Question } from "./source.js";

/** Bytes of a reply, unless more are asked for, and at most. */
const USUAL_BYTES = 8_000;
const MOST_BYTES = 1_000_000;
/** Rows of a query that are looked at, and of each table of a statement. */
const MOST_ROWS = 10_000;
const MOST_SQL_ROWS = 1_000_000;

/** A tool as the protocol describes it; `run` returns the text of a reply. */
export interface AssistantTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: object;
  run(source: AnswerSource, input: Input, signal: AbortSignal): Promise<string>;
}

interface Input extends Question {
  readonly text?: string;
  readonly limit?: number;
  readonly max_bytes?: number;
  readonly statement?: string;
  readonly tables?: Readonly<Record<string, Question>>;
}

const TEXT = { type: "string" };
const MAX_BYTES = { type: "integer", minimum: 100, maximum: MOST_BYTES, description: `default ${USUAL_BYTES}` };
const QUESTION = {
  code: { ...TEXT, description: "VENDOR/TABLE, or DATABASE/DATASET of a time series" },
  kind: { enum: ["table", "dataset"], description: 'default "table"' },
  where: {
    type: "object",
    description: 'of a table: {"ticker": ["AAA", "BBB"], "date": {"gte": "2024-01-01", "lt": "2024-02-01"}}',
  },
  columns: { type: "array", items: TEXT, description: "of a series at most one" },
  from: { ...TEXT, description: "of a series: first day, YYYY-MM-DD" },
  to: { ...TEXT, description: "of a series: last day" },
  collapse: { enum: COLLAPSES },
  transform: { enum: TRANSFORMS },
  order: { enum: ORDERS },
};
const object = (properties: object, required: readonly string[]): object => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});

/** What an assistant can call; all of it reads alone. */
export const ASSISTANT_TOOLS: readonly AssistantTool[] = [
  {
    name: "find",
    description: "Lists tables and time series whose code, name or description has all terms of a text; all without.",
    inputSchema: object({ text: TEXT, max_bytes: MAX_BYTES }, []),
    run: async (source, { text, max_bytes }, signal) => listed(await source.find(text, signal), max_bytes),
  },
  {
    name: "describe",
    description: "Columns with their types, filters, key and refresh time of a table or time series.",
    inputSchema: object({ code: QUESTION.code, kind: QUESTION.kind }, ["code"]),
    run: async (source, question, signal) => JSON.stringify(await source.describe(question, signal)),
  },
  {
    name: "explain",
    description: "What a query would request, and rows and bytes where they can be estimated; reads no rows.",
    inputSchema: object(QUESTION, ["code"]),
    async run(source, question, signal) {
      checkQuestion(question);
      return JSON.stringify(await source.explain(question, signal));
    },
  },
  {
    name: "query",
    description:
      "Rows as CSV with every digit; an empty cell is null. The last line says whether rows are missing. For sums, means or rankings of many rows use sql.",
    inputSchema: object(
      { ...QUESTION, limit: { type: "integer", minimum: 1, maximum: MOST_ROWS }, max_bytes: MAX_BYTES },
      ["code"],
    ),
    async run(source, question, signal) {
      checkQuestion(question, ["limit", "max_bytes"]);
      const { limit = MOST_ROWS, max_bytes } = question;
      const frame = await source.rows(question, limit + 1, signal);
      return rowsText(frame, { limit, maxBytes: max_bytes });
    },
  },
  {
    name: "sql",
    description:
      'One SELECT of DuckDB over tables that queries name: {"statement": "select max(close) from p", "tables": {"p": {"code": "MARKET/PRICES", "where": {"ticker": "AAA"}}}}. Decimals stay exact.',
    inputSchema: object(
      {
        statement: TEXT,
        tables: { type: "object", additionalProperties: object(QUESTION, ["code"]) },
        max_bytes: MAX_BYTES,
      },
      ["statement", "tables"],
    ),
    run: runSql,
  },
];

/** The reply of a tool, or the error as text: no key is in either. */
export async function replyOf(
  tool: AssistantTool,
  source: AnswerSource,
  input: object,
  signal: AbortSignal,
): Promise<{ content: { type: "text"; text: string }[]; isError?: true }> {
  try {
    const text = await tool.run(source, input as Input, signal);
    return { content: [{ type: "text", text: scrub(text) }] };
  } catch (error) {
    const { code, message, hint } = isArrowbookError(error)
      ? error
      : { code: "Error", message: String(error), hint: "" };
    const text = `${code}: ${message}${hint === undefined || hint === "" ? "" : ` ${hint}`}`;
    return { content: [{ type: "text", text: scrub(text).slice(0, USUAL_BYTES) }], isError: true };
  }
}

async function runSql(
  source: AnswerSource,
  { statement = "", tables = {}, max_bytes }: Input,
  signal: AbortSignal,
): Promise<string> {
  const { duckdbEngine } = await import("../../engine/duckdb/duckdb.js");
  const { Frame: Frames } = await import("../../frame/frame.js");
  // An engine for this statement alone: nothing that it does stays.
  const engine = await duckdbEngine(undefined, { memoryLimit: "4GB" });
  try {
    for (const [name, question] of Object.entries(tables)) {
      checkQuestion(question);
      const frame = await source.rows(question, MOST_SQL_ROWS + 1, signal);
      if (frame.numRows > MOST_SQL_ROWS) throw tooManyRows(name);
      await engine.load(name, frame.table.batches, { schema: frame.table.schema, signal });
    }
    // From here on it can neither read nor write files, and its settings are fixed.
    await engine.query("SET enable_external_access = false");
    await engine.query("SET lock_configuration = true");
    const batches: RecordBatch[] = [];
    let rows = 0;
    for await (const batch of engine.batches(statement, [], { signal })) {
      batches.push(batch);
      rows += batch.numRows;
      if (rows > MOST_ROWS) break;
    }
    const result = batches.length === 0 ? await engine.query(statement, [], { signal }) : new Table(batches);
    return rowsText(Frames.from(result), { limit: MOST_ROWS, maxBytes: max_bytes });
  } finally {
    await engine.close();
  }
}

const tooManyRows = (name: string): DataError =>
  new DataError(`${name} has more than ${MOST_SQL_ROWS.toLocaleString("en-US")} rows.`, {
    code: "TooManyRows",
    hint: "Filter it with where, or select fewer rows.",
  });

/** A frame as CSV, as many rows as fit, and a last line that says what is shown. */
function rowsText(
  frame: Frame,
  { limit, maxBytes = USUAL_BYTES }: { readonly limit: number; readonly maxBytes?: number },
): string {
  const rows = Math.min(frame.numRows, limit);
  const size = (count: number): number => Buffer.byteLength(frame.head(count).toCSV());
  const room = maxBytes - NOTE_BYTES;
  let [fits, tooMany] = [0, Math.min(rows, room) + 1];
  while (tooMany - fits > 1) {
    const middle = (fits + tooMany) >> 1;
    if (size(middle) <= room) fits = middle;
    else tooMany = middle;
  }
  const { refreshed_at } = frame.source ?? {};
  const state = refreshed_at == null ? "" : `; refreshed ${refreshed_at}`;
  const all = frame.numRows > limit ? `more than ${limit}` : String(rows);
  const shown = fits === frame.numRows ? `all ${fits} rows` : `the first ${fits} of ${all} rows; ${MORE}`;
  return `${frame.head(fits).toCSV()}# ${shown}${state}`;
}

const NOTE_BYTES = 200;
const MORE = "filter, select columns, aggregate with sql, or raise max_bytes or limit";

function listed(items: readonly object[], maxBytes = USUAL_BYTES): string {
  const lines: string[] = [];
  let bytes = NOTE_BYTES;
  for (const item of items) {
    const line = JSON.stringify(item);
    bytes += Buffer.byteLength(line) + 1;
    if (bytes > maxBytes) break;
    lines.push(line);
  }
  const shown = lines.length === items.length ? `all ${items.length}` : `the first ${lines.length} of ${items.length}`;
  return [...lines, `# ${shown}${lines.length === items.length ? "" : "; use more terms"}`].join("\n");
}
