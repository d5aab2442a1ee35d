import type { RecordBatch, Schema } from "../../columns/arrow/arrow.js";
import { digestTypes, RowsDigest } from "./digest.js";
import type { Rows, Stoppable, Verification, VerifiedColumn } from "./engine.js";
import { openRows } from "./rows.js";

/**
 * Compares what an engine reads back with its source. Both are streamed, one after the other.
 *
 * @param read the columns of a table of the engine, in the order of the schema
 */
export async function verifyRows(
  name: string,
  source: Rows,
  read: (schema: Schema) => AsyncIterable<RecordBatch>,
  { signal }: Stoppable,
): Promise<Verification> {
  const { schema, batches } = await openRows(`the source of ${JSON.stringify(name)}`, source, { signal });
  const types = digestTypes(schema);
  const expected = new RowsDigest(types);
  for await (const batch of batches) expected.add(batch);
  const found = new RowsDigest(types);
  for await (const batch of read(schema)) found.add(batch);
  const columns = schema.fields.map((field, i): VerifiedColumn => {
    const [digest, expectedDigest] = [found.column(i), expected.column(i)];
    return { name: field.name, equal: digest === expectedDigest, digest, expectedDigest };
  });
  const [digest, expectedDigest] = [found.whole(), expected.whole()];
  const equal = found.rows === expected.rows && digest === expectedDigest && columns.every((column) => column.equal);
  return { equal, rows: found.rows, expectedRows: expected.rows, columns, digest, expectedDigest };
}
