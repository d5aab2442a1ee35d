import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import * as fc from "fast-check";
import Papa from "papaparse";
import { describe, expect, it, onTestFinished } from "vitest";
import { Frame } from "../../src/index.js";
import { forAllAsync } from "../support/for-all.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { runs } from "../support/whole.js";
import { textsOf, utf8 } from "./rows.js";

/** The type of a column of these cells. */
const typeOf = async (cells: readonly string[], options: object = {}): Promise<string> => {
  const text = `a,b\n${cells.map((cell) => `${cell},x\n`).join("")}`;
  return (await Frame.fromCSV(utf8(text), { columns: "infer", ...options })).columns[0].type;
};

describe("a column has the type that all its cells have", () => {
  it.each<[string, string[]]>([
    ["Integer", ["0", "-5", "42"]],
    ["Integer", ["9223372036854775807", "-9223372036854775808"]],
    ["BigDecimal(19,0)", ["9223372036854775808"]],
    ["BigDecimal(20,0)", ["1", "-18446744073709551616"]],
    ["String", ["9".repeat(77)]],
    ["BigDecimal(76,0)", ["9".repeat(76)]],
    ["BigDecimal(4,2)", ["1.5", "", "50.25", "3"]],
    ["BigDecimal(7,2)", ["1.50", "12345"]],
    ["BigDecimal(1,1)", ["0.5"]],
    ["BigDecimal(3,3)", ["0.005", "0.000"]],
    ["BigDecimal(25,20)", ["12345.12345678901234567890"]],
    ["Date", ["2024-02-29", "", "1999-12-31"]],
    ["DateTime", ["2024-02-29T12:00:00Z", "2024-02-29T12:00:00.123Z"]],
    ["Boolean", ["true", "false", ""]],
    ["Integer", ['"1"', "2"]],
    ["String", ["", ""]],
  ])("%s: %j", async (type, cells) => expect(await typeOf(cells)).toBe(type));

  it.each([
    ["007"],
    ["1e5"],
    ["+1"],
    [".5"],
    ["5."],
    ["-0"],
    ["-0.00"],
    [" 1"],
    ["1 "],
    ["1_000"],
    ['"1,000"'],
    ["0x10"],
    ["NaN"],
    ["-"],
    ["True"],
    ["1", "true"],
    ["2023-02-29"],
    ["2024-2-9"],
    ["2024-02-29", "1"],
    ["2024-02-29T25:00:00Z"],
    ["1", '""'],
  ])("String: %j", async (...cells) => expect(await typeOf(cells)).toBe("String"));

  it("a type is declared for single columns, and an unknown one refused", async () => {
    expect(await typeOf(["1"], { types: { a: "double" } })).toBe("double");
    await expect(typeOf(["1"], { types: { c: "double" } })).rejects.toMatchObject({ code: "UnknownColumn" });
    await expect(typeOf(["1"], { types: { a: "doubl" } })).rejects.toMatchObject({ code: "UnknownType" });
    await expect(typeOf(["1"], { types: ["double"] })).rejects.toMatchObject({ code: "BadArgument" });
    await expect(typeOf(["1"], { columns: "guess" })).rejects.toMatchObject({ code: "UnknownValue" });
    await expect(typeOf(["1"], { key: ["c"] })).rejects.toMatchObject({ code: "UnknownColumn" });
  });

  it("quoted empty text is text, unless it is null", async () => {
    expect(await typeOf(["1", '""'], { emptyText: "null" })).toBe("Integer");
  });

  it("a cell after the rows of many batches decides as well", async () => {
    const cells = Array.from({ length: 70_000 }, (_, i) => String(i));
    expect(await typeOf(cells)).toBe("Integer");
    expect(await typeOf([...cells, "0.125"])).toBe("BigDecimal(8,3)");
    expect(await typeOf([...cells, "x"])).toBe("String");
  });
});

it("says what it chose in the columns and under the table", async () => {
  const frame = await Frame.fromCSV(utf8("day,close\n2024-02-29,50.25\n"), { columns: "infer" });
  expect(String(frame)).toContain("inferred types: day Date, close BigDecimal(4,2)");
  expect(frame.toHTML()).toContain("inferred types: day Date, close BigDecimal(4,2)");
  expect(String(await Frame.fromCSV(utf8("day\n2024-02-29\n"), { columns: "header" }))).not.toContain("inferred");
});

const digits = fc
  .integer({ min: 0, max: 40 })
  .chain((n) => fc.bigInt({ min: -(10n ** BigInt(n)), max: 10n ** BigInt(n) }));
