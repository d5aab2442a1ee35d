import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { deflateRawSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { ZipFile } from "yazl";
import { Table, TimestampMillisecond, vectorFromArray } from "../../src/columns/arrow/arrow.js";
import { writeArrowFile } from "../../src/columns/ipc/file.js";
import { DataError, FileError } from "../../src/errors/errors.js";
import { Frame } from "../../src/frame/frame.js";
import { frameOfIPC } from "../frame-of-ipc.js";
import { columnSpecs } from "../support/column-specs.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const columns = columnSpecs({
  ticker: "String",
  date: "Date",
  close: "BigDecimal(34,12)",
  seen: "DateTime",
  volume: "Integer",
  share: "double",
  open: "Boolean",
});

const rows = [
  {
    ticker: 'A,"A"\n',
    date: "2024-02-29",
    close: "1234567890123456789012.123456789012",
    seen: "2024-02-29T12:30:00.250Z",
    volume: 9007199254740993n,
    share: 0.1,
    open: true,
  },
  { ticker: "", date: null, close: null, seen: null, volume: null, share: null, open: null },
  { ticker: null, date: "1900-01-01", close: "-0.000000000001", seen: null, volume: -1, share: -0, open: false },
];

const frame = Frame.fromRows(rows, columns, { code: "T/T", complete: true });
const texts = (one: Frame) => columns.map(({ name }) => one.column(name).toStrings());

let folder: string;
beforeAll(async () => {
  folder = temporaryFolder("frame");
});

describe("there and back, every cell exact", () => {
  it("Arrow IPC bytes, without the source", () => {
    const back = frameOfIPC(frame.toIPC());
    expect(texts(back)).toEqual(texts(frame));
    expect(back.columns).toEqual(columns);
    expect(back.source).toBeUndefined();
    expect(Buffer.from(frame.toIPC()).includes("T/T")).toBe(false);
  });

  it("an Arrow file", async () => {
    await frame.toArrow(join(folder, "a.arrow"));
    const back = await Frame.fromArrow(join(folder, "a.arrow"));
    expect(texts(back)).toEqual(texts(frame));
    expect(back.source?.code).toBe("a.arrow");
  });

  it("Arrow bytes and files with a column whose name is empty", async () => {
    const path = join(folder, "nameless.arrow");
    for (const type of ["String", "Integer"]) {
      const nameless = Frame.fromRows(
        [{ "": "1", null: "2" }],
        ["", "null"].map((name) => ({ name, type })),
      );
      expect(frameOfIPC(nameless.toIPC()).columns).toEqual(nameless.columns);
      await nameless.toArrow(path);
      expect((await Frame.fromArrow(path)).columns).toEqual(nameless.columns);
      await writeArrowFile(nameless.table.batches, path);
      const back = await Frame.fromArrow(path);
      expect(back.columns).toEqual(nameless.columns);
      expect(back.toCSV()).toBe(nameless.toCSV());
    }
  });

  it("CSV of timestamps without a zone, which are UTC", async () => {
    const naive = new TimestampMillisecond();
    const moments = new Table({ at: vectorFromArray([Date.UTC(2024, 1, 29, 13), null], naive) });
    const frame = Frame.from(moments);
    const back = await Frame.fromCSV(new TextEncoder().encode(frame.toCSV()), { columns: frame.columns });
    expect(frame.toCSV()).toBe("at\n2024-02-29T13:00:00Z\n\n");
    expect(back.column("at").toDates()).toEqual(frame.column("at").toDates());
  });

  it("a Parquet file", async () => {
    await frame.toParquet(join(folder, "a.parquet"));
    const back = await Frame.fromParquet(join(folder, "a.parquet"));
    expect(texts(back)).toEqual(texts(frame));
    expect(back.columns).toEqual(columns);
  });

  it("a Parquet file with a repeated column name", async () => {
    const csv = "a,a,b,a_2\n1,2,3,4\n4,5,6,7\n";
    const path = join(folder, "twice.parquet");
    const specs = (types: readonly string[]) => ["a", "a", "b", "a_2"].map((name, i) => ({ name, type: types[i] }));
    for (const types of [
      ["Integer", "Integer", "Integer", "Integer"],
      ["Integer", "String", "double", "BigDecimal(9,0)"],
    ]) {
      const twice = await Frame.fromCSV(new TextEncoder().encode(csv), { columns: specs(types) });
      await twice.toParquet(path);
      const back = await Frame.fromParquet(path);
      expect(back.toCSV()).toBe(twice.toCSV());
      expect(back.columns).toEqual(specs(types));
    }
  });

  it("CSV text and a CSV file", async () => {
    expect(texts(await Frame.fromCSV(new TextEncoder().encode(frame.toCSV()), { columns }))).toEqual(texts(frame));
    await frame.toCSV(join(folder, "a.csv"));
    expect(await readFile(join(folder, "a.csv"), "utf8")).toBe(frame.toCSV());
    expect(texts(await Frame.fromCSV(join(folder, "a.csv"), { columns }))).toEqual(texts(frame));
    expect(await readdir(folder)).not.toContainEqual(expect.stringContaining("part"));
  });

  it("a zip with one CSV file", async () => {
    const zip = new ZipFile();
    zip.addBuffer(Buffer.from(frame.toCSV()), "prices.csv");
    zip.end();
    const parts: Buffer[] = [];
    for await (const part of zip.outputStream) parts.push(part as Buffer);
    await writeFile(join(folder, "a.zip"), Buffer.concat(parts));
    expect(texts(await Frame.fromZip(join(folder, "a.zip"), { columns }))).toEqual(texts(frame));
    expect(texts(await Frame.fromZip(Buffer.concat(parts), { columns }))).toEqual(texts(frame));
    expect(deflateRawSync("").length).toBeGreaterThan(0);
  });

  it("an empty frame", async () => {
    const empty = Frame.fromRows([], columns);
    expect(frameOfIPC(empty.toIPC()).columns).toEqual(columns);
    await empty.toParquet(join(folder, "empty.parquet"));
    expect((await Frame.fromParquet(join(folder, "empty.parquet"))).columns).toEqual(columns);
    expect(empty.toCSV()).toBe("ticker,date,close,seen,volume,share,open\n");
    expect(empty.sort("date").filter(() => true).numRows).toBe(0);
  });
});

