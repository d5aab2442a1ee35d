import { existsSync, readFileSync } from "node:fs";
import Papa from "papaparse";
import { expect, it } from "vitest";
import { connect } from "../../src/client/service.js";
import { tableToIPCBytes } from "../../src/columns/ipc/stream.js";
import { FORMATS } from "../../src/spec/vocabulary.js";
import { cases } from "../cases.js";
import { columnSpecs } from "../support/column-specs.js";
import { isWhole } from "../support/whole.js";
import { folderOf, get, started } from "./support.js";

const listed = cases("naughty-strings/blns.json");
const given = existsSync(listed) ? (JSON.parse(readFileSync(listed, "utf8")) as string[]) : [];
const texts = [...new Set(["Smith, John", "a\r\nb", '"', "\u0001", "é漢🙂", "null", " x ", ...given])].filter(
  (text) => text !== "" && !text.includes("\0"),
);
const rows = texts.map((text, i) => [String(i), text]);

const service = await started({
  data: folderOf({
    "catalog.json": {
      databases: [
        {
          database_code: "D.1",
          name: "D",
          premium: true,
          datasets: ["BRK.B", "x.json", "data", "metadata"].map((dataset_code) => ({
            dataset_code,
            name: "S",
            frequency: "daily",
            columns: ["Date", "Close"],
            file: "s.csv",
          })),
        },
      ],
      tables: [
        {
          vendor_code: "V",
          datatable_code: "T",
          name: 'Texts, "awkward" <ones>',
          premium: false,
          columns: columnSpecs({ id: "Integer", "te,xt <&>": "String" }),
          filters: ["id", "te,xt <&>"],
          primary_key: ["id"],
          file: "t.csv",
        },
      ],
    },
    "s.csv": "Date,Close\n2024-01-02,1.5\n",
    "t.csv": `${Papa.unparse([["id", "te,xt <&>"], ...rows])}\n`,
  }),
});
const client = connect({ url: service.url, apiKey: "sample", retry: { attempts: 1 } });
const table = client.table("V/T");
const column = "te,xt <&>";

it("awkward strings round-trip code unit for code unit through json and csv; xml rejects what it cannot represent", async () => {
  for (const format of ["json", "csv"] as const) {
    expect((await table.format(format).frame()).column(column).toStrings(), format).toEqual(texts);
  }
  const impossible = texts.findIndex((text) => text.includes("\ufffe"));
  if (impossible >= 0) {
    const answer = await get(service, "/datatables/V/T.xml");
    expect(answer.status).toBe(406);
    expect(answer.text).toContain("<code>QESx05</code>");
  }
  const before = { id: { lt: impossible < 0 ? texts.length : impossible } };
  const [json, xml, csv] = await Promise.all(FORMATS.map((format) => table.where(before).format(format).frame()));
  expect(Buffer.from(tableToIPCBytes(xml.table)).equals(tableToIPCBytes(json.table))).toBe(true);
  expect(Buffer.from(tableToIPCBytes(csv.table)).equals(tableToIPCBytes(json.table))).toBe(true);
});

it("every awkward text finds its row as a filter value; one with a comma as a range from itself to itself", async () => {
  const tried = [...texts.entries()].filter(([i]) => isWhole || i < 8 || i % 5 === 0);
  for (const [i, text] of tried) {
    const value = text.includes(",") ? { gte: text, lte: text } : text;
    const found = await table.where({ [column]: value }).frame();
    expect(found.column("id").toStrings(), JSON.stringify(text)).toEqual([String(i)]);
  }
});

it("spec 4.7: a value with a comma is refused before asking, and so is selecting a name with one", async () => {
  expect(() => table.where({ [column]: "Smith, John" })).toThrow(
    expect.objectContaining({ name: "InputError", hint: expect.stringContaining("gte") }),
  );
  await expect(table.select(column).frame()).rejects.toMatchObject({ code: "BadSelection" });
});

it("awkward names come through the metadata of every format", async () => {
  const [json, xml, csv] = await Promise.all(FORMATS.map((format) => table.format(format).metadata()));
  expect(json).toMatchObject({ name: 'Texts, "awkward" <ones>', filters: ["id", column] });
  expect(xml).toEqual(json);
  expect(csv).toEqual(json);
});

it("codes with dots and codes that look like parts of a path are found in every format", async () => {
  for (const code of ["BRK.B", "x.json", "data", "metadata"]) {
    for (const format of FORMATS) {
      const query = client.dataset(`D.1/${code}`).format(format);
      expect([...(await query.frame()).rows()]).toEqual([{ Date: "2024-01-02", Close: 1.5 }]);
      expect((await query.metadata()).dataset_code).toBe(code);
    }
  }
  expect((await client.database("D.1").bulk("partial").frame()).column("Code").toStrings()).toEqual([
    "BRK.B",
    "x.json",
    "data",
    "metadata",
  ]);
});
