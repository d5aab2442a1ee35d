import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import type { Table } from "../../src/columns/arrow/arrow.js";
import { cellTexts } from "../../src/columns/arrow/cell-batch.js";
import { csvTable } from "../../src/columns/csv/reader.js";
import { tableToIPCBytes } from "../../src/columns/ipc/stream.js";
import { jsonRows } from "../../src/columns/json/reader.js";
import { xmlRows } from "../../src/columns/xml/reader.js";
import { readDocument } from "../../src/document/document.js";

import type { ColumnSpec } from "../../src/spec/columns.js";
import { specification } from "../../src/spec/profile.js";
import { FORMATS, type Format } from "../../src/spec/vocabulary.js";
import { cases } from "../cases.js";
import { type GoldenReply, goldenReplies } from "../document/replies.js";
import { type TextRows, writtenText } from "../document/written.js";

type Cells = readonly (readonly (string | null)[])[];

/** The declared columns of a reply: a table says them, a time series has the date and doubles (spec 2.1). */
function columnsOf(fields: Readonly<Record<string, unknown>>): readonly ColumnSpec[] {
  if (fields["columns"] !== undefined) return fields["columns"] as readonly ColumnSpec[];
  return (fields["column_names"] as readonly string[]).map((name, i) => ({ name, type: i === 0 ? "Date" : "double" }));
}

async function tableOf(reply: GoldenReply, format: Format, bytes: Uint8Array): Promise<Table> {
  const { rows } = await readDocument(reply.resource, format, bytes, specification);
  const columns = columnsOf(reply.fields);
  if (rows?.kind === "json") return jsonRows({ bytes: rows.bytes, start: rows.start, end: rows.end }, columns).table();
  if (rows?.kind === "csv") return csvTable(rows.bytes, { columns });
  if (rows?.kind === "xml") return xmlRows(rows, columns).table();
  throw new Error("no rows");
}

const textsOf = (table: Table): Cells => table.batches.flatMap((batch) => [...cellTexts(batch)]);

const double = (x: number): string => String(x);

