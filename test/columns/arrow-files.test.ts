import {
  Data,
  type DataType,
  Field,
  LargeUtf8,
  RecordBatch,
  Schema,
  Struct,
  Table,
  tableFromArrays,
  tableToIPC,
  Utf8,
  Utf8View,
} from "apache-arrow";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { tableFromIPCBytes } from "../../src/columns/ipc/read/read.js";
import { readParquet } from "../../src/columns/parquet/read/read.js";
import { forAll } from "../support/for-all.js";
import { runs } from "../support/whole.js";
import { fileOfPages, int32Bytes } from "./parquet-pages.js";

/** The position of the version of a flatbuffer's root table, and of its entry in the list of fields. */
function versionAt(file: Buffer, start: number): { readonly value: number; readonly entry: number } {
  const root = start + file.readUInt32LE(start);
  const entry = root - file.readInt32LE(root) + 4;
  return { value: root + file.readUInt16LE(entry), entry };
}

/** The same file with another version in each message, and in its footer; `none` leaves that of the footer out. */
function versioned(sound: Uint8Array, messages: number, footer: number | "none"): Buffer {
  const file = Buffer.from(sound);
  const footerAt = file.length - 10 - file.readInt32LE(file.length - 10);
  for (let at = 8; at < footerAt; ) {
    const length = file.readInt32LE(at + 4);
    if (length === 0) break;
    const { value } = versionAt(file, at + 8);
    expect(file.readInt16LE(value)).toBe(4);
    file.writeInt16LE(messages, value);
    const root = at + 8 + file.readUInt32LE(at + 8);
    const body = file.readUInt16LE(root - file.readInt32LE(root) + 4 + 2 * 3);
    at += 8 + length + (body === 0 ? 0 : Number(file.readBigInt64LE(root + body)));
  }
  const { value, entry } = versionAt(file, footerAt);
  if (footer === "none") file.writeUInt16LE(0, entry);
  else file.writeInt16LE(footer, value);
  return file;
}

describe("the metadata version of a file", () => {
  const table = tableFromArrays({ a: Int32Array.of(1, 2, 3), t: ["x", "y", "x"] });
  const sound = tableToIPC(table, "file");
  const V4 = 3;
  const V5 = 4;

  it.each([
    [V4, V5],
    [V5, V4],
    [V4, V4],
    [V5, "none"],
    [V4, "none"],
  ] as const)("messages of %i and a footer of %s are read", (messages, footer) => {
    const read = tableFromIPCBytes(versioned(sound, messages, footer));
    expect(JSON.stringify(read.toArray())).toBe(JSON.stringify(table.toArray()));
  });

  it.each([
    [1, "none"],
    [V5, 1],
    [V5, 9],
    [9, V5],
  ] as const)("messages of %i and a footer of %s are refused", (messages, footer) => {
    expect(() => tableFromIPCBytes(versioned(sound, messages, footer))).toThrow(/metadata of/);
  });
});

describe("text that is not UTF-8", () => {
  /** Bytes of a text: valid ones, parts of characters, and bytes that are none. */
  const part = fc
    .constantFrom("a", "é", "€", "😀", "\xc3", "\xa9", "\xff", "\xe2\x82", "")
    .map((text) => (/^[\x80-\xff]+$/.test(text) && text !== "é" ? Buffer.from(text, "latin1") : Buffer.from(text)));
  const cell = fc.option(
    fc.array(part, { maxLength: 12 }).map((parts) => Buffer.concat(parts)),
    { freq: 6 },
  );

  function fileOf(type: DataType, cells: readonly (Buffer | null)[]): Uint8Array {
    const bits = new Uint8Array(8);
    for (const [i, one] of cells.entries()) if (one !== null) bits[i >> 3] |= 1 << (i & 7);
    const nullCount = cells.filter((one) => one === null).length;
    // A null may have any bytes.
    const bytes = cells.map((one) => one ?? Buffer.from([0xff]));
    const ends = bytes.map(
      (
        (sum) => (one: Buffer) =>
          (sum += one.length)
      )(0),
    );
    const data =
      type.typeId === new Utf8View().typeId
        ? views(type, bytes, bits, nullCount)
        : new Data(type, 0, cells.length, nullCount, [
            (type as Utf8).typeId === new Utf8().typeId
              ? Int32Array.of(0, ...ends)
              : BigInt64Array.from([0, ...ends], BigInt),
            new Uint8Array(Buffer.concat(bytes)),
            bits,
          ] as never);
    const schema = new Schema([new Field("t", type, true)]);
    const batch = new RecordBatch(
      schema,
      new Data(new Struct(schema.fields), 0, cells.length, 0, [] as never, [data]) as never,
    );
    return tableToIPC(new Table(schema, [batch]), "stream");
  }

  function views(type: DataType, bytes: readonly Buffer[], bits: Uint8Array, nullCount: number): Data {
    const all = Buffer.alloc(16 * bytes.length);
    let at = 0;
    for (const [i, one] of bytes.entries()) {
      all.writeInt32LE(one.length, 16 * i);
      if (one.length <= 12) one.copy(all, 16 * i + 4);
      else {
        one.copy(all, 16 * i + 4, 0, 4);
        all.writeInt32LE(at, 16 * i + 12);
      }
      at += one.length;
    }
    const buffers = [undefined, new Uint8Array(all), bits] as never;
    const heap = new Uint8Array(Buffer.concat([...bytes]));
    return new Data(type, 0, bytes.length, nullCount, buffers, [], undefined, [heap]);
  }

  it.each([new Utf8(), new LargeUtf8(), new Utf8View()])("%s of any bytes is refused, or read as it is", (type) => {
    let refused = 0;
    const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    forAll(runs(200), fc.array(cell, { minLength: 1, maxLength: 20 }), (cells) => {
      const file = fileOf(type, cells);
      let wanted: (string | null)[];
      try {
        wanted = cells.map((one) => (one === null ? null : strict.decode(one)));
      } catch {
        refused++;
        expect(() => tableFromIPCBytes(file)).toThrow(/not UTF-8/);
        return;
      }
      expect(tableFromIPCBytes(file).getChildAt(0)?.toJSON()).toEqual(wanted);
    });
    expect(refused).toBeGreaterThan(runs(20));
  });
});

it("a map of Parquet without values is a list of its keys", async () => {
  const file = fileOfPages(
    {
      schema: [
        { name: "root", num_children: 1 },
        { name: "m", repetition_type: "OPTIONAL", converted_type: "MAP", num_children: 1 },
        { name: "key_value", repetition_type: "REPEATED", num_children: 1 },
        { name: "key", type: "INT32", repetition_type: "REQUIRED" },
      ],
      rows: 3,
    },
    [
      {
        path: ["m", "key_value", "key"],
        type: "INT32",
        slots: 4,
        repetitions: [0, 1, 0, 0],
        definitions: [2, 2, 1, 0],
        maxDefinition: 2,
        maxRepetition: 1,
        values: int32Bytes([7, 8]),
      },
    ],
  );
  const table = await readParquet(file);
  expect(String(table.schema.fields[0].type)).toBe("List<Int64>");
  expect([...(table.getChildAt(0) ?? [])].map((cell) => cell && [...cell].map(Number))).toEqual([[7, 8], [], null]);
});