describe("JSON arrays", () => {
  it("are read back as toJSON() wrote them, exactly", () => {
    const exact = Frame.fromRows(
      [
        { t: "007", d: "2024-02-29", c: "1.50", n: 9007199254740993n, x: 1e300, b: true },
        { t: "", d: null, c: "-0.25", n: 1n, x: null, b: null },
      ],
      ["String", "Date", "BigDecimal(20,2)", "Integer", "double", "boolean"].map((type, i) => ({
        name: "tdcnxb"[i],
        type,
      })),
    );
    const text = JSON.stringify(exact);
    // Integers beyond 2^53 are text in it.
    const safe = exact.drop("n");
    expect(Frame.fromJSON(JSON.stringify(safe)).toJSON()).toEqual(safe.toJSON());
    const again = Frame.fromJSON(new TextEncoder().encode(text), { columns: exact.columns });
    const cells = (frame: Frame) => frame.columns.map((_, at) => frame.column(at).toStrings());
    expect(cells(again)).toEqual(cells(exact));
    expect(again.columns).toEqual(exact.columns);
  });

  it("have the types that their values have, members in order of first appearance", () => {
    const text =
      '\ufeff [{"a": 123456789012345678901234567890.5, "b": "2024-02-29"},\r\n {"c": {"x": [1, "]"]}, "a": -1}] ';
    expect(() => Frame.fromJSON(text)).toThrow(/is an array or object/);
    const frame = Frame.fromJSON(text, { onBadCell: "null", warn: () => undefined });
    expect(frame.columns.slice(0, 2)).toEqual([
      { name: "a", type: "BigDecimal(31,1)" },
      { name: "b", type: "Date" },
    ]);
    expect(frame.column("a").toStrings()).toEqual(["123456789012345678901234567890.5", "-1.0"]);
    expect(Frame.fromJSON('[{"a":1}]', { types: { a: "double" } }).columns).toEqual([{ name: "a", type: "double" }]);
    expect(
      Frame.fromJSON('[{"a":1,"b":2}]', {
        columns: [{ name: "b", type: "Integer" }],
        onExtraMember: "ignore",
      }).toJSON(),
    ).toEqual([{ b: 2 }]);
    expect(Frame.fromJSON("[]").shape).toEqual([0, 0]);
    expect(Frame.fromJSON("[]", { columns: [{ name: "a", type: "Date" }] }).shape).toEqual([0, 1]);
    expect(() => Frame.fromJSON('[{"a":1}, 2]')).toThrow(/^Row 1 is not a JSON object/);
    expect(() => Frame.fromJSON("[{}]")).toThrow(expect.objectContaining({ code: "EmptyJsonLines" }));
  });
});

