import { describe, expect, it } from "vitest";
import { csvHeader } from "../../src/document/csv.js";
import { type Document, readDocument } from "../../src/document/document.js";
import { readLiteral } from "../../src/document/literal.js";
import { readEnvelope } from "../../src/format/json-envelope.js";
import { specification } from "../../src/spec/profile.js";
import type { ResourceName } from "../../src/spec/resources.js";
import type { Format } from "../../src/spec/vocabulary.js";
import { columnSpecs } from "../support/column-specs.js";
import { writtenText } from "./written.js";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const read = <R extends ResourceName>(resource: R, format: Format, text: string): Promise<Document<R>> =>
  readDocument(resource, format, bytesOf(text), specification);
const rowsText = ({ rows }: Document): string => {
  if (rows?.kind !== "json") throw new Error("no JSON rows");
  return new TextDecoder().decode(rows.bytes.subarray(rows.start, rows.end));
};

describe("the rows of a JSON reply are found where they are", () => {
  const rangeOf = (text: string): string => {
    const { rows } = readEnvelope(bytesOf(text), [["r"]]);
    return text.slice(rows?.start, rows?.end);
  };

  it.each([
    ["[]"],
    ["[ ]"],
    ["[[]]"],
    ["[[1,2],[3,4]]"],
    ["[[1,2], [3,4]]"],
    ["[[1,2],\n[3,4]\n]"],
    ["[\n  [1, 2],\n  [3, 4]\n]"],
    ['[["a]]b",1],["]]",2]]'],
    ['[["a]]"]]'],
    ['[["a]]",1],["\\"]]",2]]'],
    ['[["a]],",1],["\\"]]",2]]'],
    ['[["a\\\\"],["]"]]'],
  ])("%j", (rows) => {
    expect(rangeOf(`{"r":${rows},"extra":[[1]],"s":"]]"}`)).toBe(rows);
    expect(rangeOf(`{"s":"]]","extra":[[1]],"r":${rows}}`)).toBe(rows);
  });
});

const datasetFields = {
  id: 9775827,
  dataset_code: "AAPL",
  database_code: "EOD",
  name: 'Apple "Inc", <AAPL> & co',
  description: "First line\nsecond",
  refreshed_at: "2024-02-29T12:41:36Z",
  newest_available_date: "2024-02-28",
  oldest_available_date: null,
  column_names: ["Date", "Adj. Close", 'a "b", c'],
  frequency: "daily",
  type: "Time Series",
  premium: true,
};

const tableFields = {
  vendor_code: "SHARADAR",
  datatable_code: "SEP",
  name: "Prices",
  description: null,
  columns: columnSpecs({ ticker: "String", close: "BigDecimal(50,28)" }),
  filters: ["ticker"],
  primary_key: ["ticker", "date"],
  premium: false,
  status: { refreshed_at: "2024-02-29T12:41:36Z", status: "ON TIME", expected_at: "*", update_frequency: null },
};

const exportFields = {
  file: { link: null, status: "creating", data_snapshot_time: null },
  datatable: { last_refreshed_time: "2017-10-12T09:03:36Z" },
};

const databaseFields = {
  id: 1,
  name: "End of day",
  database_code: "EOD",
  description: "",
  datasets_count: 3160,
  downloads: 0,
  premium: true,
  image: null,
};

describe.each(["json", "xml", "csv"] as const)("metadata written and read in %s", (format) => {
  it.each([
    ["spec 2.2", "datasetMetadata", datasetFields],
    ["spec 2.4", "databaseMetadata", databaseFields],
    ["spec 2.7", "tableMetadata", tableFields],
    ["spec 2.8", "tableExport", exportFields],
  ] as const)("%s: %s", async (_, resource, fields) => {
    const document = await read(
      resource,
      format,
      writtenText(resource, format, { fields: { database_id: 7, ...fields } }),
    );
    const more = resource === "datasetMetadata" && format === "xml" ? { database_id: 7 } : {};
    expect(document.fields).toEqual({ ...fields, ...more });
  });
});

it("spec 2.8: the header of an export status in CSV, and its timestamps", () => {
  const file = {
    link: "https://x.example/f.zip?api_key=k",
    status: "fresh",
    data_snapshot_time: "2017-10-17T23:48:25Z",
  };
  expect(writtenText("tableExport", "csv", { fields: { ...exportFields, file } })).toBe(
    "file.link,file.status,file.data_snapshot_time,datatable.last_refreshed_time\n" +
      "https://x.example/f.zip?api_key=k,fresh,2017-10-17 23:48:25 UTC,2017-10-12 09:03:36 UTC\n",
  );
  expect(writtenText("tableExport", "json", { fields: exportFields })).toBe(
    '{"datatable_bulk_download":{"file":{"link":null,"status":"creating","data_snapshot_time":null},' +
      '"datatable":{"last_refreshed_time":"2017-10-12 09:03:36 UTC"}}}',
  );
});

