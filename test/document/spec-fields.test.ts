import { describe, expect, it } from "vitest";
import { readDocument } from "../../src/document/document.js";

import { specification } from "../../src/spec/profile.js";
import { type ResourceName, resources } from "../../src/spec/resources.js";
import { FORMATS, type Format } from "../../src/spec/vocabulary.js";
import { columnSpecs } from "../support/column-specs.js";
import { type TextRows, writtenText } from "./written.js";

/** The field tables of spec section 2, row by row: section, resource, field, type, and the formats that lack it. */
const TABLES: readonly (readonly [string, ResourceName, string, string, (readonly Format[])?])[] = [
  ["2.1", "datasetData", "limit", "integer or null"],
  ["2.1", "datasetData", "transform", "string or null"],
  ["2.1", "datasetData", "column_index", "integer or null"],
  ["2.1", "datasetData", "column_names", "array of string"],
  ["2.1", "datasetData", "start_date", "date"],
  ["2.1", "datasetData", "end_date", "date"],
  ["2.1", "datasetData", "frequency", "string"],
  ["2.1", "datasetData", "collapse", "string or null"],
  ["2.1", "datasetData", "order", "string"],
  ["2.2", "datasetMetadata", "id", "integer"],
  ["2.2", "datasetMetadata", "dataset_code", "string"],
  ["2.2", "datasetMetadata", "database_code", "string"],
  ["2.2", "datasetMetadata", "name", "string"],
  ["2.2", "datasetMetadata", "description", "string"],
  ["2.2", "datasetMetadata", "refreshed_at", "datetime"],
  ["2.2", "datasetMetadata", "newest_available_date", "date"],
  ["2.2", "datasetMetadata", "oldest_available_date", "date"],
  ["2.2", "datasetMetadata", "column_names", "array of string"],
  ["2.2", "datasetMetadata", "frequency", "string"],
  ["2.2", "datasetMetadata", "type", "string"],
  ["2.2", "datasetMetadata", "premium", "boolean"],
  ["2.2", "datasetMetadata", "database_id", "integer", ["json", "csv"]],
  ["2.3", "dataset", "database_id", "integer"],
  ["2.3", "dataset", "limit", "integer or null"],
  ["2.3", "dataset", "name", "string"],
  ["2.3", "dataset", "order", "string"],
  ["2.4", "databaseMetadata", "id", "integer"],
  ["2.4", "databaseMetadata", "name", "string"],
  ["2.4", "databaseMetadata", "database_code", "string"],
  ["2.4", "databaseMetadata", "description", "string"],
  ["2.4", "databaseMetadata", "datasets_count", "integer"],
  ["2.4", "databaseMetadata", "downloads", "integer"],
  ["2.4", "databaseMetadata", "premium", "boolean"],
  ["2.4", "databaseMetadata", "image", "string"],
  ["2.6", "tableRows", "datatable.columns", "columns"],
  ["2.6", "tableRows", "meta.next_cursor_id", "string or null"],
  ["2.7", "tableMetadata", "vendor_code", "string"],
  ["2.7", "tableMetadata", "datatable_code", "string"],
  ["2.7", "tableMetadata", "name", "string"],
  ["2.7", "tableMetadata", "description", "string or null"],
  ["2.7", "tableMetadata", "columns", "columns"],
  ["2.7", "tableMetadata", "filters", "array of string"],
  ["2.7", "tableMetadata", "primary_key", "array of string"],
  ["2.7", "tableMetadata", "premium", "boolean"],
  ["2.7", "tableMetadata", "status.refreshed_at", "datetime or null"],
  ["2.7", "tableMetadata", "status.status", "string or null"],
  ["2.7", "tableMetadata", "status.expected_at", "string or null"],
  ["2.7", "tableMetadata", "status.update_frequency", "string or null"],
  ["2.8", "tableExport", "file.link", "string or null"],
  ["2.8", "tableExport", "file.status", "string"],
  ["2.8", "tableExport", "file.data_snapshot_time", "utc"],
  ["2.8", "tableExport", "datatable.last_refreshed_time", "utc"],
];

const VALUES: Readonly<Record<string, unknown>> = {
  integer: 42,
  string: "a text, <with> 'marks'",
  date: "2024-02-29",
  datetime: "2024-02-29T12:00:01Z",
  utc: "2024-02-29T12:00:01Z",
  boolean: true,
  "array of string": ["Date", "a, b", 'c "d"'],
  columns: [{ name: "Adj. Close", type: "BigDecimal(34,12)" }],
};

