import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import Papa from "papaparse";
import { expect, it } from "vitest";
import { csvTable } from "../../src/columns/csv/reader.js";
import { jsonRows } from "../../src/columns/json/reader.js";
import { Frame } from "../../src/frame/frame.js";
import { columnSpecs } from "../support/column-specs.js";
import { forAll } from "../support/for-all.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { runs } from "../support/whole.js";
import { csvText } from "./csv-text.js";
import { textsOf, utf8 } from "./rows.js";

const folder = temporaryFolder();

const piece = fc.constantFrom("a", "b", '"', '""', ",", "\n", "\r\n", " ", "é", "x,y", '"q"', "");

it("papaparse reads the same cells out of any text that is not malformed", () => {
  const columns = ["p", "q", "r"].map((name) => ({ name, type: "String" }));
  let accepted = 0;
  const judge = (text: string): void => {
    let ours: (string | null)[][];
    try {
      ours = textsOf(csvTable(utf8(text), { columns, header: false }));
    } catch {
      return;
    }
    accepted++;
    const { data, errors } = Papa.parse<string[]>(text, { delimiter: ",", newline: "\n", skipEmptyLines: false });
    expect(errors.filter((error) => error.type === "Quotes")).toEqual([]);
    if (/\n$/.test(text) && data.at(-1)?.length === 1) data.pop();
    const theirs = data.map((cells) => cells.map((cell, i) => (i === 2 ? cell.replace(/\r$/, "") : cell)));
    expect([text, ours.map((cells) => cells.map((cell) => cell ?? ""))]).toEqual([text, text === "" ? [] : theirs]);
  };
  const cell = fc.array(piece, { maxLength: 4 }).map((parts) => parts.join(""));
  const random = fc
    .array(
      fc.tuple(cell, cell, cell).map((cells) => cells.join(",")),
      { maxLength: 4 },
    )
    .map((lines) => lines.join("\n"));
  forAll({ seed: 31, numRuns: runs(1500) }, random, judge);
  const written = fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 5 });
  forAll({ seed: 32, numRuns: runs(500) }, written, fc.boolean(), (rows, quotes) =>
    judge(Papa.unparse(rows, { newline: "\n", quotes })),
  );
  expect(accepted).toBeGreaterThan(runs(600));
});

it("papaparse reads what we write", () => {
  const cell = fc.array(piece, { maxLength: 4 }).map((parts) => parts.join(""));
  forAll({ seed: 33, numRuns: runs(500) }, fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 5 }), (rows) => {
    const text = Frame.fromRows(rows.map(([p, q]) => ({ p, q }))).toCSV();
    const { data, errors } = Papa.parse<string[]>(text.slice(0, -1), { delimiter: ",", newline: "\n" });
    expect(errors).toEqual([]);
    expect(data).toEqual([["p", "q"], ...rows]);
  });
});

/** A number below `bound`, the same for the same seed. */
const generator = (seed: number): ((bound: number) => number) => {
  let x = seed;
  return (bound) => {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    return (x >>> 0) % bound;
  };
};

it("DuckDB reads the same values", async () => {
  const next = generator(99);
  const digits = (n: number): string => Array.from({ length: n }, () => next(10)).join("");
  const rows = Array.from({ length: 3_000 }, (_, i) => [
    i % 11 === 0 ? null : `t${next(50)}"${next(3) === 0 ? ",\n" : ""}`,
    i % 13 === 0
      ? null
      : `${String(1 + next(9999)).padStart(4, "0")}-${String(1 + next(12)).padStart(2, "0")}-${String(1 + next(28)).padStart(2, "0")}`,
    i % 17 === 0 ? null : `${next(2) ? "-" : ""}${digits(1 + next(11))}.${digits(1 + next(4))}`,
    i % 19 === 0 ? null : `${next(2) ? "-" : ""}${digits(1 + next(20))}.${digits(1 + next(18))}`,
    i % 23 === 0
      ? null
      : `${next(2) ? "-" : ""}${digits(1 + next(20))}.${digits(1 + next(18))}e${next(2) ? "-" : ""}${next(40)}`,
    i % 29 === 0 ? null : `${next(2) ? "-" : ""}${1 + next(9)}${digits(next(18))}`,
  ]);
  const columns = columnSpecs({
    t: "String",
    d: "Date",
    m: "BigDecimal(15,4)",
    w: "BigDecimal(38,18)",
    x: "double",
    n: "BigInt",
  });
  const path = join(folder, "rows.csv");
  const text = csvText([columns.map((column) => column.name)]) + csvText(rows);
  writeFileSync(path, text);
  const connection = await (await DuckDBInstance.create()).connect();
  const answer = await connection.runAndReadAll(
    `select t, d::VARCHAR, m::VARCHAR, w::VARCHAR, x, n::VARCHAR from read_csv('${path}', header = true, auto_detect = false, quote = '"', escape = '"',
     columns = {t: 'VARCHAR', d: 'DATE', m: 'DECIMAL(15,4)', w: 'DECIMAL(38,18)', x: 'DOUBLE', n: 'BIGINT'})`,
  );
  const theirs = answer
    .getRows()
    .map((row) => row.map((cell) => (typeof cell === "number" ? cell : cell === null ? null : String(cell))));
  const ours = textsOf(csvTable(utf8(text), { columns })).map((row) =>
    row.map((cell, i) => (i === 4 && cell !== null ? Number(cell) : cell)),
  );
  expect(ours).toEqual(theirs);
  connection.closeSync();
});

it.each([
  [15, 3],
  [34, 12],
  [38, 18],
  [50, 28],
  [76, 38],
])("random decimals of (%i,%i) go from text to Arrow to text", (precision, scale) => {
  const next = generator(precision * 100 + scale);
  const texts = Array.from({ length: 5_000 }, () => {
    const length = 1 + next(precision);
    const all = Array.from({ length }, () => next(10))
      .join("")
      .padStart(scale + 1, "0");
    const plain = `${all.slice(0, -scale).replace(/^0+(?=\d)/, "")}.${all.slice(-scale)}`;
    return next(2) === 1 && /[1-9]/.test(plain) ? `-${plain}` : plain;
  });
  const columns = [{ name: "x", type: `BigDecimal(${precision},${scale})` }];
  expect(textsOf(csvTable(utf8(`x\n${texts.join("\n")}\n`), { columns })).flat()).toEqual(texts);
  const json = utf8(`[${texts.map((text) => `[${text}]`).join(",")}]`);
  expect(textsOf(jsonRows({ bytes: json, start: 0, end: json.length }, columns).table()).flat()).toEqual(texts);
});

it("the shortest text of every double round-trips bit for bit", () => {
  const view = new DataView(new ArrayBuffer(8));
  const next = generator(5);
  const doubles = Array.from({ length: 20_000 }, () => {
    view.setUint32(0, next(2 ** 32));
    view.setUint32(4, next(2 ** 32));
    return view.getFloat64(0);
  }).filter(Number.isFinite);
  const near = Array.from({ length: 20_000 }, () => (next(2) ? 1 : -1) * (next(2 ** 32) / 10 ** next(12)));
  const texts = [...doubles, ...near].map(String);
  const table = csvTable(utf8(`x\n${texts.join("\n")}\n`), { columns: [{ name: "x", type: "double" }] });
  const values = table.batches.flatMap((batch) => Array.from(batch.data.children[0].values as Float64Array));
  expect(values.every((value, i) => Object.is(value, Number(texts[i])))).toBe(true);
});
