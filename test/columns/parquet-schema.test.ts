import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { SchemaElement } from "hyparquet-writer";
import { beforeAll, describe, expect, it } from "vitest";
import { textRows } from "../../src/columns/build/text-rows.js";
import { readParquet } from "../../src/columns/parquet/read/read.js";
import { writeParquet } from "../../src/columns/parquet/write/write.js";
import { DataError } from "../../src/errors/errors.js";
import { columnSpecs } from "../support/column-specs.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { isWhole } from "../support/whole.js";
import { changedFooter } from "./parquet-footer.js";
import { fileOfPages, int64Bytes } from "./parquet-pages.js";
import { textsOf } from "./rows.js";

let folder = "";
beforeAll(async () => {
  folder = temporaryFolder("parquet-schema");
});

const COLUMNS = columnSpecs({
  count: "Integer",
  price: "BigDecimal(15,4)",
  wide: "BigDecimal(30,2)",
  widest: "BigDecimal(50,2)",
  ratio: "double",
  date: "Date",
  at: "DateTime",
  flag: "Boolean",
  key: "String",
});
const ROW = ["7", "12.3450", "-1.25", "3.00", "0.5", "2024-02-29", "2024-02-29T01:02:03.004Z", "true", "a"];

/** A file of this package; of no rows, one row, and rows with nulls. */
async function ownFile(rows: readonly (readonly (string | null)[])[]): Promise<Buffer> {
  const path = join(folder, "own.parquet");
  const { batches, schema } = textRows(rows, COLUMNS).table();
  await writeParquet(batches, path, { schema, warn() {} });
  return readFile(path);
}

/** The schema and the cells of a file; undefined where it is refused as damaged. */
async function contents(file: Uint8Array): Promise<string | undefined> {
  try {
    const table = await readParquet(file, { warn() {} });
    return JSON.stringify([table.schema.fields.map((field) => `${field.name}: ${String(field.type)}`), textsOf(table)]);
  } catch (error) {
    expect(error).toBeInstanceOf(DataError);
    expect(["BadParquet", "UnsupportedParquet"]).toContain((error as DataError).code);
    return undefined;
  }
}

/** The bytes of a footer that hold the elements of the schema: between the root's name and the last column's. */
function schemaBytes(file: Buffer): { readonly from: number; readonly to: number } {
  const footer = file.length - 8 - file.readUInt32LE(file.length - 8);
  const last = file.indexOf("\x18\x03key", footer, "latin1");
  return { from: footer, to: last + 7 };
}

describe("a file of this package whose schema was changed is refused", () => {
  const rows = { none: [], one: [ROW], nulls: [ROW, ROW.map(() => null), ROW.map((cell, i) => (i % 2 ? cell : null))] };

  it.each(["none", "one", "nulls"] as const)("in any byte, with any value: %s", async (name) => {
    const sound = await ownFile(rows[name]);
    const wanted = await contents(sound);
    expect(wanted).toBeDefined();
    const { from, to } = schemaBytes(sound);
    expect(to - from).toBeGreaterThan(100);
    for (let at = from; at < to; at += isWhole ? 1 : 7) {
      for (const change of [1, 2, 4, 6, 8, 16, 30, 64, 128, 255]) {
        const file = Buffer.from(sound);
        file[at] ^= change;
        const found = await contents(file);
        if (found !== undefined) expect(found, `byte ${at - from} changed by ${change}`).toBe(wanted);
      }
    }
  });

  it("every other converted type of a decimal", async () => {
    const sound = await ownFile([ROW]);
    for (let type = 0; type < 256; type++) {
      if (type === 5) continue;
      expect(await contents(changedFooter(sound, ["field_2", 2, "field_6"], type)), String(type)).toBe(undefined);
    }
    expect(await contents(changedFooter(sound, ["field_2", 2, "field_6"], 5))).toBe(await contents(sound));
  });
});

describe("types of columns of other writers", () => {
  /** A file of one column of the integers 1 and 2, of 64 bits, declared as this. */
  const declared = (element: Partial<SchemaElement>): Uint8Array =>
    fileOfPages(
      {
        schema: [
          { name: "root", num_children: 1 },
          { name: "x", type: "INT64", repetition_type: "REQUIRED", ...element },
        ],
        rows: 2,
      },
      [
        {
          path: ["x"],
          type: "INT64",
          slots: 2,
          definitions: [],
          repetitions: [],
          maxDefinition: 0,
          maxRepetition: 0,
          values: int64Bytes([1n, 2n]),
        },
      ],
    );

  it.each<[string, Partial<SchemaElement>]>([
    ["text", { converted_type: "UTF8" }],
    ["a list", { converted_type: "LIST" }],
    ["a date", { converted_type: "DATE" }],
    ["a time of 32 bits", { converted_type: "TIME_MILLIS" }],
    ["an integer of 32 bits", { converted_type: "INT_32" }],
    [
      "a decimal and an integer",
      { converted_type: "INT_64", logical_type: { type: "DECIMAL", precision: 9, scale: 2 } },
    ],
    [
      "two units of time",
      {
        converted_type: "TIMESTAMP_MILLIS",
        logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MICROS" },
      },
    ],
    ["an identifier", { logical_type: { type: "UUID" } }],
    ["a decimal with a scale above its digits", { converted_type: "DECIMAL", precision: 3, scale: 4 }],
  ])("that contradict one another are refused: %s", async (_, element) => {
    await expect(readParquet(declared(element))).rejects.toMatchObject({
      code: "BadParquet",
      message: expect.stringContaining('column "x"'),
    });
  });

  it.each<[string, Partial<SchemaElement>, string]>([
    ["no type", {}, "1"],
    [
      "the same in both",
      { converted_type: "INT_64", logical_type: { type: "INTEGER", bitWidth: 64, isSigned: true } },
      "1",
    ],
    ["a decimal", { converted_type: "DECIMAL", precision: 9, scale: 2 }, "0.01"],
  ])("that agree are read: %s", async (_, element, text) => {
    expect(textsOf(await readParquet(declared(element)))[0]).toEqual([text]);
  });

  it("that are newer than this package are refused where they are read", async () => {
    for (const [path, value] of [
      [["field_2", 1, "field_6"], 99],
      [["field_2", 1, "field_10"], { field_99: {} }],
    ] as const) {
      await expect(readParquet(changedFooter(declared({}), path, value))).rejects.toMatchObject({
        code: "UnsupportedParquet",
        message: expect.stringContaining("unknown"),
        hint: expect.stringContaining("columns"),
      });
    }
  });
});
