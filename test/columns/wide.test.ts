import { expect, it } from "vitest";
import { csvTable } from "../../src/columns/csv/reader.js";
import { jsonRows } from "../../src/columns/json/reader.js";
import { chunked, streamed, textsOf, utf8 } from "./rows.js";

it.each([48, 49, 96, 201])("a table of %i columns is read in groups", async (width) => {
  const types = ["BigDecimal(15,4)", "String", "Date", "double", "Integer", "Boolean"];
  const columns = Array.from({ length: width }, (_, i) => ({ name: `c${i}`, type: types[i % types.length] }));
  const rows = Array.from({ length: 40 }, (_, r) =>
    columns.map(({ type }, i) => {
      if ((r * 7 + i) % 11 === 0) return null;
      return {
        BigDecimal: `${r}.${String(i).padStart(4, "0")}`,
        String: `"t${i},${r % 3}"`,
        Date: `2024-02-${10 + (r % 19)}`,
        double: `${r}.5`,
        Integer: String(i - r),
        Boolean: String(i % 2 === 0),
      }[type.split("(")[0]] as string;
    }),
  );
  const plain = rows.map((row) => row.map((cell) => cell?.replaceAll('"', "") ?? null));
  const csv = utf8(
    `${columns.map((c) => c.name).join(",")}\n${rows.map((row) => row.map((cell) => cell ?? "").join(",")).join("\r\n")}\n`,
  );
  expect(textsOf(csvTable(csv, { columns }))).toEqual(plain);
  expect(await streamed(chunked(csv, 777), { columns, batchRows: 7 })).toEqual(plain);
  const literal = (cell: string | null, i: number): string =>
    cell === null ? "null" : i % 6 === 2 ? `"${cell}"` : cell;
  for (const comma of [",", " , ", "\n,"]) {
    const json = utf8(`[${rows.map((row) => `[${row.map(literal).join(comma)}]`).join(comma)}]`);
    expect(textsOf(jsonRows({ bytes: json, start: 0, end: json.length }, columns, { batchRows: 9 }).table())).toEqual(
      plain,
    );
  }
  const short = csv.slice(0, csv.lastIndexOf(44));
  expect(() => csvTable(short, { columns })).toThrow(`Row 39 has ${width - 1} of ${width} cells`);
});
