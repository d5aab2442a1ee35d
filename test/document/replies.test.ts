import { existsSync, readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { gunzipSync } from "node:zlib";
import Papa from "papaparse";
import { describe, expect, it } from "vitest";
import { bulkFile } from "../../src/client/bulk/local-bulk-file.js";
import { readDocument } from "../../src/document/document.js";
import { readFailure } from "../../src/document/failure.js";
import { zipEntry } from "../../src/format/zip.js";
import { nasdaqDataLink, specification } from "../../src/spec/profile.js";
import type { Format } from "../../src/spec/vocabulary.js";
import { cases } from "../cases.js";
import { csvFields, goldenReplies } from "./replies.js";

describe("golden replies: spec section 2 in every format", () => {
  it.each(goldenReplies)("spec $name", async (reply) => {
    expect(Object.keys(reply.bytes).length).toBe(3);
    for (const [format, bytes] of Object.entries(reply.bytes) as [Format, Uint8Array][]) {
      const document = await readDocument(reply.resource, format, bytes, specification);
      const { database_id: _, ...fields } = document.fields as Readonly<Record<string, unknown>>;
      const { database_id: __, ...wanted } = reply.fields;
      const whole = reply.rows === undefined || format !== "csv";
      expect(fields, format).toEqual(whole ? wanted : csvFields(reply));
    }
  });
});

describe("recorded replies of a service of this kind", () => {
  const folder = cases("quandl-recorded/stock_calculator");
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith(".http")) : [];

  it("are here, or their absence is said", () => {
    if (files.length === 0) console.log(`absent: ${folder}`);
    expect([0, 4]).toContain(files.length);
  });

  it.each(files)("%s", async (file) => {
    const text = readFileSync(resolve(folder, file), "latin1");
    const end = text.search(/\r?\n\r?\n/);
    const head = text.slice(0, end).split(/\r?\n/);
    const bytes = Buffer.from(text.slice(end).trim(), "latin1");
    const headers = new Map(
      head.slice(1).map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]),
    );
    const status = Number(head[0].split(" ")[1]);
    if (status !== 200) {
      const answer = { status, contentType: null, headers: (name: string) => headers.get(name) ?? null, bytes };
      const error = readFailure(answer, nasdaqDataLink);
      expect(error).toMatchObject({ code: "QEAx01", status: 400, requestId: "REDACTED", retry: { retryable: false } });
      expect(error.message).toContain("could not recognize your API key");
      return;
    }
    const { fields, rows } = await readDocument("tableRows", "json", bytes, nasdaqDataLink);
    expect(fields.next_cursor_id).toBe(null);
    expect(fields.columns?.map(({ name }) => name)).toContain("ex-dividend");
    expect(fields.columns?.find(({ name }) => name === "adj_close")).toEqual({
      name: "adj_close",
      type: "BigDecimal(50,28)",
    });
    expect(rows?.kind).toBe("json");
  });

  it("the status of an export in CSV", async () => {
    const path = cases("quandl-recorded/zipline/metadata.csv.gz");
    if (!existsSync(path)) {
      console.log(`absent: ${path}`);
      return;
    }
    const { fields } = await readDocument("tableExport", "csv", gunzipSync(readFileSync(path)), nasdaqDataLink);
    expect(fields).toEqual({
      file: { link: "https://file_url.mock.quandl", status: "fresh", data_snapshot_time: "2017-10-17T23:48:25Z" },
      datatable: { last_refreshed_time: "2017-10-17T23:48:15Z" },
    });
  });

  it("a real table in a zip: 916 rows, every value equal as a decimal", async () => {
    const path = cases("quandl-recorded/zipline/QUANDL_ARCHIVE.zip");
    if (!existsSync(path)) {
      console.log(`absent: ${path}`);
      return;
    }
    const decimal = (names: readonly string[], type: string) => names.map((name) => ({ name, type }));
    const columns = [
      { name: "ticker", type: "String" },
      { name: "date", type: "Date" },
      ...decimal(["open", "high", "low", "close"], "BigDecimal(34,12)"),
      { name: "volume", type: "BigDecimal(37,15)" },
      { name: "ex-dividend", type: "BigDecimal(42,20)" },
      { name: "split_ratio", type: "double" },
      ...decimal(["adj_open", "adj_high", "adj_low", "adj_close"], "BigDecimal(50,28)"),
      { name: "adj_volume", type: "double" },
    ];
    const frame = await bulkFile(path, { columns, emptyText: "null" }).frame();
    expect(frame.numRows).toBe(916);
    let text = "";
    for await (const chunk of (await zipEntry(path)).chunks()) text += Buffer.from(chunk).toString("latin1");
    const source = Papa.parse<Record<string, string>>(text, { header: true, skipEmptyLines: true }).data;
    for (const { name, type } of columns) {
      const plain = (cell: string | null): string | null =>
        cell !== null && type.startsWith("BigDecimal") && cell.includes(".") ? cell.replace(/\.?0+$/, "") : cell;
      const read = frame.column(name).toStrings().map(plain);
      const number = (cell: string | null | undefined) => (type === "double" ? Number(cell) : plain(cell ?? null));
      expect(read.map(number), name).toEqual(source.map((row) => number(row[name])));
    }
  });
});
