import type { RecordBatch, Schema } from "../../columns/arrow/arrow.js";
import { makeVector } from "../../columns/arrow/arrow.js";
import { recordBatch } from "../../columns/arrow/record-batch.js";
import { schemaOf } from "../../columns/arrow/schema.js";
import { cast } from "../../columns/compute/cast.js";
import { parquetFileBatches } from "../../columns/parquet/read/read.js";
import type { Engine } from "../../engine/contract/engine.js";
import type { ColumnSpec } from "../../spec/columns.js";
import { loadRows } from "./load-rows.js";

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
