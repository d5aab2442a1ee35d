import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bulkFile, type LocalBulkOptions } from "../../src/client/bulk/local-bulk-file.js";
import { zipBytes } from "../zip/archive.js";
import { columns } from "./bulk-fixtures.js";
import { csv, folder, half, ROWS, target, withOneExport, zip } from "./bulk-service.js";

withOneExport();

describe("a local archive", () => {
  it("is the same BulkFile", async () => {
    writeFileSync(target(), zip);
    const local = bulkFile(target(), { columns });
    expect(await local.status()).toMatchObject({ ready: true });
    expect((await local.frame()).numRows).toBe(ROWS);
    await local.saveZip(join(folder, "copy.zip"));
    expect(readFileSync(join(folder, "copy.zip")).equals(zip)).toBe(true);
    await local.toCSV(join(folder, "copy.csv"));
    expect(readFileSync(join(folder, "copy.csv"), "utf8")).toBe(csv);
    await local.toParquet(join(folder, "none.parquet"), { compression: "none" });
    await local.toParquet(join(folder, "snappy.parquet"), { compression: "snappy" });
    const sizeOf = (name: string) => readFileSync(join(folder, name)).length;
    expect(sizeOf("none.parquet")).toBeGreaterThan(sizeOf("snappy.parquet"));
  });

  it("needs its columns declared, but for a database bulk file", async () => {
    writeFileSync(target(), zip);
    await expect(bulkFile(target()).frame()).rejects.toMatchObject({ name: "InputError", code: "NoSchema" });
    writeFileSync(target(), zipBytes([{ name: "EOD.csv", data: "Code,Date,Close\nA,2024-02-29,1\n" }]));
    expect((await bulkFile(target()).frame()).columns.map(({ type }) => type)).toEqual(["String", "Date", "double"]);
  });

  const text = (name: string) => ({ name, type: "String" });
  const written = (csv: string) => writeFileSync(target(), zipBytes([{ name: "T.csv", data: csv }]));

  it("with an unknown header is refused", async () => {
    written("t,m\na,b\n");
    await expect(bulkFile(target(), { columns: [text("x"), text("y")] }).frame()).rejects.toMatchObject({
      name: "DataError",
      code: "UndeclaredColumn",
      hint: expect.stringContaining("header: false"),
    });
  });

  it("takes the header and lenient options of CSV", async () => {
    const columns = [text("x"), text("y")];
    written("a,b\nc,d\n");
    const rowsOf = async (options: LocalBulkOptions) => [...(await bulkFile(target(), options).frame()).rows()];
    expect(await rowsOf({ columns, header: false })).toEqual([
      { x: "a", y: "b" },
      { x: "c", y: "d" },
    ]);
    expect(await rowsOf({ columns, header: "detect" })).toHaveLength(2);
    written('y,z,X\n1,2,q"r\n');
    expect(await rowsOf({ columns, lenient: { header: true, quotes: true } })).toEqual([{ x: 'q"r', y: "1" }]);
    written("y,x\n1\n");
    await expect(rowsOf({ columns, header: "detect" })).rejects.toMatchObject({ code: "ShortRow" });
    expect(await rowsOf({ columns, header: "detect", lenient: { shortRows: true } })).toEqual([{ x: null, y: "1" }]);
    expect(() => bulkFile(target(), { header: false })).toThrow("expects columns together with header");
    expect(() => bulkFile(target(), { columns, header: "yes" as never })).toThrow('Unknown header: "yes".');
    const misspelt = { columns, lenient: { headers: true } as never };
    expect(() => bulkFile(target(), misspelt)).toThrow('has no option "headers"');
  });

  it("that is empty has no rows", async () => {
    written("");
    expect(await bulkFile(target(), { columns }).frame()).toMatchObject({ numRows: 0, numColumns: 3 });
  });

  it("that is damaged is not deleted", async () => {
    writeFileSync(target(), zip.subarray(0, half));
    await expect(bulkFile(target(), { columns }).frame()).rejects.toMatchObject({ code: "NotZip" });
    expect(existsSync(target())).toBe(true);
  });
});
