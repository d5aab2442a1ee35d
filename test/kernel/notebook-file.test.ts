import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatNotebook, lines, parseNotebook, readNotebook } from "../../src/kernel/notebook/notebook-file.js";
import { casesFolder, haveCases } from "../cases.js";
import { schemaFaults } from "./schema-faults.js";

const folder = join(casesFolder, "notebooks-nbformat");

const INVALID: Readonly<Record<string, RegExp>> = {
  "invalid.ipynb": /cell 1 has no source \(and \d+ more\)/,
  "invalid_cell_id.ipynb": /cell 1 \(id \$illegal_chars\) has an invalid id/,
  "invalid_unique_cell_id.ipynb": /cell 2 \(id dup\) repeats the id/,
  "no_min_version.ipynb": /nbformat_minor is missing/,
  "v4_5_invalid_metadata.ipynb": /metadata\.kernelspec/,
};

it("says whether the collected notebooks are here", () => {
  if (!haveCases) console.info(`no cases at ${casesFolder}: the collected notebooks were not read`);
  expect(typeof haveCases).toBe("boolean");
});

describe.runIf(haveCases)("collected notebooks", () => {
  const names = haveCases ? readdirSync(join(folder, "notebooks")) : [];
  const old = names.filter((name) => /^test[23]/.test(name));
  const valid = names.filter((name) => !old.includes(name) && !(name in INVALID));

  it.each(valid)("%s opens, and is written as its schema requires, losing nothing", async (name) => {
    const path = join(folder, "notebooks", name);
    const before = readFileSync(path);
    const notebook = await readNotebook(path);
    const written = JSON.parse(formatNotebook(notebook)) as { nbformat_minor: number; cells: { id?: string }[] };
    const original = JSON.parse(before.toString()) as { nbformat_minor: number; cells: { id?: string }[] };
    if (original.nbformat_minor >= 5) for (const [i, cell] of original.cells.entries()) cell.id ??= `cell-${i + 1}`;
    expect(written).toEqual(original);
    if (written.nbformat_minor <= 5) expect(schemaFaults(written)).toEqual([]);
    expect(readFileSync(path)).toEqual(before);
  });

  it.each(Object.entries(INVALID))("%s is refused: %s", async (name, message) => {
    await expect(readNotebook(join(folder, "notebooks", name))).rejects.toThrow(message);
  });

  it.each(old)("%s is refused and its format named", async (name) => {
    const version = name.slice(4, 5);
    await expect(readNotebook(join(folder, "notebooks", name))).rejects.toThrow(`format ${version}`);
  });

  it("every case was used", () => {
    expect(names.length).toBe(20);
    expect(statSync(join(folder, "schemas")).isDirectory()).toBe(true);
  });
});

it("text that is not JSON is refused with the file's name", () => {
  expect(() => parseNotebook("{", "a.ipynb")).toThrow(/a\.ipynb is not a notebook: it is not JSON/);
});

it("a file that is not there is named", async () => {
  await expect(readNotebook("/no/such.ipynb")).rejects.toMatchObject({ code: "FileNotFound" });
});

it("splits text into lines that join again", () => {
  for (const text of ["", "a", "a\n", "a\n\nb", "\n\n", "a\r\nb"]) expect(lines(text).join("")).toBe(text);
  expect(lines("a\nb\n")).toEqual(["a\n", "b\n"]);
});

describe("cells without the id of format 4.5", () => {
  const notebook = (minor: number, ...ids: (string | undefined)[]): string =>
    JSON.stringify({
      nbformat: 4,
      nbformat_minor: minor,
      metadata: {},
      cells: ids.map((id) => ({ cell_type: "markdown", metadata: {}, source: "", ...(id !== undefined && { id }) })),
    });
  const idsOf = (text: string) => parseNotebook(text, "a.ipynb").cells.map(({ id }) => id);

  it("get one that no other cell has, the same in every run", () => {
    expect(idsOf(notebook(5, undefined, "cell-1", undefined, "b"))).toEqual(["cell-5", "cell-1", "cell-3", "b"]);
    expect(idsOf(notebook(5, undefined, undefined))).toEqual(["cell-1", "cell-2"]);
  });

  it("stay as they are in older formats", () => {
    expect(idsOf(notebook(4, undefined))).toEqual([undefined]);
  });

  it("are valid for any mixture of ids, and reading what was written changes nothing", () => {
    const id = fc.option(fc.stringMatching(/^cell-[1-9]$/), { nil: undefined });
    fc.assert(
      fc.property(fc.uniqueArray(id, { maxLength: 8, selector: (one) => one ?? Symbol() }), (ids) => {
        const read = parseNotebook(notebook(5, ...ids), "a.ipynb");
        if (haveCases) expect(schemaFaults(JSON.parse(formatNotebook(read)))).toEqual([]);
        // What the schema of format 4.5 requires of an id.
        for (const cell of read.cells) expect(cell.id).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
        expect(new Set(read.cells.map((cell) => cell.id)).size).toBe(ids.length);
        expect(parseNotebook(formatNotebook(read), "a.ipynb")).toEqual(read);
      }),
    );
  });
});
