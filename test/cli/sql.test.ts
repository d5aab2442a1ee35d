import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { ZipFile } from "yazl";
import { main } from "../../src/cli/main.js";
import { Frame } from "../../src/index.js";
import { columnSpecs } from "../support/column-specs.js";
import { rangeServer } from "../support/range-server.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const folder = temporaryFolder("sql");
const at = (name: string): string => join(folder, name);
const prices = Frame.fromRows(
  [
    { ticker: "AAA", date: "2024-01-02", close: "10.5000", volume: 100 },
    { ticker: "AAA", date: "2024-01-03", close: "11.2500", volume: null },
    { ticker: "BBB", date: "2024-01-02", close: "7.0001", volume: 300 },
  ],
  columnSpecs({ ticker: "String", date: "Date", close: "BigDecimal(15,4)", volume: "Integer" }),
);

beforeAll(async () => {
  await prices.toParquet(at("prices.parquet"));
  await prices.toArrow(at("prices.arrows"));
  for (const name of ["prices.csv", "prices.csv.gz"]) await prices.toCSV(at(name));
  for (const name of ["prices.jsonl", "prices.ndjson.gz"]) {
    if (name.endsWith(".gz")) writeFileSync(at(name), gzipSync(prices.toJSONLines()));
    else await prices.toJSONLines(at(name));
  }
  writeFileSync(at("prices.tsv"), prices.toCSV().replaceAll(",", "\t"));
  writeFileSync(at("prices.json"), JSON.stringify(prices.toJSON()));
  mkdirSync(at("parts"));
  await prices.head(1).toParquet(at("parts/a.parquet"));
  await prices.slice(1).toParquet(at("parts/b.parquet"));
  const zip = new ZipFile();
  zip.addBuffer(Buffer.from(prices.toCSV()), "prices.csv");
  zip.end();
  const chunks: Uint8Array[] = [];
  for await (const chunk of zip.outputStream) chunks.push(chunk as Uint8Array);
  writeFileSync(at("prices.zip"), Buffer.concat(chunks));
  await prices.groupBy("ticker").agg({ close: "max" }).toParquet(at("top of all.parquet"));
});
afterEach(() => vi.restoreAllMocks());

async function sql(...words: string[]): Promise<{ status: number; out: string; err: string }> {
  vi.restoreAllMocks();
  const out = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const err = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  const texts = (spy: { mock: { calls: unknown[][] } }): string =>
    spy.mock.calls.map(([text]) => String(text)).join("");
  const status = await main(["sql", ...words]);
  process.exitCode = undefined;
  return { status, out: texts(out), err: texts(err) };
}

