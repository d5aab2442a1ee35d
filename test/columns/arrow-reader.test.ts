import { tableFromIPC } from "apache-arrow";
import { describe, expect, it } from "vitest";
import { DataType, Table, Vector } from "../../src/columns/arrow/arrow.js";
import { vectorToStrings } from "../../src/columns/arrow/vector-values.js";
import type { FlatTable } from "../../src/columns/ipc/read/flat-table.js";
import { type Message, readMessage } from "../../src/columns/ipc/read/message.js";
import { tableFromIPCBytes } from "../../src/columns/ipc/read/read.js";
import { fromBytes } from "../../src/columns/ipc/read/reading.js";
import { splitStreams } from "../../src/columns/ipc/read/stream-reader.js";
import { tableToIPCBytes, tableToIPCFileBytes } from "../../src/columns/ipc/stream.js";
import { Frame } from "../../src/index.js";
import { frameOfIPC } from "../frame-of-ipc.js";
import { arrowCorpus, changingDictionaries, otherTypes, serviceTypes, smallStream } from "../fuzz/arrow-corpus.js";
import { textsOf, useFrame } from "../fuzz/use-frame.js";

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

function messagesIn(bytes: Uint8Array): Message[] {
  const found: Message[] = [];
  for (let at = 0; ; ) {
    const message = fromBytes(readMessage(at, bytes.length), bytes);
    if (message.kind === "end") return found;
    found.push(message);
    at = message.end;
  }
}

describe("well-formed streams and files", () => {
  it.each(arrowCorpus().map((bytes, i) => [i, bytes] as const))(
    "number %i is the table the Arrow library reads",
    (_, bytes) => {
      const frame = frameOfIPC(bytes);
      const theirs = tableFromIPC(bytes);
      expect(frame.numRows).toBe(theirs.numRows);
      expect(String(tableFromIPCBytes(bytes).schema)).toBe(String(theirs.schema).replace("null:", ":"));
      const texts = theirs.schema.fields.map((_, i) =>
        vectorToStrings(new Vector(theirs.batches.map(({ data }) => data.children[i] as never))),
      );
      expect(textsOf(frame)).toEqual(texts);
      useFrame(frame);
    },
  );

  it("buffers are views of the bytes, and copies where the bytes are not aligned", () => {
    const bytes = tableToIPCBytes(otherTypes(1));
    const table = tableFromIPCBytes(bytes);
    for (const { valueOffsets, values } of table.batches[0].data.children) {
      for (const view of [valueOffsets, values]) if (view?.byteLength > 0) expect(view.buffer).toBe(bytes.buffer);
    }
    const texts = textsOf(frameOfIPC(bytes));
    for (let shift = 1; shift < 8; shift++) {
      const shifted = new Uint8Array(bytes.length + 8).subarray(shift, shift + bytes.length);
      shifted.set(bytes);
      expect(textsOf(frameOfIPC(shifted))).toEqual(texts);
      expect(textsOf(frameOfIPC(Buffer.from(shifted.buffer, shift, bytes.length)))).toEqual(texts);
    }
  });

  it("a stream without continuation marks, as before Arrow 0.15, is read", () => {
    const bytes = smallStream();
    const parts = messagesIn(bytes).map(({ at, end }) => bytes.subarray(at + 4, end));
    const old = new Uint8Array(Buffer.concat([...parts, new Uint8Array(4)]));
    expect(textsOf(frameOfIPC(old))).toEqual(textsOf(frameOfIPC(bytes)));
  });

  it("batches keep the dictionary they had, through deltas and replacements", () => {
    const table = tableFromIPCBytes(changingDictionaries());
    expect(table.batches.map((batch) => (batch.data.children[0].dictionary as Vector).length)).toEqual([2, 3, 3]);
    expect(Frame.from(table).column("t").toStrings()).toEqual(["a", "b", "b", "c", "a", "z", "y", "x"]);
  });

  it("nulls that were not counted are counted", () => {
    const bytes = smallStream();
    expect(viewOf(bytes).getInt32(736, true)).toBe(1);
    viewOf(bytes).setBigInt64(736, -1n, true);
    expect(frameOfIPC(bytes).column("t").nullCount).toBe(1);
  });
});

describe("slices of every layout, written and read again", () => {
  const whole = Frame.from(otherTypes(3));
  const texts = textsOf(whole);
  it.each([
    [1, 4],
    [4, 11],
    [7, 8],
    [15, 15],
  ])("rows %i to %i", (start, end) => {
    const expected = texts.map((column) => column.slice(start, end));
    const slice = whole.slice(start, end);
    expect(textsOf(slice)).toEqual(expected);
    expect(textsOf(frameOfIPC(slice.toIPC()))).toEqual(expected);
    expect(textsOf(frameOfIPC(tableToIPCFileBytes(slice.table)))).toEqual(expected);
  });
});

describe("several streams one after the other", () => {
  const [one, two] = [smallStream(), tableToIPCBytes(otherTypes(1, ["words", "list"]))];
  const rows = (streams: readonly Uint8Array[]) => streams.map((stream) => textsOf(frameOfIPC(stream)));
  const expected = rows([one, two, one]);

  it("are split at their end marks", () => {
    const streams = splitStreams(new Uint8Array(Buffer.concat([one, two, one])));
    expect(streams.map(({ length }) => length)).toEqual([one.length, two.length, one.length]);
    expect(rows(streams)).toEqual(expected);
  });

  it("are split before a schema where they have no end marks", () => {
    const parts = [one, two, one].map((stream) => stream.subarray(0, -8));
    expect(rows(splitStreams(new Uint8Array(Buffer.concat(parts))))).toEqual(expected);
  });

  it("may be one or none", () => {
    expect(splitStreams(one)).toEqual([one]);
    expect(splitStreams(new Uint8Array(0))).toEqual([]);
  });

  it("are refused where they are truncated or damaged", () => {
    const both = new Uint8Array(Buffer.concat([one, two]));
    expect(() => splitStreams(both.subarray(0, -20))).toThrow(expect.objectContaining({ code: "BadArrow" }));
    expect(() => splitStreams(Buffer.concat([one, Uint8Array.of(1, 2, 3)]))).toThrow(/3 bytes are left/);
  });
});

