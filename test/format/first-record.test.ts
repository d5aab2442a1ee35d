import { expect, it } from "vitest";
import { csvRecords } from "../../src/format/csv-records.js";
import { FirstRecord } from "../../src/format/first-record.js";

it("the first line is found whatever the chunks", () => {
  const text = '\ufeffa,"b ""c""\nd",\r\n1,2,3\r\n';
  const bytes = new TextEncoder().encode(text);
  for (let size = 1; size <= bytes.length; size++) {
    const first = new FirstRecord();
    let cells: readonly string[] | undefined;
    for (let at = 0; at < bytes.length && cells === undefined; at += size) {
      cells = first.push(bytes.subarray(at, at + size));
    }
    expect(cells).toEqual(["a", 'b "c"\nd', ""]);
  }
});

it.each(['\ufeff"a\nb",c', 'a"b,c', '"a""b",c"d"', '"","x\n"', '""', "a,,"])("the first line is %j", (line) => {
  const found = new FirstRecord().push(new TextEncoder().encode(`${line}\n"1","2\n`));
  expect(found).toEqual([...csvRecords(`${line}\n`)][0].map(({ text }) => text));
});

it("a quote that is never closed does not keep the whole input in memory", () => {
  const first = new FirstRecord();
  const chunk = new Uint8Array(4 << 20).fill(0x61);
  chunk[0] = 0x22;
  expect(first.push(chunk)).toBeUndefined();
  chunk[0] = 0x61;
  const feed = (): void => {
    for (let i = 0; i < 16; i++) first.push(chunk);
  };
  expect(feed).toThrow(expect.objectContaining({ code: "RowTooLong" }));
  expect(first.chunks).toHaveLength(16);
});
