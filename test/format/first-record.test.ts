import { expect, it } from "vitest";
import { csvRecords, firstCells } from "../../src/format/csv-records.js";

/** The bytes in chunks that share one memory, as readers may do it. */
async function* chunksOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  const memory = new Uint8Array(size);
  for (let at = 0; at < bytes.length; at += size) {
    const chunk = bytes.subarray(at, at + size);
    memory.set(chunk);
    yield memory.subarray(0, chunk.length);
    memory.fill(0);
  }
}

it("the first line is found whatever the chunks", async () => {
  const text = '\ufeffa,"b ""c""\nd",\r\n1,2,3\r\n';
  const bytes = new TextEncoder().encode(text);
  for (let size = 1; size <= bytes.length; size++) {
    expect(await firstCells(chunksOf(bytes, size))).toEqual(["a", 'b "c"\nd', ""]);
  }
  expect(await firstCells(chunksOf(new TextEncoder().encode("a,b"), 1))).toEqual(["a", "b"]);
  expect(await firstCells(chunksOf(new Uint8Array(0), 1))).toEqual([]);
});

it.each(['\ufeff"a\nb",c', 'a"b,c', '"a""b",c"d"', '"","x\n"', '""', "a,,"])("the first line is %j", async (line) => {
  const found = await firstCells(chunksOf(new TextEncoder().encode(`${line}\n"1","2\n`), 100));
  expect(found).toEqual([...csvRecords(`${line}\n`)][0].map(({ text }) => text));
});

it("a quote that is never closed does not keep the whole input in memory", async () => {
  let given = 0;
  async function* endless(): AsyncGenerator<Uint8Array> {
    const chunk = new Uint8Array(4 << 20).fill(0x61);
    chunk[0] = 0x22;
    for (;;) {
      given++;
      yield chunk;
      chunk[0] = 0x61;
    }
  }
  await expect(firstCells(endless())).rejects.toMatchObject({ code: "RowTooLong" });
  expect(given).toBe(17);
});
