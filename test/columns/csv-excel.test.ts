import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import Papa from "papaparse";
import { expect, it, onTestFinished } from "vitest";
import { Frame } from "../../src/index.js";
import { columnSpecs } from "../support/column-specs.js";
import { forAllAsync } from "../support/for-all.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { runs } from "../support/whole.js";
import { textsOf, utf8 } from "./rows.js";

const EXCEL = { delimiter: ";", decimal: ",", dateFormat: ["dd.MM.yyyy", "dd.MM.yyyy HH:mm:ss"] };

const columns = columnSpecs({
  Straße: "String",
  "n;m": "BigDecimal(20,4)",
  x: "double",
  i: "Integer",
  day: "Date",
  at: "DateTime",
  yes: "Boolean",
});

it("writes what Excel in much of Europe opens", async () => {
  const frame = Frame.fromRows(
    [
      { Straße: "a;b", "n;m": "-1234.5", x: 0.25, i: 7, day: "2024-02-29", at: "2024-02-29T09:30:00Z", yes: true },
      { Straße: "=1,5", "n;m": null, x: null, i: null, day: null, at: null, yes: null },
    ],
    columns,
  );
  const folder = temporaryFolder("excel");
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "a.csv");
  const options = { ...EXCEL, bom: true, escapeFormulae: true };
  await frame.toCSV(path, options);
  expect(readFileSync(path, "utf8")).toBe(frame.toCSV(options));
  expect(frame.toCSV(options)).toBe(
    '\ufeffStraße;"n;m";x;i;day;at;yes\n"a;b";-1234,5000;0,25;7;29.02.2024;29.02.2024 09:30:00;true\n"\'=1,5";;;;;;\n',
  );
  expect(frame.toCSV()).toMatch(
    /^Straße,n;m,x,i,day,at,yes\na;b,-1234\.5000,0\.25,7,2024-02-29,2024-02-29T09:30:00Z,true\n/,
  );
  expect(frame.select("i").toCSV({ decimal: ",", delimiter: "\t" })).toBe("i\n7\n\n");
  expect(frame.select("x", "i").toCSV({ decimal: "," })).toBe('x,i\n"0,25",7\n,\n');
  for (const wrong of [{ delimiter: ";;" }, { decimal: "x" }, { dateFormat: "DD" }]) {
    expect(() => frame.toCSV(wrong)).toThrow(expect.objectContaining({ code: "BadArgument" }));
  }
  expect(() => frame.toCSV({ excel: true } as never)).toThrow(expect.objectContaining({ code: "UnknownOption" }));
});

const text = fc.string({
  unit: fc.constantFrom("a", "é", "😀", ",", ";", "\t", '"', "\n", "\r", " ", "=", "-", "'", "\ufeff", "."),
});
const rows = fc.array(
  fc.record({
    Straße: fc.option(text),
    "n;m": fc.option(fc.bigInt({ min: -(10n ** 19n), max: 10n ** 19n }).map((units) => `${units}e-4`)),
    x: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true })),
    i: fc.option(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
    day: fc.option(
      fc
        .date({ min: new Date("0001-01-01"), max: new Date("9999-12-31"), noInvalidDate: true })
        .map((day) => day.toISOString().slice(0, 10)),
    ),
    at: fc.option(fc.date({ min: new Date("0001-01-01"), max: new Date("9999-12-31"), noInvalidDate: true })),
    yes: fc.option(fc.boolean()),
  }),
  { minLength: 1, maxLength: 8 },
);
const forms = fc.record({
  delimiter: fc.constantFrom(",", ";", "\t", "|"),
  decimal: fc.constantFrom(".", ",", "·"),
  dateFormat: fc.constantFrom([], ["dd.MM.yyyy", "dd.MM.yyyy HH:mm:ss.SSS"], ["%m/%d/%Y", "%Y%m%d %H-%M-%S,%3f"]),
});

it("reading back with the same options gives the same frame", async () => {
  await forAllAsync(runs(60), rows, forms, fc.boolean(), fc.boolean(), async (cells, form, bom, isLong) => {
    // So many rows that the plain columns are written by blocks.
    const all = isLong ? Array.from({ length: 150 }, () => cells).flat() : cells;
    const frame = Frame.fromRows(all, columns);
    const written = frame.toCSV({ ...form, bom });
    const options = form.dateFormat.length === 0 ? { delimiter: form.delimiter, decimal: form.decimal } : form;
    const back = await Frame.fromCSV(utf8(written), { ...options, columns });
    expect(textsOf(back.table)).toEqual(textsOf(frame.table));
    const parsed = Papa.parse<string[]>(written, { delimiter: form.delimiter, newline: "\n" }).data;
    expect(parsed.slice(1, -1).map(([cell]) => cell)).toEqual(all.map((row) => row.Straße ?? ""));
  });
});