it("spec 2.6: rows keep their digits, `columns` may come before or after `data`", async () => {
  const columns = columnSpecs({ ticker: "String", date: "Date", close: "BigDecimal(50,28)" });
  const rows = [
    ["AAPL", "2017-11-22", "123456789012345678901.0000000000000000000000000001"],
    ["null", null, null],
    ["", "2017-11-23", "0.5"],
  ];
  const fields = { columns, next_cursor_id: "djFfMQ==" };
  const json = writtenText("tableRows", "json", { fields, rows: { columns, rows } });
  expect(json).toBe(
    '{"datatable":{"data":[["AAPL","2017-11-22",123456789012345678901.0000000000000000000000000001],["null",null,null],["","2017-11-23",0.5]],' +
      '"columns":[{"name":"ticker","type":"String"},{"name":"date","type":"Date"},{"name":"close","type":"BigDecimal(50,28)"}]},' +
      '"meta":{"next_cursor_id":"djFfMQ=="}}',
  );
  const first = await read("tableRows", "json", json);
  expect(first.fields).toEqual(fields);
  expect(rowsText(first)).toContain('[["AAPL"');
  const other = await read(
    "tableRows",
    "json",
    '{"meta":{"x":1,"next_cursor_id":null},"datatable":{"columns":[],"data":[]}}',
  );
  expect(other.fields).toEqual({ columns: [], next_cursor_id: null });
  expect(rowsText(other)).toBe("[]");
  expect(
    writtenText("tableRows", "csv", {
      fields,
      rows: {
        columns,
        rows: [
          ["A", "2017-11-22", "5"],
          [null, null, null],
          ["", null, "1e21"],
        ],
      },
    }),
  ).toBe('ticker,date,close\nA,2017-11-22,5.0\n,,\n"",,1.0e21\n');
});

it("spec 2.6: a page that does not say whether another follows is not taken for the last", async () => {
  const { fields } = await read("tableRows", "json", '{"datatable":{"data":[],"columns":[]},"meta":{}}');
  expect(fields).toEqual({ columns: [] });
});

it("spec 4.1, 4.2, 4.4: either root answers either question", async () => {
  const columns = columnSpecs({ Date: "Date", Close: "double" });
  const echo = {
    limit: 2,
    transform: null,
    column_index: null,
    start_date: null,
    end_date: null,
    collapse: "monthly",
    order: "asc",
  };
  const rows = {
    columns,
    rows: [
      ["2020-01-31", "1.5"],
      ["2020-02-29", "NaN"],
    ],
  };
  const fields = { ...datasetFields, ...echo, column_names: ["Date", "Close"], database_id: 5 };
  const both = writtenText("dataset", "json", { fields, rows });
  const data = writtenText("datasetData", "json", { fields, rows });
  expect(data).toContain('"data":[["2020-01-31",1.5],["2020-02-29",null]]');
  expect((await read("datasetData", "json", both)).resource).toBe("dataset");
  expect((await read("dataset", "json", both)).fields).toEqual(fields);
  const answer = await read("dataset", "json", data);
  expect(answer.resource).toBe("datasetData");
  expect(answer.fields).toMatchObject({ ...echo, frequency: "daily" });
  const csv = await read("dataset", "csv", writtenText("dataset", "csv", { fields, rows }));
  expect(csv.fields).toEqual({ column_names: ["Date", "Close"] });
  expect(csv.rows?.kind).toBe("csv");
});

describe("what is not shaped like the resource is refused with what and where", () => {
  it.each([
    ["json", '{"datatable":{"data":[]},"meta":{}}', "UnexpectedShape", 'datatable" has no member "columns"'],
    ["json", '{"datatable":{"data":[],"columns":[]}}', "UnexpectedShape", 'no member "meta"'],
    ["json", '{"datatable":{"data":{},"columns":[]},"meta":{}}', "UnexpectedShape", "not an array of rows"],
    ["json", '{"datatable":{"data":[],"columns":{}},"meta":{}}', "UnexpectedShape", "not an array"],
    [
      "json",
      '{"datatable":{"data":[],"columns":[{"name":1,"type":"x"}]},"meta":{}}',
      "UnexpectedShape",
      "columns[0].name",
    ],
    ["json", '{"datatable":{"data":[],"columns":[]},"meta":{"next_cursor_id":5}}', "UnexpectedShape", "next_cursor_id"],
    ["json", '{"other":1}', "UnexpectedShape", 'no member "datatable"'],
    ["json", "[]", "UnexpectedShape", "not an object"],
    ["json", '{"a":1,"a":2}', "BadJson", "only once"],
    ["json", '{"quandl_error":{"code":"QEAx07","message":"try again in 30 seconds"}}', "QEAx07", "try again"],
    ["csv", "code,message\nQECx02,No such table\n", "QECx02", "No such table"],
  ] as const)("%s %j", async (format, text, code, words) => {
    await expect(read("tableRows", format, text)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(words),
    });
  });
});

