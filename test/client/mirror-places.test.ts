import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { serviceOf } from "../faults/bulk-fixtures.js";
import { runs } from "../support/whole.js";
import { changingTable, type Row } from "./changing-table.js";

const { server, set } = await changingTable();
const root = mkdtempSync(join(tmpdir(), "arrowbook-places-"));
afterAll(async () => {
  await server.close();
  rmSync(root, { recursive: true });
});

const ROWS: readonly Row[] = [
  ["AAA", "2022-03-01", "10.5000", "2022-03-02"],
  ["BBB", "2024-03-01", "1.0000", "2024-03-02"],
];
const table = () => serviceOf(server).table("V/T");
/** Every file below a folder, with its text. */
const filesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name))
    .map((path) => `${path} ${readFileSync(path, "utf8")}`)
    .sort();

function write(folder: string, name: string): void {
  mkdirSync(join(folder, name, ".."), { recursive: true });
  writeFileSync(join(folder, name), `of someone else: ${name}`);
}

it.each([
  ["v000001/model.bin"],
  ["v202401/model.bin"],
  ["rows.parquet"],
  [".env"],
  ["v000001/rows.parquet"],
  ["writing.json"],
])("refuses a folder without a manifest that holds %s, and changes nothing", async (name) => {
  set(ROWS, "2024-04-01T00:00:00Z");
  const folder = mkdtempSync(join(root, "f-"));
  write(folder, name);
  // Of another program, though called as one of a mirror.
  if (name === "writing.json") write(folder, "other.txt");
  const before = filesOf(folder);
  for (const load of [true, false]) {
    await expect(table().mirror(folder, { load })).rejects.toMatchObject({ name: "FileError", code: "BadMirror" });
  }
  expect(filesOf(folder)).toEqual(before);
});

it("takes an empty folder, and refuses it once it holds other files", async () => {
  set(ROWS, "2024-04-01T00:00:00Z");
  const folder = mkdtempSync(join(root, "f-"));
  const mirror = await table().mirror(folder, { load: false });
  write(folder, "notes.txt");
  await expect(mirror.sync()).rejects.toMatchObject({
    code: "BadMirror",
    message: expect.stringContaining("notes.txt"),
  });
  expect(readdirSync(folder)).toEqual(["notes.txt"]);
  rmSync(join(folder, "notes.txt"));
  expect((await mirror.sync()).change).toBe("export");
});

it("refuses an address of the web or of an object storage by name", async () => {
  for (const place of ["https://example.com/copies", "s3://bucket/copies"]) {
    await expect(serviceOf(server).table("V/T").mirror(place)).rejects.toMatchObject({
      code: "BadArgument",
      message: expect.stringContaining("cannot be at an address"),
    });
  }
});

it("removes no file that it did not write, whatever its name", async () => {
  const name = fc
    .tuple(
      fc.oneof(
        fc.nat(8).map((n) => `v${String(n).padStart(6, "0")}`),
        fc.constantFrom("v202401", "v1", "old", "."),
      ),
      fc.constantFrom("model.bin", "rows.parquet.bak", "deep/rows.parquet", "mine.parquet"),
    )
    .map((parts) => join(...parts));
  const history = fc.record({
    by: fc.constantFrom(undefined, "ticker"),
    steps: fc.array(fc.array(name, { maxLength: 3 }), { minLength: 2, maxLength: 6 }),
  });
  await fc.assert(
    fc.asyncProperty(history, async ({ by, steps }) => {
      const folder = mkdtempSync(join(root, "p-"));
      set(ROWS, "2024-01-01T00:00:00Z");
      const mirror = await table().mirror(folder, { by });
      const foreign = new Set<string>();
      for (const [i, names] of steps.entries()) {
        for (const each of names) {
          write(folder, each);
          foreign.add(each);
        }
        set(ROWS.slice(i % 2), `2024-02-0${i + 1}T00:00:00Z`);
        await mirror.sync();
        expect((await mirror.frame()).numRows).toBe(2 - (i % 2));
        for (const each of foreign) expect(readFileSync(join(folder, each), "utf8")).toBe(`of someone else: ${each}`);
      }
    }),
    { numRuns: runs(20) },
  );
});

it("refuses a limited query, and leaves an existing copy as it was", async () => {
  set(ROWS, "2024-04-01T00:00:00Z");
  const folder = join(mkdtempSync(join(root, "l-")), "copy");
  for (const target of [folder, `${folder}.duckdb`]) {
    const mirror = await table().mirror(target, { since: "changed" });
    set([...ROWS, ["CCC", "2024-04-01", "1.0000", "2024-04-02"]], "2024-04-02T00:00:00Z");
    await expect(table().limit(1).mirror(target, { since: "changed" })).rejects.toMatchObject({
      code: "BadArgument",
      message: expect.stringContaining("limited to 1"),
    });
    expect((await mirror.sync()).rows).toBe(3);
    set(ROWS, "2024-04-01T00:00:00Z");
  }
});