/** The widths of the numbers in each buffer of a column, in the format's order; 1 where bytes have no order. */
const BUFFERS: Readonly<Record<string, readonly (readonly number[])[]>> = {
  list: [[1], [4], [1], [4]],
  lists: [[1], [8], [1], [4], [1], [4], [1]],
  fixed: [[1], [1], [4]],
  struct: [[1], [1], [4], [1], [4], [1]],
  map: [[1], [4], [1], [1], [4], [1], [1], [4]],
  large: [[1], [8], [1]],
  binary: [[1], [4], [1]],
  bytes: [[1], [1]],
  time: [[1], [8]],
  stamp: [[1], [8]],
  small: [[1], [1]],
  flag: [[1], [1]],
  words: [[1], [2]],
  numbers: [[1], [1]],
  interval: [[1], [4, 4, 8]],
  dense: [[1], [4], [1], [4], [1], [4], [1]],
  sparse: [[1], [1], [4], [1], [4], [1]],
  c1: [[1], [4]],
  c3: [[1], [16]],
  c4: [[1], [32]],
  c6: [[1], [8]],
};
/** The buffers of the dictionaries of those that have one. */
const DICTIONARIES: Readonly<Record<string, readonly (readonly number[])[]>> = {
  words: [[1], [4], [1]],
  numbers: [[1], [8]],
};

/**
 * The same stream of one column, declared big-endian. The library leaves the byte order out, the default being
 * little-endian: a list of fields behind the schema's metadata has it in, where the number of columns, 1, serves as the
 * byte order.
 */
function declaredBigEndian(stream: Uint8Array): Uint8Array {
  const { at } = messagesIn(stream)[0].header;
  const end = messagesIn(stream)[0].end;
  const fields = new Uint8Array(Uint16Array.of(8, 12, 8, 4).buffer);
  const bytes = new Uint8Array(Buffer.concat([stream.subarray(0, end), fields, stream.subarray(end)]));
  const view = viewOf(bytes);
  expect(view.getInt32(at + 8, true)).toBe(1);
  view.setInt32(4, view.getInt32(4, true) + fields.length, true);
  view.setInt32(at, at - end, true);
  return bytes;
}

/** A stream of one column as a big-endian machine writes it. */
function bigEndian(stream: Uint8Array, name: string): Uint8Array {
  const bytes = declaredBigEndian(stream);
  for (const { kind, header, bodyAt } of messagesIn(bytes).slice(1)) {
    const regions = (kind === "batch" ? header : (header.table(1) as FlatTable)).structs(2, 16);
    const widths = (kind === "batch" ? BUFFERS : DICTIONARIES)[name];
    expect(regions.count).toBe(widths.length);
    widths.forEach((numbers, i) => {
      const end = bodyAt + regions.int64(i, 0) + regions.int64(i, 8);
      let at = bodyAt + regions.int64(i, 0);
      for (let k = 0; at < end; k++) {
        const width = numbers[k % numbers.length];
        bytes.subarray(at, at + width).reverse();
        at += width;
      }
    });
  }
  return bytes;
}

describe("big-endian streams have the cells of little-endian ones", () => {
  const tables = Object.keys(BUFFERS).map((name) => {
    const table = name.startsWith("c") ? Frame.from(serviceTypes()).select(name).table : otherTypes(1, [name]);
    return [name, tableToIPCBytes(table)] as const;
  });

  it.each(tables)("%s", (name, little) => {
    const big = bigEndian(little, name);
    const frame = frameOfIPC(big);
    expect(textsOf(frame)).toEqual(textsOf(frameOfIPC(little)));
    useFrame(frame);
  });

  it("views", () => {
    const little = tableToIPCBytes(otherTypes(1, ["view"]));
    const texts = textsOf(frameOfIPC(little));
    const big = declaredBigEndian(little);
    const [, { header, bodyAt }] = messagesIn(big);
    const regions = header.structs(2, 16);
    const views = big.subarray(bodyAt + regions.int64(1, 0)).subarray(0, regions.int64(1, 8));
    for (let at = 0; at < views.length; at += 16) {
      const isLong = viewOf(views).getInt32(at, true) > 12;
      views.subarray(at, at + 4).reverse();
      if (!isLong) continue;
      views.subarray(at + 8, at + 12).reverse();
      views.subarray(at + 12, at + 16).reverse();
    }
    expect(textsOf(frameOfIPC(big))).toEqual(texts);
  });
});

it("a table of no batches has its columns", () => {
  const empty = new Table(serviceTypes().schema, []);
  for (const bytes of [tableToIPCBytes(empty), tableToIPCFileBytes(empty)]) {
    const frame = frameOfIPC(bytes);
    expect([frame.numRows, frame.columns]).toEqual([0, Frame.from(serviceTypes()).columns]);
    expect(frame.table.schema.fields.every(({ type }) => type instanceof DataType)).toBe(true);
    useFrame(frame);
  }
});
