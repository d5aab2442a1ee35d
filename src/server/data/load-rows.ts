import { Field, Int64, makeData, type RecordBatch, Schema } from "../../columns/arrow/arrow.js";
import { recordBatch } from "../../columns/arrow/record-batch.js";
import type { Engine } from "../../engine/contract/engine.js";
import { engineColumn } from "./filter-sql.js";

/**
 * Loads rows as a table whose columns are numbered: engines may ignore case and have reserved names. The rows are
 * numbered too where the engine does not do that itself.
 */
export async function loadRows(
  engine: Engine,
  name: string,
  batches: AsyncIterable<RecordBatch> | Iterable<RecordBatch>,
  columns: Schema,
): Promise<void> {
  const { rowNumber, sortedBy } = engine.dialect;
  const fields = columns.fields.map((field, i) => new Field(engineColumn(i), field.type, true, field.metadata));
  if (!rowNumber.isLoaded) {
    const schema = new Schema(fields);
    await engine.load(name, withSchema(batches, schema), { schema });
    return;
  }
  const schema = new Schema([...fields, new Field(rowNumber.column, new Int64(), false)]);
  await engine.load(name, withSchema(batches, schema, numbered()), { schema, ...sortedBy([rowNumber.column]) });
}

/** Numbers for batches of these lengths, one after the other. */
function numbered(): (rows: number) => BigInt64Array {
  let next = 0;
  return (rows) => {
    const numbers = new BigInt64Array(rows);
    for (let i = 0; i < rows; i++) numbers[i] = BigInt(next + i);
    next += rows;
    return numbers;
  };
}

async function* withSchema(
  batches: AsyncIterable<RecordBatch> | Iterable<RecordBatch>,
  schema: Schema,
  numbers?: (rows: number) => BigInt64Array,
): AsyncGenerator<RecordBatch> {
  for await (const { data, numRows } of batches) {
    const children = [...data.children];
    if (numbers !== undefined) {
      children.push(makeData({ type: new Int64(), length: numRows, nullCount: 0, data: numbers(numRows) }));
    }
    yield recordBatch(schema, children, numRows);
  }
}