it("a table may have columns called code and message; metadata must be UTF-8", async () => {
  const one = await read("tableRows", "csv", "code,message\nAAPL,hello\n");
  expect(one.rows?.kind).toBe("csv");
  const rows = await read("tableRows", "csv", "code,message\n1,a\n2,b\n");
  expect(rows.rows?.kind).toBe("csv");
  const broken = Uint8Array.from([...bytesOf("id,name\n1,"), 0xff, 0x0a]);
  await expect(readDocument("databaseMetadata", "csv", broken, specification)).rejects.toMatchObject({
    code: "BadUtf8",
  });
});

it("spec 2.7: list cells of metadata CSV in a server's own language are read", async () => {
  const header = "vendor_code,datatable_code,name,description,columns,filters,primary_key,premium,status";
  const row = [
    "A,B,N,",
    `"[{:name=>""ticker"", :type=>""String""}, {""name"" => ""d"", ""type"" => ""Date""}]"`,
    '"[ticker, date]"',
    "[]",
    "true",
    `"{:refreshed_at=>nil, :status=>""ON TIME"", :expected_at=>nil, :update_frequency=>nil}"`,
  ].join(",");
  const { fields } = await read("tableMetadata", "csv", `${header}\n${row.replace("A,B,N,,", "A,B,N,,")}\n`);
  expect(fields.columns).toEqual([
    { name: "ticker", type: "String" },
    { name: "d", type: "Date" },
  ]);
  expect(fields).toMatchObject({ filters: ["ticker", "date"], primary_key: [], description: null });
  expect(fields.status.status).toBe("ON TIME");
  await expect(read("tableMetadata", "csv", `${header}\nA,B,N,,#<Object:0x1>,[],[],true,{}\n`)).rejects.toMatchObject({
    code: "UnexpectedShape",
    hint: expect.stringContaining("json"),
  });
});

it("escapes in such cells are decoded or rejected, and a repeated member is rejected", () => {
  const backslash = "\\";
  expect(readLiteral(`[${backslash}]`)).toEqual([backslash]);
  for (const [text, value] of [
    ["\\u00e9", "é"],
    ["\\u{1F642}", "🙂"],
    ["\\U0001F642", "🙂"],
    ["\\x41\\e\\a\\v", "A\u001b\u0007\v"],
    ["\\#{a} \\' \\\\", "#{a} ' \\"],
  ]) {
    expect(readLiteral(`{:a=>"${text}"}`)).toEqual({ a: value });
  }
  for (const text of ["\\q", "\\u12", "\\u{110000}", "\\x4", "\\1", "\\"])
    expect(readLiteral(`{:a=>"${text}"}`)).toBeUndefined();
  expect(readLiteral('{:a=>1, "a"=>2}')).toBeUndefined();
  expect(readLiteral('{"a":1,"a":2}')).toBeUndefined();
});

it("numbers are decimal in every format", async () => {
  const csv = (id: string): string =>
    `id,name,database_code,description,datasets_count,downloads,premium,image\n${id},A,A,,3,0,false,\n`;
  for (const id of ["1", " 1", "+1", "1.0", "1e0"])
    expect((await read("databaseMetadata", "csv", csv(id))).fields.id).toBe(1);
  for (const id of ["0x1F", "0b1", "1_000", "Infinity", "1e999", ".", "1.5", "--1", "9007199254740993"])
    await expect(read("databaseMetadata", "csv", csv(id))).rejects.toMatchObject({ code: "UnexpectedShape" });
});

it("the header of a CSV reply ends where its grammar says, and must be UTF-8", () => {
  expect(csvHeader(bytesOf('a",b\n1,2\n'))).toEqual(['a"', "b"]);
  expect(csvHeader(bytesOf('a","x\ny",c\n1,2,3\n'))).toEqual(['a"', "x\ny", "c"]);
  expect(csvHeader(bytesOf('\ufeff"a""\n",b\r\n1,2\n'))).toEqual(['a"\n', "b"]);
  expect(csvHeader(bytesOf("a,b\r1,2\r"))).toEqual(["a", "b"]);
  expect(() => csvHeader(Uint8Array.of(0x61, 0xff, 0x0a))).toThrow(expect.objectContaining({ code: "BadUtf8" }));
});
