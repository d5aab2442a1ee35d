import { refuseUnknown } from "../../errors/options.js";
import { digestTypes, RowsDigest } from "./digest.js";
import type { Engine, Rows, Stoppable, Verification, VerifiedColumn } from "./engine.js";
import { openRows } from "./rows.js";

/** {@link Engine.verify} of an engine: its source and what it reads back are streamed, one after the other. */
export async function verifyRows(
  engine: Engine,
  name: string,
  source: Rows,
  options: Stoppable = {},
): Promise<Verification> {
  refuseUnknown(options, ["signal"], "verify()");
  const { schema, batches } = await openRows(`the source of ${JSON.stringify(name)}`, source, options);
  const types = digestTypes(schema);
  const expected = new RowsDigest(types);
  for await (const batch of batches) expected.add(batch);
  const found = new RowsDigest(types);
  const { quoteName } = engine.dialect;
  const list = schema.fields.map((field) => quoteName(field.name)).join(", ");
  for await (const batch of engine.batches(`SELECT ${list} FROM ${quoteName(name)}`, [], options)) found.add(batch);
  const columns = schema.fields.map((field, i): VerifiedColumn => {
    const [digest, expectedDigest] = [found.column(i), expected.column(i)];
    return { name: field.name, equal: digest === expectedDigest, digest, expectedDigest };
  });
  const [digest, expectedDigest] = [found.whole(), expected.whole()];
  const equal = found.rows === expected.rows && digest === expectedDigest && columns.every((column) => column.equal);
  return { equal, rows: found.rows, expectedRows: expected.rows, columns, digest, expectedDigest };
}