const written = fc.tuple(digits, fc.integer({ min: 0, max: 30 })).map(([units, scale]) => {
  const text = String(units < 0n ? -units : units).padStart(scale + 1, "0");
  const number = scale === 0 ? text : `${text.slice(0, -scale)}.${text.slice(-scale)}`;
  return units < 0n ? `-${number}` : number;
});
const someText = fc.oneof(
  written,
  fc.constantFrom(
    "007",
    "1e5",
    "true",
    "false",
    "True",
    "2024-02-29",
    "2023-02-29",
    "2024-02-29T00:00:00.5Z",
    "NA",
    "x",
    "",
  ),
  fc.string({ maxLength: 6 }),
);

it("no inferred type loses anything: every cell reads back as it was", async () => {
  await forAllAsync(
    runs(300),
    fc.oneof(fc.array(written, { minLength: 1 }), fc.array(someText, { minLength: 1, maxLength: 4 })),
    async (cells) => {
      const text = Papa.unparse([["a", "b"], ...cells.map((cell) => [cell, "x"])], { newline: "\n" });
      const frame = await Frame.fromCSV(utf8(text), { columns: "infer" });
      const { type } = frame.columns[0];
      const back = frame.column(0).toStrings();
      cells.forEach((cell, i) => {
        const exact = back[i] ?? "";
        if (/Decimal|DateTime/.test(type)) expect(padded(cell, exact)).toBe(exact);
        else expect(exact).toBe(cell);
      });
    },
  );
});

/** A decimal, or a timestamp, with zeros up to the length of another one. */
function padded(cell: string, like: string): string {
  if (cell === "") return "";
  const zone = cell.endsWith("Z") ? "Z" : "";
  const bare = zone === "" ? cell : cell.slice(0, -1);
  const point = bare.includes(".") || !like.includes(".") ? bare : `${bare}.`;
  return point.padEnd(like.length - zone.length, "0") + zone;
}

/** What the command zstd makes of the text below, from a pipe: without a size, with a checksum. */
const ZSTD = "KLUv/QRYfQEAVAJkYXksY2xvc2UKMjAyNC0wMi0yOSw1MC4yNTMtMDEsNCw3LjUKAgAvW0vZHAMQ7CGS";

describe("compressed files", () => {
  const text = "day,close\n2024-02-29,50.25\n2024-03-01,\n2024-03-04,7.5\n";
  const expected = [
    ["2024-02-29", "50.25"],
    ["2024-03-01", null],
    ["2024-03-04", "7.50"],
  ];

  it("gzip and zstd are detected by the first bytes, in memory and on disk", async () => {
    const folder = temporaryFolder("infer");
    onTestFinished(() => rmSync(folder, { recursive: true }));
    for (const bytes of [gzipSync(text), Buffer.from(ZSTD, "base64"), utf8(text)]) {
      const path = join(folder, "prices.csv");
      writeFileSync(path, bytes);
      for (const source of [bytes, path]) {
        const frame = await Frame.fromCSV(source, { columns: "infer" });
        expect(frame.columns.map(({ type }) => type)).toEqual(["Date", "BigDecimal(4,2)"]);
        expect(textsOf(frame.table)).toEqual(expected);
      }
    }
  });

  it("a damaged or truncated zstd file is an error, wherever it is damaged", async () => {
    const bytes = Buffer.from(ZSTD, "base64");
    for (let end = 4; end < bytes.length; end++) {
      await expect(Frame.fromCSV(bytes.subarray(0, end), { columns: "infer" })).rejects.toMatchObject({
        code: "BadZstd",
      });
    }
    for (let at = 4; at < bytes.length; at++) {
      const wrong = new Uint8Array(bytes);
      wrong[at] ^= 1;
      // A wrong window size changes no byte of so short a text.
      const read = Frame.fromCSV(wrong, { columns: "infer" }).then((frame) => textsOf(frame.table));
      const outcome = await read.catch((error: { code: string }) => error.code);
      if (typeof outcome === "string") expect(["BadZstd", "ZstdBomb"]).toContain(outcome);
      else expect(outcome).toEqual(expected);
    }
  });

  it("limits apply to zstd", async () => {
    const bytes = Buffer.from(ZSTD, "base64");
    await expect(Frame.fromCSV(bytes, { columns: "infer", maxSize: 10 })).rejects.toMatchObject({ code: "ZstdBomb" });
  });
});
