import { type RecordBatch, type Schema, Table } from "../../columns/arrow/arrow.js";
import { chunkReader } from "../../columns/arrow/cell-reader.js";
import { takeRows } from "../../columns/table/take.js";

/**
 * The rows of a copy with changed ones in their place: rows whose key is among the changed ones are left out, then come
 * the changed ones, of each key the last.
 */
export async function* upserted(
  copy: AsyncIterable<RecordBatch>,
  changed: Table,
  key: readonly string[],
): AsyncGenerator<RecordBatch> {
  const last = new Map<string, number>();
  let row = 0;
  for (const batch of changed.batches) {
    for (const text of keys(batch, key)) last.set(text, row++);
  }
  for await (const batch of copy) {
    const kept: number[] = [];
    let i = 0;
    for (const text of keys(batch, key)) {
      if (!last.has(text)) kept.push(i);
      i++;
    }
    if (kept.length === batch.numRows) yield batch;
    else if (kept.length > 0) yield* takeRows(new Table([batch]), Uint32Array.from(kept)).batches;
  }
  const places = Uint32Array.from([...last.values()].sort((a, b) => a - b));
  if (places.length > 0) yield* takeRows(changed, places).batches;
}

/** The largest text of a column whose values are ordered as their texts are, such as dates; null without any value. */
export async function largest(batches: AsyncIterable<RecordBatch> | Iterable<RecordBatch>): Promise<string | null> {
  let most: string | null = null;
  for await (const batch of batches) {
    const reader = chunkReader(batch.data.children[0]);
    for (let i = 0; i < batch.numRows; i++) {
      if (!reader.valid(i)) continue;
      const text = reader.text(i);
      if (most === null || text > most) most = text;
    }
  }
  return most;
}

function* keys(batch: RecordBatch, key: readonly string[]): Generator<string> {
  const readers = key.map((name) => chunkReader(batch.data.children[placeOf(batch.schema, name)]));
  const cells: (string | null)[] = [];
  for (let i = 0; i < batch.numRows; i++) {
    for (const [k, reader] of readers.entries()) cells[k] = reader.valid(i) ? reader.text(i) : null;
    yield JSON.stringify(cells);
  }
}

function placeOf(schema: Schema, name: string): number {
  return schema.fields.findIndex((field) => field.name === name);
}