/** How a value of a type is spelt: JSON text, then the XML type attribute and text, then the CSV cell. */
const SPELT: Readonly<Record<string, readonly [json: string, xml: string, csv: string]>> = {
  integer: ["42", ' type="integer">42<', "42"],
  string: ["\"a text, <with> 'marks'\"", ">a text, &lt;with&gt; 'marks'<", "\"a text, <with> 'marks'\""],
  date: ['"2024-02-29"', ' type="date">2024-02-29<', "2024-02-29"],
  datetime: ['"2024-02-29T12:00:01Z"', ' type="dateTime">2024-02-29T12:00:01Z<', "2024-02-29 12:00:01 UTC"],
  utc: ['"2024-02-29 12:00:01 UTC"', ' type="dateTime">2024-02-29T12:00:01Z<', "2024-02-29 12:00:01 UTC"],
  boolean: ["true", ' type="boolean">true<', "true"],
  "array of string": ['["Date","a, b","c \\"d\\""]', ' type="array"><', '"[""Date"", ""a, b"", ""c \\""d\\""""]"'],
  columns: [
    '[{"name":"Adj. Close","type":"BigDecimal(34,12)"}]',
    ' type="array"><column><name>Adj. Close</name><type>BigDecimal(34,12)</type></column><',
    '"[{""name"": ""Adj. Close"", ""type"": ""BigDecimal(34,12)""}]"',
  ],
};

const ROWS: TextRows = { columns: [{ name: "Date", type: "Date" }], rows: [] };

/** A record with a value for every field of the resource. */
function wholeRecord(resource: ResourceName): Record<string, unknown> {
  const record: Record<string, unknown> = {};
  for (const [section, name, field, type] of [...TABLES, ...COMBINED]) {
    if (name !== resource && section !== "") continue;
    set(record, flat(field), VALUES[type.replace(" or null", "")]);
  }
  return record;
}

/** 2.3 has the fields of 2.2 and 2.1. */
const COMBINED = TABLES.filter(([section]) => section === "2.1" || section === "2.2").map(
  ([, , field, type]) => ["", "dataset", field, type] as const,
);

/** Records leave out the level that names the kind of reply. */
const flat = (field: string): string[] => field.replace(/^(?:datatable(?=\.columns)|meta)\./, "").split(".");

function set(record: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [name, ...rest] = path;
  if (rest.length === 0) record[name] = value;
  else {
    record[name] = { ...(record[name] as object | undefined) };
    set(record[name] as Record<string, unknown>, rest, value);
  }
}

function get(record: object, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, name) => (value as Readonly<Record<string, unknown>>)[name], record);
}

const hasRows = (resource: ResourceName): boolean => JSON.stringify(resources[resource]).includes('"kind":"rows"');

async function writeAndRead(resource: ResourceName, format: Format, record: object): Promise<[string, object]> {
  const given = hasRows(resource) ? { fields: record, rows: ROWS } : { fields: record };
  const text = writtenText(resource, format, given);
  const { fields } = await readDocument(resource, format, new TextEncoder().encode(text), specification);
  return [text, fields];
}

const FIELDS = TABLES.map(
  ([section, resource, field, type, absentIn = []]) => [section, field, type, resource, absentIn] as const,
);

it.each(FIELDS)("spec %s %s: %s (%s)", async (_, field, type, resource, absentIn) => {
  const formats = FORMATS.filter((format) => !absentIn.includes(format) && !(format === "csv" && hasRows(resource)));
  const record = wholeRecord(resource);
  const path = flat(field);
  for (const format of formats) {
    const [text, read] = await writeAndRead(resource, format, record);
    expect(get(read, path), format).toEqual(get(record, path));
    expect(text).toContain(spelt(format, field, type.replace(" or null", "")));
  }
  for (const format of absentIn) {
    const [text] = await writeAndRead(resource, format, record);
    expect(text).not.toContain(field);
  }
  if (!type.endsWith("or null")) return;
  set(record, path, null);
  for (const format of formats) {
    const [text, read] = await writeAndRead(resource, format, record);
    expect(get(read, path), format).toBe(null);
    if (format === "json") expect(text).toContain(`"${path.at(-1)}":null`);
    if (format === "xml") expect(text).toContain(`<${element(field)} nil="true"/>`);
  }
});

/** Spec 1: hyphens for underscores; spec 2.4: one element keeps its underscore. */
function element(field: string): string {
  const name = field.slice(field.lastIndexOf(".") + 1);
  return name === "datasets_count" ? name : name.replaceAll("_", "-");
}

function spelt(format: Format, field: string, type: string): string {
  const [json, xml, csv] = SPELT[type];
  const name = field.slice(field.lastIndexOf(".") + 1);
  if (format === "json") return `"${name}":${json}`;
  if (format === "xml") return `<${element(field)}${xml}`;
  if (field.startsWith("status.")) return `""${name}"": ""${String(VALUES[type]).replaceAll('"', '""')}""`;
  return csv;
}

