import fc from "fast-check";
import type { SchemaElement } from "hyparquet-writer";
import { describe, expect, it } from "vitest";
import { readParquet } from "../../src/columns/parquet/read/read.js";
import { DataError } from "../../src/errors/errors.js";
import { forAllAsync } from "../support/for-all.js";
import { runs } from "../support/whole.js";
import { fileOfPages, int32Bytes, type LeafPage } from "./parquet-pages.js";

/** A slot of a leaf: its repetition and definition level. */
type Slot = readonly [repetition: number, definition: number];
type Json = number | null | readonly Json[] | { readonly [name: string]: Json };

/** A list inside of `depth - 1` others; all of them and the values may be null. */
function listElements(depth: number): SchemaElement[] {
  if (depth === 0) return [{ name: "element", type: "INT32", repetition_type: "OPTIONAL" }];
  const name = "element";
  return [
    { name, repetition_type: "OPTIONAL", converted_type: "LIST", num_children: 1 },
    { name: "list", repetition_type: "REPEATED", num_children: 1 },
    ...listElements(depth - 1),
  ];
}

const listPath = (depth: number): string[] => (depth === 0 ? ["element"] : ["element", "list", ...listPath(depth - 1)]);

const page = (slots: readonly Slot[], depth: number, path: readonly string[]): LeafPage => {
  const maxDefinition = 2 * depth + 1;
  const present = slots.filter(([, definition]) => definition === maxDefinition).length;
  return {
    path,
    type: "INT32",
    slots: slots.length,
    repetitions: slots.map(([repetition]) => repetition),
    definitions: slots.map(([, definition]) => definition),
    maxDefinition,
    maxRepetition: depth,
    values: int32Bytes(Array.from({ length: present }, (_, i) => i + 1)),
  };
};

const beginsOf = (slots: readonly Slot[]): number => slots.filter(([repetition]) => repetition === 0).length;

const listFile = (slots: readonly Slot[], depth: number, version: 1 | 2): Uint8Array =>
  fileOfPages({ schema: [{ name: "root", num_children: 1 }, ...listElements(depth)], rows: beginsOf(slots), version }, [
    page(slots, depth, listPath(depth)),
  ]);

/** The rows that levels stand for, put together in the plainest way; undefined where they are not lists. */
function assembled(slots: readonly Slot[], depth: number): Json[] | undefined {
  const rows: Json[] = [];
  let value = 0;
  // The lists around the current slot, outermost first, as far as they have an entry.
  let open: Json[][] = [];
  for (const [repetition, definition] of slots) {
    if (repetition > open.length) return undefined;
    open = open.slice(0, repetition);
    // A list of level k is there from 2k + 1 on and has an entry from 2k + 2 on; one that continues has one.
    if (repetition > 0 && definition < 2 * repetition) return undefined;
    let into: Json[] = repetition === 0 ? rows : open[repetition - 1];
    for (let level = repetition; ; level++) {
      if (level === depth) {
        into.push(definition === 2 * depth + 1 ? ++value : null);
        break;
      }
      if (definition < 2 * level + 1) {
        into.push(null);
        break;
      }
      const list: Json[] = [];
      into.push(list);
      if (definition < 2 * level + 2) break;
      open.push(list);
      into = list;
    }
  }
  return rows;
}

/** Cells of the only column as plain values. */
function plain(cell: unknown): Json {
  if (cell === null || cell === undefined || typeof cell !== "object") return (cell as Json) ?? null;
  const json = (cell as { toJSON(): object }).toJSON();
  if (Array.isArray(json)) return json.map(plain);
  return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, plain(value)]));
}

async function read(file: Uint8Array): Promise<Json[] | undefined> {
  try {
    return [...((await readParquet(file)).getChildAt(0) ?? [])].map((cell) => numbers(plain(cell)));
  } catch (error) {
    expect(error).toBeInstanceOf(DataError);
    expect((error as DataError).code).toBe("BadParquet");
    return undefined;
  }
}

/** Integers of 64 bits as numbers. */
const numbers = (value: unknown): Json =>
  JSON.parse(JSON.stringify(value, (_, inner: unknown) => (typeof inner === "bigint" ? Number(inner) : inner)));