describe("replies of the service", () => {
  it("reads a page of a table with its own types", () => {
    const reply = `{"datatable":{"data":[["A","2024-02-29",1.50]],"columns":[{"name":"t","type":"String"},
      {"name":"d","type":"Date"},{"name":"c","type":"BigDecimal(10,4)"}]},"meta":{"next_cursor_id":null}}`;
    const page = Frame.fromJSON(reply);
    expect(page.column("c").toStrings()).toEqual(["1.5000"]);
    expect(page.columns.map((c) => c.type)).toEqual(["String", "Date", "BigDecimal(10,4)"]);
  });

  it("reads a time series as dates and doubles", () => {
    const reply = {
      dataset_data: {
        limit: null,
        transform: "rdiff",
        column_index: null,
        column_names: ["Date", "Close"],
        start_date: "2024-01-01",
        end_date: "2024-02-01",
        frequency: "daily",
        data: [
          ["2024-02-01", 0.5],
          ["2024-01-01", null],
        ],
        collapse: "monthly",
        order: null,
      },
    };
    const series = Frame.fromJSON(new TextEncoder().encode(JSON.stringify(reply)));
    expect([...series.rows()]).toEqual([
      { Date: "2024-02-01", Close: 0.5 },
      { Date: "2024-01-01", Close: null },
    ]);
  });

  it("reads recorded replies that hold rows and columns and little else", () => {
    const table = Frame.fromJSON('{"datatable":{"data":[[1]],"columns":[{"name":"a","type":"Integer"}]}}');
    expect([...table.rows()]).toEqual([{ a: 1 }]);
    expect(Frame.fromJSON('{"datatable":{"data":[],"columns":[]},"meta":null}').numRows).toBe(0);
    const series = Frame.fromJSON('{"dataset_data":{"column_names":["Date","x"],"data":[["2024-01-01",1]]}}');
    expect([...series.rows()]).toEqual([{ Date: "2024-01-01", x: 1 }]);
    const whole = Frame.fromJSON(
      '{"dataset":{"dataset_code":"B","database_code":"A","column_names":["Date"],"data":[]}}',
    );
    expect(whole.source?.code).toBe("A/B");
    expect(() => Frame.fromJSON('{"datatable":{"data":[[1]]}}')).toThrow(/columns/);
    expect(() => Frame.fromJSON('{"dataset_data":{"data":[[1]]}}')).toThrow(/column_names/);
  });

  it("refuses bytes that are not a reply", () => {
    expect(() => Frame.fromJSON("{}")).toThrow(expect.objectContaining({ code: "UnexpectedShape" }));
    expect(() => Frame.fromJSON("[")).toThrow(DataError);
  });
});