describe("spec 2: the order and shape of whole replies", () => {
  it.each([
    [
      "2.2",
      "datasetMetadata",
      "id,dataset_code,database_code,name,description,refreshed_at,newest_available_date,oldest_available_date,column_names,frequency,type,premium",
    ],
    ["2.4", "databaseMetadata", "id,name,database_code,description,datasets_count,downloads,premium,image"],
    ["2.7", "tableMetadata", "vendor_code,datatable_code,name,description,columns,filters,primary_key,premium,status"],
    ["2.8", "tableExport", "file.link,file.status,file.data_snapshot_time,datatable.last_refreshed_time"],
  ] as const)("spec %s csv: one header line of names and one row", async (_, resource, header) => {
    const [text] = await writeAndRead(resource, "csv", wholeRecord(resource));
    expect(text.split("\n")[0]).toBe(header);
    expect(text.split("\n")).toHaveLength(3);
  });

  it.each([
    ["2.1", "datasetData", "dataset_data"],
    ["2.2", "datasetMetadata", "dataset"],
    ["2.3", "dataset", "dataset"],
    ["2.4", "databaseMetadata", "database"],
    ["2.6", "tableRows", "datatable,meta"],
    ["2.7", "tableMetadata", "datatable"],
    ["2.8", "tableExport", "datatable_bulk_download"],
  ] as const)("spec %s root: %s holds %s", async (_, resource, roots) => {
    const [json] = await writeAndRead(resource, "json", wholeRecord(resource));
    expect(Object.keys(JSON.parse(json) as object).join()).toBe(roots);
    const [xml] = await writeAndRead(resource, "xml", wholeRecord(resource));
    for (const root of roots.split(",")) expect(xml).toContain(`<${root.replaceAll("_", "-")}>`);
    expect(xml).toMatch(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n<service-response>.*<\/service-response>\n$/s);
  });

  it("spec 2.3 fields: those of 2.2 and 2.1 together", async () => {
    const [json] = await writeAndRead("dataset", "json", wholeRecord("dataset"));
    const names = Object.keys((JSON.parse(json) as { dataset: object }).dataset);
    const expected = TABLES.filter(([section]) => section === "2.1" || section === "2.2").map(([, , field]) => field);
    expect(new Set(names)).toEqual(new Set([...expected, "data"]));
  });
});

describe("how rows are written", () => {
  const columns = columnSpecs({
    ticker: "String",
    date: "Date",
    close: "BigDecimal(15,4)",
    volume: "BigDecimal(20,0)",
  });
  const rows = {
    columns,
    rows: [
      ["A & B", "2024-02-29", "1.5000", "7"],
      [null, null, null, null],
    ],
  };
  const write = (format: Format): string =>
    writtenText("tableRows", format, { fields: { columns, next_cursor_id: null }, rows });

  it("spec 2.6 json: numbers plain, dates as strings", () => {
    expect(write("json")).toContain('"data":[["A & B","2024-02-29",1.5000,7],[null,null,null,null]]');
  });

  it("spec 2.6 xml: numbers are floats, dates dates, strings without a type; spec 1 xml: null is an empty element with nil", () => {
    expect(write("xml")).toContain(
      '<data type="array"><datum type="array"><datum>A &amp; B</datum><datum type="date">2024-02-29</datum>' +
        '<datum type="float">1.5000</datum><datum type="float">7</datum></datum>' +
        '<datum type="array"><datum nil="true"/><datum nil="true"/><datum nil="true"/><datum nil="true"/></datum></data>',
    );
  });

  it("spec 2.6 csv: a header of column names, numbers with a decimal point; spec 1 csv: one line per row", () => {
    expect(write("csv")).toBe("ticker,date,close,volume\nA & B,2024-02-29,1.5000,7.0\n,,,\n");
  });

  it("spec 2.1 data: each row is the date, then one number per column", () => {
    const series = {
      columns: columnSpecs({ Date: "Date", Close: "double" }),
      rows: [["2024-02-29", "1.5"]],
    };
    const fields = wholeRecord("datasetData");
    const text = (format: Format): string => writtenText("datasetData", format, { fields, rows: series });
    expect(text("json")).toContain('"data":[["2024-02-29",1.5]]');
    expect(text("xml")).toContain(
      '<datum type="array"><datum type="date">2024-02-29</datum><datum type="float">1.5</datum></datum>',
    );
    expect(text("csv")).toBe("Date,Close\n2024-02-29,1.5\n");
  });

  it("spec 2.8 datetimes: with UTC in JSON, ISO 8601 in XML; spec 2.8 xml: file and datatable with hyphens", async () => {
    const record = wholeRecord("tableExport");
    const [json] = await writeAndRead("tableExport", "json", record);
    expect(json).toContain('"data_snapshot_time":"2024-02-29 12:00:01 UTC"');
    const [xml] = await writeAndRead("tableExport", "xml", record);
    expect(xml).toMatch(
      /<datatable-bulk-download><file><link>.*<\/link><status>.*<\/status><data-snapshot-time type="dateTime">2024-02-29T12:00:01Z<\/data-snapshot-time><\/file><datatable><last-refreshed-time type="dateTime">2024-02-29T12:00:01Z<\/last-refreshed-time><\/datatable><\/datatable-bulk-download>/,
    );
  });
});