describe("levels that are not lists", () => {
  it("a list that continues before its first row is refused", async () => {
    const slots: Slot[] = [
      [1, 3],
      [0, 3],
      [0, 3],
      [1, 3],
    ];
    expect(await read(listFile(slots, 1, 1))).toBe(undefined);
    expect(await read(listFile([[0, 3], ...slots.slice(1)], 1, 1))).toEqual([[1], [2], [3, 4]]);
  });

  it("random levels are the rows of a plain assembler, or refused where it has none", async () => {
    let read1 = 0;
    let refused = 0;
    await forAllAsync(
      runs(400),
      fc.integer({ min: 1, max: 3 }).chain((depth) =>
        fc.record({
          depth: fc.constant(depth),
          slots: fc.array(fc.tuple(fc.nat(depth), fc.nat(2 * depth + 1)), { minLength: 1, maxLength: 8 }),
          begins: fc.boolean(),
          sound: fc.boolean(),
        }),
      ),
      fc.constantFrom(1 as const, 2 as const),
      async ({ depth, slots: any, begins, sound }, version) => {
        // Most random levels are not lists: in some runs, each is corrected to one that may follow.
        let before = 0;
        const slots = any.map(([repetition, definition], i): Slot => {
          const first = begins && i === 0 ? 0 : repetition;
          if (!sound) return [first, definition];
          const fitting = i === 0 ? 0 : Math.min(first, Math.floor(before / 2));
          before = Math.max(definition, 2 * fitting);
          return [fitting, before];
        });
        const wanted = assembled(slots, depth);
        expect(await read(listFile(slots, depth, version))).toEqual(wanted);
        if (wanted === undefined) refused++;
        else read1++;
      },
    );
    expect(Math.min(read1, refused)).toBeGreaterThan(runs(50, 0));
  });

  it("leaves of a struct that differ about its nulls are refused", async () => {
    const schema: SchemaElement[] = [
      { name: "root", num_children: 1 },
      { name: "s", repetition_type: "OPTIONAL", num_children: 2 },
      { name: "a", type: "INT32", repetition_type: "OPTIONAL" },
      { name: "b", type: "INT32", repetition_type: "OPTIONAL" },
    ];
    const leaf = (name: string, definitions: readonly number[]): LeafPage => ({
      path: ["s", name],
      type: "INT32",
      slots: 3,
      repetitions: [],
      definitions,
      maxDefinition: 2,
      maxRepetition: 0,
      values: int32Bytes(definitions.filter((level) => level === 2)),
    });
    const file = (a: readonly number[], b: readonly number[]) =>
      fileOfPages({ schema, rows: 3, version: 1 }, [leaf("a", a), leaf("b", b)]);
    expect(await read(file([2, 0, 1], [1, 0, 2]))).toEqual([{ a: 2, b: null }, null, { a: null, b: 2 }]);
    for (const wrong of [
      [1, 1, 2],
      [0, 0, 2],
      [0, 1, 2],
      [2, 0, 0],
    ]) {
      expect(await read(file([2, 0, 1], wrong)), String(wrong)).toBe(undefined);
    }
  });
});

describe("the counts in the header of a page of version 2", () => {
  const flat = (definitions: readonly number[], said: Partial<LeafPage>): Uint8Array =>
    fileOfPages({ schema: [{ name: "root", num_children: 1 }, ...listElements(0)], rows: definitions.length }, [
      {
        ...page(
          definitions.map((level) => [0, level]),
          0,
          ["element"],
        ),
        ...said,
      },
    ]);

  it("are those of its levels, or the file is refused", async () => {
    await forAllAsync(
      runs(60),
      fc.array(fc.nat(1), { minLength: 1, maxLength: 20 }),
      fc.nat(20),
      fc.nat(20),
      async (definitions, nulls, rows) => {
        let value = 0;
        const wanted = definitions.map((level) => (level === 1 ? ++value : null));
        expect(await read(flat(definitions, {}))).toEqual(wanted);
        const isNulls = nulls === definitions.length - value;
        expect(await read(flat(definitions, { nulls }))).toEqual(isNulls ? wanted : undefined);
        const isRows = rows === definitions.length;
        expect(await read(flat(definitions, { rows }))).toEqual(isRows ? wanted : undefined);
      },
    );
  });

  it("in lists too, where empty lists may be counted as nulls or not", async () => {
    // [1, null], [], null
    const slots: Slot[] = [
      [0, 3],
      [1, 2],
      [0, 1],
      [0, 0],
    ];
    const file = (said: Partial<LeafPage>): Uint8Array =>
      fileOfPages({ schema: [{ name: "root", num_children: 1 }, ...listElements(1)], rows: 3 }, [
        { ...page(slots, 1, listPath(1)), ...said },
      ]);
    for (const nulls of [1, 2, 3]) expect(await read(file({ nulls }))).toEqual([[1, null], [], null]);
    for (const nulls of [0, 4]) expect(await read(file({ nulls }))).toBe(undefined);
    for (const rows of [0, 2, 4]) expect(await read(file({ rows }))).toBe(undefined);
  });
});
