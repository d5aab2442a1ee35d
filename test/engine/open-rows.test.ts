import { expect, it } from "vitest";
import { openRows } from "../../src/engine/contract/rows.js";
import { Frame } from "../../src/frame/frame.js";

/** Batches from a source that says whether it is open. */
function source() {
  let isOpen = false;
  const batches = async function* () {
    isOpen = true;
    try {
      for (let i = 0; i < 3; i++) yield* Frame.fromRows([{ i }]).table.batches;
    } finally {
      isOpen = false;
    }
  };
  return { batches: batches(), isOpen: () => isOpen };
}

it.each([1, 2, 3, 4])("closes its source where the reader ends at batch %i", async (last) => {
  for (const signal of [undefined, new AbortController().signal]) {
    const { batches, isOpen } = source();
    const rows = await openRows("the table", batches, { signal });
    let seen = 0;
    for await (const _ of rows.batches) if (++seen === last) break;
    expect(seen).toBe(Math.min(last, 3));
    await expect.poll(isOpen).toBe(false);
  }
});

it("closes its source where the first batch has other columns than the schema", async () => {
  const { batches, isOpen } = source();
  const { schema } = Frame.fromRows([{ other: "x" }]).table;
  const rows = await openRows("the table", batches, { schema });
  await expect(rows.batches[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: "SchemaMismatch" });
  expect(isOpen()).toBe(false);
});