/** Small generator of numbers, the same in every run. */
function randoms(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const day = (n: number): string => new Date(Date.UTC(1999, 11, 25) + n * 86_400_000).toISOString().slice(0, 10);

/** A value of a type from a random number. */
const VALUES: Readonly<Record<string, (random: () => number) => string>> = {
  String: (r) =>
    ["AAPL", "MSFT", "", " x ", "a,b", 'q"q', "null", "NA", "é漢🙂", "1.50", "line\nbreak", "<&>"][
      Math.floor(r() * 12)
    ],
  Date: (r) => day(Math.floor(r() * 12_000)),
  datetime: (r) => `${day(Math.floor(r() * 12_000))}T12:00:0${Math.floor(r() * 10)}Z`,
  Integer: (r) => String(Math.floor((r() - 0.5) * 1e12)),
  BigInt: (r) => `${Math.floor(r() * 9e8)}${String(Math.floor(r() * 1e9)).padStart(9, "0")}`,
  double: (r) => double((r() - 0.5) * 10 ** Math.floor(r() * 40 - 20)),
  boolean: (r) => String(r() < 0.5),
  "BigDecimal(15,4)": (r) => `${Math.floor((r() - 0.5) * 1e9)}.${String(Math.floor(r() * 1e4)).padStart(4, "0")}`,
  "BigDecimal(20,0)": (r) => String(Math.floor(r() * 1e15)),
  "BigDecimal(11,8)": (r) => `-${Math.floor(r() * 999)}.${String(Math.floor(r() * 1e8)).padStart(8, "0")}`,
  "BigDecimal(50,28)": (r) =>
    `${Math.floor(r() * 9e8) + 1}${"7".repeat(13)}.${String(Math.floor(r() * 1e9)).padStart(9, "0")}${"3".repeat(19)}`,
};

const TYPES = Object.keys(VALUES);

function tableReply(name: string, columns: readonly ColumnSpec[], rows: Cells): GoldenReply {
  return made({ name, resource: "tableRows", fields: { columns, next_cursor_id: name }, rows, bytes: {} });
}

function seriesReply(name: string, titles: readonly string[], rows: Cells): GoldenReply {
  const fields = {
    ...series,
    name,
    column_names: titles,
    start_date: rows[0]?.[0] ?? null,
    end_date: rows.at(-1)?.[0] ?? null,
  };
  return made({ name, resource: "dataset", fields, rows, bytes: {} });
}

const series = {
  id: 1,
  dataset_code: "A",
  database_code: "B",
  description: "x <y> & z",
  refreshed_at: "2024-02-29T00:00:00Z",
  newest_available_date: "2024-02-29",
  oldest_available_date: "1999-12-31",
  frequency: "daily",
  type: "Time Series",
  premium: false,
  limit: null,
  transform: null,
  column_index: null,
  collapse: null,
  order: "asc",
  database_id: 2,
};

function made(reply: GoldenReply): GoldenReply {
  const rows: TextRows = { columns: columnsOf(reply.fields), rows: reply.rows ?? [] };
  const bytes = Object.fromEntries(
    FORMATS.map((format) => {
      const text = writtenText(reply.resource, format, { fields: reply.fields, rows });
      return [format, new TextEncoder().encode(text)];
    }),
  );
  return { ...reply, bytes };
}

function grid(types: readonly string[], count: number, nulls: number, seed: number): Cells {
  const random = randoms(seed);
  return Array.from({ length: count }, () => types.map((type) => (random() < nulls ? null : VALUES[type](random))));
}

const named = (types: readonly string[]): ColumnSpec[] => types.map((type, i) => ({ name: `c${i} ${type}`, type }));

/** One column of each type, all types together in several sizes, awkward names, series. */
const written: readonly GoldenReply[] = [
  ...TYPES.flatMap((type, i) => [
    tableReply(`a column of ${type}`, named(["Integer", type]), grid(["Integer", type], 40, 0, i + 1)),
    tableReply(`a column of ${type} with nulls`, named(["Integer", type]), grid(["Integer", type], 40, 0.5, i + 100)),
  ]),
  ...[0, 1, 2, 100, 3000].map((count) =>
    tableReply(`${count} rows of every type`, named(TYPES), grid(TYPES, count, 0.1, count + 7)),
  ),
  tableReply("a row of nulls", named(TYPES), [TYPES.map(() => null)]),
  tableReply("one column only", named(["BigDecimal(15,4)"]), grid(["BigDecimal(15,4)"], 5, 0, 3)),
  tableReply("one column with nulls", named(["Date"]), [["2020-01-01"], [null], ["2020-01-03"], [null]]),
  tableReply("one text column with nulls and empty texts", named(["String"]), [[""], [null], ["a"], [""], [null]]),
  tableReply(
    "awkward column names",
    ["a,b", 'q"q', " lead", "", "__proto__", "é漢", "<x>", "line\nbreak", "toString"].map((name) => ({
      name,
      type: "Integer",
    })),
    grid(
      Array.from({ length: 9 }, () => "Integer"),
      5,
      0.2,
      9,
    ),
  ),
  seriesReply("a daily series", ["Date", "Open", "Close"], seriesRows(500, 2)),
  seriesReply("dates only", ["Date"], seriesRows(20, 0)),
  seriesReply(
    "a series of 23 columns",
    ["Date", ...Array.from({ length: 23 }, (_, i) => `Col ${i}`)],
    seriesRows(60, 23),
  ),
  seriesReply("an empty series", ["Date", "Value"], []),
  seriesReply(
    "extreme numbers",
    ["Date", "Value"],
    [
      ["0001-01-01", "5e-324"],
      ["1899-12-31", "1.7976931348623157e+308"],
      ["1970-01-01", "-0"],
      ["9999-12-31", "9007199254740993"],
      ["2024-02-29", null],
    ],
  ),
];

function seriesRows(count: number, columns: number): Cells {
  const random = randoms(count + columns);
  return Array.from({ length: count }, (_, i) => [
    day(i),
    ...Array.from({ length: columns }, () => (random() < 0.05 ? null : VALUES["double"](random))),
  ]);
}

const withRows = [...goldenReplies.filter(({ rows }) => rows !== undefined), ...written];

describe(`spec 2.1, 2.3, 2.6: three formats give equal Arrow bytes and equal fields, ${withRows.length} replies with rows`, () => {
  it.each(withRows)("$name", async (reply) => {
    const tables = new Map<Format, Table>();
    for (const format of FORMATS) {
      const bytes = reply.bytes[format];
      if (bytes !== undefined) tables.set(format, await tableOf(reply, format, bytes));
    }
    expect([...tables.keys()]).toEqual([...FORMATS]);
    const ipc = [...tables.values()].map((table) => Buffer.from(tableToIPCBytes(table)).toString("base64"));
    expect(ipc[1] === ipc[0], "xml").toBe(true);
    expect(ipc[2] === ipc[0], "csv").toBe(true);
    const json = await fieldsOf(reply, "json");
    expect(json).toEqual(reply.fields);
    expect(await fieldsOf(reply, "xml")).toEqual(json);
  });

  it.each(goldenReplies.filter(({ rows }) => rows !== undefined))("exact cells: $name", async (reply) => {
    const bytes = reply.bytes.json;
    if (bytes === undefined) throw new Error("no JSON");
    const cells = textsOf(await tableOf(reply, "json", bytes));
    const numbers = (rows: Cells): unknown =>
      reply.resource === "tableRows"
        ? rows
        : rows.map(([date, ...rest]) => [date, ...rest.map((x) => (x === null ? x : Number(x)))]);
    expect(numbers(cells)).toEqual(numbers(reply.rows ?? []));
  });
});

async function fieldsOf(reply: GoldenReply, format: Format): Promise<unknown> {
  const bytes = reply.bytes[format];
  return bytes === undefined ? undefined : (await readDocument(reply.resource, format, bytes, specification)).fields;
}

it("naughty strings as column names and cells give equal Arrow bytes, code unit for code unit", async () => {
  const file = cases("naughty-strings/blns.json");
  const own = ["\u0001\u001f", "\r", "\n", '"', ",", "\ufeff", "NULL", "=1+1", "</datum>", "]]", "\u2028", "\u0085"];
  const listed = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as string[]) : [];
  // U+FFFE is not an XML character.
  const strings = [...new Set([...own, ...listed])].filter((text) => !text.includes("\ufffe"));
  const columns = strings.map((name) => ({ name, type: "String" }));
  const reply = tableReply("naughty", columns, [strings, strings.map(() => null), strings.map(() => "")]);
  const tables = await Promise.all(FORMATS.map((format) => tableOf(reply, format, reply.bytes[format] as Uint8Array)));
  for (const [i, table] of tables.entries()) {
    expect(textsOf(table), FORMATS[i]).toEqual(reply.rows);
    expect(table.schema.fields.map(({ name }) => name)).toEqual(strings);
    expect(Buffer.from(tableToIPCBytes(table)).equals(tableToIPCBytes(tables[0])), FORMATS[i]).toBe(true);
  }
});