it("refuses unknown options and option values before it reads", async () => {
  const bytes = new TextEncoder().encode("ticker\nA\n");
  const text = [{ name: "ticker", type: "String" }];
  const refused = async (options: unknown, code: string, hint: string) => {
    const expected = expect.objectContaining({ name: "InputError", code, hint: expect.stringContaining(hint) });
    await expect(Frame.fromCSV(bytes, options as never)).rejects.toThrow(expected);
    await expect(Frame.fromZip(bytes, options as never)).rejects.toThrow(expected);
  };
  await expect(Frame.fromZip(bytes, undefined as never)).rejects.toThrow(/needs columns/);
  await refused({ columns: ["ticker"] }, "BadArgument", "{ name:");
  await refused({ columns: text, onBadCell: "skip" }, "UnknownValue", '"null"');
  await refused({ columns: text, decimals: "float" }, "UnknownValue", 'Did you mean "float64"');
  await refused({ columns: text, headers: false }, "UnknownOption", 'Did you mean "header"');
  await refused({ columns: text, header: "detected" }, "UnknownValue", 'Did you mean "detect"');
  await refused({ columns: text, lenient: { trims: true } }, "UnknownOption", 'Did you mean "trim"');
  await expect(Frame.fromParquet("none", { onBadCells: "null" } as never)).rejects.toThrow(
    expect.objectContaining({ code: "UnknownOption", hint: 'Did you mean "onBadCell"?' }),
  );
});

it("makes the folders that a file needs", async () => {
  const deep = (name: string) => join(folder, "deep", name, "file");
  await frame.toCSV(deep("csv"));
  await frame.toParquet(deep("parquet"));
  await frame.toArrow(deep("arrow"));
  expect(await readFile(deep("csv"), "utf8")).toBe(frame.toCSV());
  expect(texts(await Frame.fromParquet(deep("parquet")))).toEqual(texts(frame));
  expect(texts(await Frame.fromArrow(deep("arrow")))).toEqual(texts(frame));
});

it("names the file in errors", async () => {
  await expect(Frame.fromCSV(join(folder, "none.csv"), { columns })).rejects.toThrow(FileError);
  await expect(frame.toCSV(join(folder, "a.csv", "such.csv"))).rejects.toThrow(FileError);
});

it("answers SQL over itself and others", async () => {
  const answer = await frame.sql<{ n: number; top: string }>(
    "SELECT count(*) AS n, max(t.word) AS top FROM this JOIN other AS t ON t.open = this.open WHERE this.open = $1",
    { params: [true], tables: { other: Frame.fromRows([{ open: true, word: "yes" }]) } },
  );
  expect([...answer.rows()]).toEqual([{ n: 1, top: "yes" }]);
});

it("turns into JSON without losing whole numbers", () => {
  const parsed = JSON.parse(JSON.stringify(frame.tail(3))) as { volume: unknown; date: unknown }[];
  expect(parsed.map((row) => row.volume)).toEqual(["9007199254740993", null, -1]);
  expect(parsed[0].date).toBe("2024-02-29");
});

describe("CSV for spreadsheets", () => {
  it("guards text that a spreadsheet would run, and leaves numbers alone", () => {
    const columns = columnSpecs({ note: "String", change: "BigDecimal(6,2)" });
    const notes = ["=1+1", "+cmd", "@SUM(A1)", "-2+3", "-5.00", "plain", "", null];
    const frame = Frame.fromRows(
      notes.map((note) => ({ note, change: "-1.50" })),
      columns,
    );
    expect(frame.toCSV({ escapeFormulae: true })).toBe(
      `note,change\n${[`"'=1+1"`, `"'+cmd"`, `"'@SUM(A1)"`, `"'-2+3"`, "-5.00", "plain", '""', ""].map((cell) => `${cell},-1.50\n`).join("")}`,
    );
    expect(frame.toCSV()).toBe(
      `note,change\n${["=1+1", "+cmd", "@SUM(A1)", "-2+3", "-5.00", "plain", '""', ""].map((cell) => `${cell},-1.50\n`).join("")}`,
    );
  });
});
