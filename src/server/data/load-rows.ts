import { Field, Int64, makeData, makeVector, type RecordBatch, Schema } from "../../columns/arrow/arrow.js";
import { recordBatch } from "../../columns/arrow/record-batch.js";
import { schemaOf } from "../../columns/arrow/schema.js";
import { cast } from "../../columns/compute/cast.js";
import { parquetFileBatches } from "../../columns/parquet/read/read.js";
import type { Engine } from "../../engine/contract/engine.js";
import type { ColumnSpec } from "../../spec/columns.js";
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
  const numbers = rowNumber.isLoaded ? [new Field(rowNumber.column, new Int64(), false)] : [];
  const schema = new Schema([...fields, ...numbers]);
  const order = rowNumber.isLoaded ? sortedBy([rowNumber.column]) : {};
  await engine.load(name, withSchema(batches, schema, rowNumber.isLoaded), { schema, ...order });
}

async function* withSchema(
  batches: AsyncIterable<RecordBatch> | Iterable<RecordBatch>,
  schema: Schema,
  isNumbered: boolean,
): AsyncGenerator<RecordBatch> {
  let before = 0;
  for await (const { data, numRows } of batches) {
    const children = [...data.children];
    if (isNumbered) {
      const numbers = new BigInt64Array(numRows);
      for (let i = 0; i < numRows; i++) numbers[i] = BigInt(before + i);
      children.push(makeData({ type: new Int64(), length: numRows, nullCount: 0, data: numbers }));
    }
    before += numRows;
    yield recordBatch(schema, children, numRows);
  }
}

/**
 * Loads a Parquet file as the engine's table `name`: by the engine itself if it can, otherwise through this process.
 *
 * @throws {DataError} if the file lacks a column, or has values that the declared type cannot represent exactly
 */
export async function loadParquet(
  engine: Engine,
  name: string,
  path: string,
  columns: readonly ColumnSpec[],
): Promise<void> {
  const { loadParquet: ownLoad } = engine.dialect;
  if (ownLoad !== undefined) return ownLoad(engine, name, path, columns);
  const schema = schemaOf(columns, { text: "utf8" });
  return loadRows(engine, name, declared(path, columns, schema), schema);
}

async function* declared(path: string, columns: readonly ColumnSpec[], schema: Schema): AsyncGenerator<RecordBatch> {
  const names = columns.map((column) => column.name);
  for await (const { data, numRows } of parquetFileBatches(path, { columns: names, text: "utf8" })) {
    const children = data.children.map((each, i) => {
      const place = { column: names[i], method: path };
      return cast(makeVector(each), schema.fields[i].type, {}, place).data[0];
    });
    yield recordBatch(schema, children, numRows);
  }
}