describe("recorded replies of a service of this kind", () => {
  const folder = cases("quandl-recorded");
  const present = existsSync(folder);

  it("a recorded page keeps every digit, written again in three formats it gives the same bytes", async () => {
    if (!present) {
      console.log(`absent: ${folder}`);
      return;
    }
    const http = readFileSync(
      resolve(folder, "stock_calculator/ticker-AAPL_date-2017-11-23_to_2017-11-30.http"),
      "latin1",
    );
    const bytes = Buffer.from(http.slice(http.indexOf("{")).trim(), "latin1");
    const { fields, rows } = await readDocument("tableRows", "json", bytes, specification);
    if (rows?.kind !== "json" || fields.columns === undefined) throw new Error("no rows");
    const table = jsonRows({ bytes: rows.bytes, start: rows.start, end: rows.end }, fields.columns).table();
    const cells = textsOf(table);
    expect(cells[0].slice(0, 8)).toEqual([
      "AAPL",
      "2017-11-24",
      "175.100000000000",
      "175.500000000000",
      "174.645900000000",
      "174.970000000000",
      "14026519.000000000000000",
      "0.00000000000000000000",
    ]);
    expect(cells[0].at(-3)).toBe("174.6459000000000000000000000000");
    const again = tableReply("recorded", fields.columns, cells);
    for (const format of FORMATS) {
      const copy = await tableOf(again, format, again.bytes[format] ?? new Uint8Array());
      expect(Buffer.from(tableToIPCBytes(copy)).equals(tableToIPCBytes(table)), format).toBe(true);
    }
  });
});