describe("arrowbook sql", () => {
  it.each([
    ["prices.parquet", "prices"],
    ["prices.arrows", "prices"],
    ["prices.csv", "prices"],
    ["prices.csv.gz", "prices"],
    ["prices.tsv", "prices"],
    ["prices.jsonl", "prices"],
    ["prices.ndjson.gz", "prices"],
    ["prices.json", "prices"],
    ["prices.zip", "prices"],
    ["parts", "parts"],
  ])("reads %s as the table %s", async (file, table) => {
    const statement = `select ticker, count(*)::int n, max(close)::decimal(9,4) top, min(date)::varchar since from ${table} group by 1 order by 1`;
    const { status, out, err } = await sql(statement, at(file), "--json");
    expect(err).toBe("");
    expect(status).toBe(0);
    expect(JSON.parse(out)).toEqual([
      { ticker: "AAA", n: 2, top: 11.25, since: expect.stringContaining("2024-01-02") },
      { ticker: "BBB", n: 1, top: 7.0001, since: expect.stringContaining("2024-01-02") },
    ]);
  });

  it("joins several files; names with spaces are quoted, and a file can be named", async () => {
    const statement =
      "select p.ticker, date, p.close from prices p join \"top of all\" t using (ticker) join again a using (ticker, date) where p.close = t.close_max or $1 = 'x' order by 1";
    const top = Frame.fromRows(
      [...(await Frame.fromParquet(at("top of all.parquet"))).rows()].map((row) => ({ ...row })),
    );
    const close = top.columns.map(({ name }) => name).find((name) => name !== "ticker");
    const words = [at("prices.parquet"), at("top of all.parquet"), `again=${at("prices.csv")}`, "--param", "y"];
    const { out, err } = await sql(statement.replace("close_max", String(close)), ...words);
    expect(err).toBe("");
    expect(out).toBe("ticker,date,close\nAAA,2024-01-03,11.2500\nBBB,2024-01-02,7.0001\n");
  });

  it("writes a file with -o, with the types of the columns", async () => {
    const { status, out, err } = await sql(
      "select ticker, close from prices where volume is not null",
      at("prices.parquet"),
      "-o",
      at("chosen.parquet"),
    );
    expect({ status, out }).toEqual({ status: 0, out: "" });
    expect(err).toContain("chosen.parquet: 2 rows");
    const chosen = await Frame.fromParquet(at("chosen.parquet"));
    expect(chosen.toCSV()).toBe("ticker,close\nAAA,10.5000\nBBB,7.0001\n");
    expect(chosen.columns.map(({ type }) => type)).toEqual(["String", "BigDecimal(15,4)"]);
  });

  it("a .json array is read exactly, however it is written", async () => {
    const text = '\ufeff [\r\n  {"a": 9007199254740993,\n "b": "],[\\" {,"} ,\n\n {"b":"x", "a": 1\n}\n]\n ';
    writeFileSync(at("pretty.json"), text);
    const { out, err } = await sql("select sum(a)::varchar as a, max(b) as b from pretty", at("pretty.json"));
    expect({ out, err }).toEqual({ out: "a,b\n9007199254740994,x\n", err: "" });
  });

  it.each([
    ["[1]", /Row 0 is not a JSON object/],
    ['[{"a":1},]', /broken\.json: Not valid JSON/],
    ['[{"a":1}', /broken\.json: Not valid JSON/],
    ['[{"a":1}] x', /broken\.json: Not valid JSON/],
    ['[{"a":[1]}]', /column "a".*is an array or object/],
    ["[]", /has no columns/],
  ])("%s is refused as a table", async (text, message) => {
    writeFileSync(at("broken.json"), text);
    const { status, err } = await sql("select * from broken", at("broken.json"));
    expect(err).toMatch(message);
    expect(status).toBe(1);
  });

  it("European CSV files, by a pattern, and a workbook out and in", async () => {
    mkdirSync(at("months"));
    for (const month of ["1", "10", "2"]) {
      const text = `Tag;Betrag;Anteil\n01.${month.padStart(2, "0")}.2024;1.234,5${month};${month},5%\nÄ`;
      writeFileSync(at(`months/${month}.csv`), Buffer.from(text.slice(0, -2), "latin1"));
    }
    const european = [
      "--delimiter",
      ";",
      "--decimal",
      ",",
      "--thousands",
      ".",
      "--percent",
      "--date-format",
      "dd.MM.yyyy",
    ];
    const query = "select month(Tag) as month, Betrag, Anteil from m";
    const { out } = await sql(query, `m=${at("months/*.csv")}`, ...european, "--encoding", "windows-1252");
    expect(out).toBe("month,Betrag,Anteil\n1,1234.510,0.015\n2,1234.520,0.025\n10,1234.510,0.105\n");
    const book = await sql(query, `m=${at("months/*.csv")}`, ...european, "-o", at("months.xlsx"));
    expect(book.status).toBe(0);
    expect((await sql("select max(month) as last from months", at("months.xlsx"))).out).toMatch(/last\n10\n$/);
    const wrong = await sql(query, `m=${at("months/*.csv")}`, "--decimal", ",", "--thousands", ",");
    expect([wrong.status, wrong.err]).toEqual([1, expect.stringContaining('--decimal "," --thousands "."')]);
    expect((await sql(query, `m=${at("months/x*.csv")}`)).err).toContain("No file matches");
  });

  it("a delimiter for all CSV files", async () => {
    writeFileSync(at("other.csv"), "a;b\n1;2\n");
    expect((await sql("select a + b as c from other", at("other.csv"), "--delimiter", ";")).out).toBe("c\n3\n");
  });

  it("files at addresses are tables, without their query in messages", async () => {
    const names = ["prices.parquet", "prices.arrows", "prices.csv.gz", "prices.jsonl", "prices.json", "prices.zip"];
    const server = await rangeServer(Object.fromEntries(names.map((name) => [`/${name}`, readFileSync(at(name))])));
    try {
      const address = (name: string): string => `${server.url}/${name}?${server.run}&token=abcdefgh`;
      for (const name of names) {
        const { out, err } = await sql("select sum(close) as total from prices", address(name));
        expect(`${out}${err}`, name).toBe("total\n28.7501\n");
      }
      const joined = "select count(*) as n from a join b using (ticker, date)";
      expect((await sql(joined, `a=${address("prices.parquet")}`, `b=${at("prices.csv")}`)).out).toBe("n\n3\n");
      for (const name of ["none.csv", "none.xls"]) {
        const { err } = await sql("select 1", address(name));
        expect(err).toContain(`${server.url}/${name}`);
        expect(err).not.toContain("abcdefgh");
      }
    } finally {
      await server.close();
    }
  });

  it.each([
    ["a misspelt table", "select 1 from price", ["prices.parquet"], /price does not exist! Did you mean "prices"\?/],
    ["an unknown table", "select 1 from other", ["prices.parquet"], /The tables are "prices"\./],
    ["a misspelt column", "select clse from prices", ["prices.parquet"], /"clse" not found.*Did you mean "close"\?/],
    ["a qualified column", "select p.tickr from prices p", ["prices.csv"], /"tickr".*Did you mean "ticker"\?/],
    ["a syntax error", "selec 1", ["prices.parquet"], /syntax error at or near "selec"/],
    ["a missing file", "select 1", ["none.parquet"], /none\.parquet.*does not exist/],
    ["an unknown ending", "select 1", ["none.xls"], /none\.xls is unknown\. Pass files that end in \.parquet/],
    ["two files of one name", "select 1", ["prices.csv", "prices.parquet"], /Name one of them: other=/],
    ["JSON with a fault", "select 1", ["bad.json"], /bad\.json: Not valid JSON/],
  ])("%s is one line that names the remedy", async (_, statement, files, message) => {
    writeFileSync(at("bad.json"), "[{");
    const { status, out, err } = await sql(statement, ...files.map(at));
    expect(err).toMatch(message);
    expect(err.trim().split("\n")).toHaveLength(1);
    expect(out).toBe("");
    expect(status).toBe(1);
  });

  it.each([
    ["b.csv", "prices.parquet", /b\.csv: .*got a Parquet file\. A file is read by its ending/],
    ["c.arrow", "prices.parquet", /c\.arrow: .*got a Parquet file\. A file is read by its ending/],
    ["d.zip", "a\n1\n", /d\.zip: .*not a zip archive.*A file is read by its ending/],
    ["e.jsonl", '{"a":1}\n{"a":', /e\.jsonl: Row 1 is not a JSON object.*\.jsonl file has one object on each line/],
    ["f.json", '{"a":1}', /f\.json: .*not a reply with rows\. A \.json file holds an array/],
    ["g.csv", "a,b\n1\n", /g\.csv: Row 0 has 1 of 2 cells.*Correct the file, or read it in a program/],
    ["h.csv", 'a,b\n1,"2\n', /h\.csv: Row 0 has a quote that is never closed.*Correct the file/],
    ["i.csv", Buffer.from([97, 10, 255, 10]), /i\.csv: .*not valid UTF-8.*--encoding windows-1252/],
    ["j.parquet", "a,b\n1,2\n", /j\.parquet: not a readable Parquet file/],
    ["k.csv", "", /k\.csv: The CSV text is empty/],
  ])("a fault in a file names the file, and no call of the library: %s", async (file, content, message) => {
    writeFileSync(at(file), content === "prices.parquet" ? readFileSync(at(content)) : content);
    const name = file.replace(/\..*/, "");
    const { err, status } = await sql(`select * from ${name} join prices using (ticker)`, at("prices.csv"), at(file));
    expect(err).toMatch(message);
    expect(err).not.toMatch(/Frame\.|lenient|onBadCell/);
    expect(status).toBe(1);
  });

  it("refuses an ending it cannot write before it reads", async () => {
    const { err } = await sql("select 1", at("none.parquet"), "-o", at("x.xls"));
    expect(err).toContain("Pass a path that ends in .parquet");
    expect(() => readFileSync(at("x.xls"))).toThrow();
  });
});
