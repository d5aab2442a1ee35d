import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { localTables } from "../../src/cli/input/local-tables.js";
import { checkOutput, writeFrame } from "../../src/cli/output/output.js";
import { Frame } from "../../src/index.js";
import { columnSpecs } from "../support/column-specs.js";
import { forAllAsync } from "../support/for-all.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { runs } from "../support/whole.js";

const folder = temporaryFolder("output");

const columns = columnSpecs({
  ticker: "String",
  date: "Date",
  close: "BigDecimal(15,4)",
  volume: "Integer",
  ratio: "double",
  updated: "DateTime",
});

const day = fc
  .date({ min: new Date("1800-01-01"), max: new Date("2200-01-01"), noInvalidDate: true })
  .map((date) => date.toISOString());
const nullable = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null, freq: 4 });
const row = fc.record({
  ticker: nullable(fc.string({ unit: "grapheme", maxLength: 12 })),
  date: nullable(day.map((text) => text.slice(0, 10))),
  close: nullable(fc.integer({ min: -9e9, max: 9e9 }).map((units) => (units / 10_000).toFixed(4))),
  volume: nullable(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
  ratio: nullable(fc.double({ noNaN: true, noDefaultInfinity: true })),
  updated: nullable(day),
});

const texts = (frame: Frame) => columns.map(({ name }) => frame.column(name).toStrings());

/** A column's values as numbers where it is of doubles, otherwise as exact texts; a zero without its sign. */
function values(frame: Frame, name: string): unknown[] {
  const all = [...frame.column(name).toStrings()];
  if (name === "ratio") return all.map((text) => (text === null ? null : Number(text) + 0));
  return name === "updated" ? all.map((text) => (text === null ? null : Date.parse(text))) : all;
}

/** How each ending is read back. */
const READ: Readonly<Record<string, (path: string) => Promise<Frame>>> = {
  ".parquet": (path) => Frame.fromParquet(path),
  ".arrow": (path) => Frame.fromArrow(path),
  ".arrows": (path) => Frame.fromArrow(path),
  ".csv": (path) => Frame.fromCSV(path, { columns }),
  ".csv.gz": (path) => Frame.fromCSV(path, { columns }),
  ".jsonl": (path) => Frame.fromJSONLines(path, { columns }),
  ".jsonl.gz": (path) => Frame.fromJSONLines(path, { columns }),
};

describe("a frame is read back from a file as it was written", () => {
  it.each(Object.entries(READ))("%s", async (ending, read) => {
    const path = join(folder, `rows${ending}`);
    await forAllAsync(runs(40), fc.array(row, { minLength: 1, maxLength: 30 }), async (rows) => {
      const frame = Frame.fromRows(rows, columns);
      await writeFrame(frame, path, { quiet: true });
      expect(texts(await read(path))).toEqual(texts(frame));
    });
    expect([...readFileSync(path).subarray(0, 2)].join() === "31,139").toBe(ending.endsWith(".gz"));
  });

  it(".json, without its types, has the same values for arrowbook sql", async () => {
    const path = join(folder, "exact.json");
    await forAllAsync(runs(100), fc.array(row, { minLength: 1, maxLength: 30 }), async (rows) => {
      const frame = Frame.fromRows(rows, columns);
      await writeFrame(frame, path, { quiet: true });
      const [table] = localTables([path]);
      const back = await table.read({});
      expect(back.columns.map(({ name }) => name)).toEqual(columns.map(({ name }) => name));
      for (const [at, { name }] of columns.entries()) {
        expect(values(back, name)).toEqual(values(frame, name));
        const { type } = back.columns[at];
        const isEmpty = rows.every((each) => each[name as keyof typeof each] === null);
        if (!isEmpty && name === "volume") expect(type).toBe("Integer");
        if (!isEmpty && name === "close") expect(type).toMatch(/^(BigDecimal\(\d+,4\))$/);
      }
    });
  });

  it("integers and decimals of .json and of --json have all their digits", async () => {
    const path = join(folder, "digits.json");
    const rows = [
      { volume: 9007199254740993n, close: "12345678901.2340" },
      { volume: 1n, close: null },
    ];
    const frame = Frame.fromRows(rows, [columns[3], columns[2]]);
    await writeFrame(frame, path, { quiet: true });
    const text = '[{"volume":9007199254740993,"close":12345678901.2340},{"volume":1,"close":null}]\n';
    expect(readFileSync(path, "utf8")).toBe(text);
    const [table] = localTables([path]);
    expect((await table.read({})).toCSV()).toBe(frame.toCSV());
    const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
    await writeFrame(frame, undefined, { json: true });
    expect(write.mock.calls.map(([part]) => part).join("")).toBe(text);
    write.mockRestore();
  });

  it(".json holds the rows of toJSON()", async () => {
    const path = join(folder, "rows.json");
    const frame = Frame.fromRows([
      { a: 1, b: "2024-02-29" },
      { a: null, b: null },
    ]);
    await writeFrame(frame, path, { quiet: true });
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual(JSON.parse(JSON.stringify(frame.toJSON())));
  });

  it("a compressed file of many blocks", async () => {
    const rows = Array.from({ length: 200_000 }, (_, i) => ({ id: i, text: `row ${i}` }));
    const frame = Frame.fromRows(rows);
    for (const ending of ["csv", "jsonl"]) {
      const path = join(folder, `many.${ending}`);
      for (const name of [path, `${path}.gz`]) await writeFrame(frame, name, { quiet: true });
      expect(gunzipSync(readFileSync(`${path}.gz`)).equals(readFileSync(path))).toBe(true);
    }
  });
});

it.each([...Object.keys(READ), ".json"])("a %s file that cannot be completed leaves no file", async (ending) => {
  const place = temporaryFolder("broken");
  // A folder of the final name: the last step, the renaming, fails.
  mkdirSync(join(place, `rows${ending}`));
  writeFileSync(join(place, `rows${ending}`, "kept"), "");
  const frame = Frame.fromRows([{ a: 1 }]);
  await expect(writeFrame(frame, join(place, `rows${ending}`), { quiet: true })).rejects.toThrow(/Cannot write/);
  expect(readdirSync(place)).toEqual([`rows${ending}`]);
  expect(readdirSync(join(place, `rows${ending}`))).toEqual(["kept"]);
});

it.each([
  [
    "rows.xls",
    "frame",
    "Pass a path that ends in .parquet, .arrow, .arrows, .csv, .csv.gz, .jsonl, .jsonl.gz, .xlsx or .json.",
  ],
  ["rows", "frame", "Pass a path that ends in"],
  ["rows.parqet", "frame", 'Did you mean ".parquet"?'],
  ["folder.csv/rows", "frame", "Pass a path that ends in"],
  ["rows.csv.zst", "frame", "Pass a path that ends in"],
  ["rows.json", "bulk", "Pass a path that ends in .parquet, .arrow, .arrows, .csv, .csv.gz or .zip."],
] as const)("%s of a %s is refused with the endings that can be written", (path, kind, hint) => {
  expect(() => checkOutput(path, kind)).toThrow(
    expect.objectContaining({ code: "UnknownFileType", hint: expect.stringContaining(hint) }),
  );
});

it("--quiet leaves out the note on what was written", async () => {
  const written = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  const frame = Frame.fromRows([{ a: 1 }]);
  await writeFrame(frame, join(folder, "note.csv"), {});
  expect(written.mock.calls.join()).toContain("note.csv: 1 rows");
  written.mockClear();
  await writeFrame(frame, join(folder, "note.csv"), { quiet: true });
  expect(written).not.toHaveBeenCalled();
  vi.restoreAllMocks();
});
