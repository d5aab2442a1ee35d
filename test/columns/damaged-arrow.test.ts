import { tableFromIPC } from "apache-arrow";
import { describe, expect, it } from "vitest";
import type { Data } from "../../src/columns/arrow/arrow.js";
import type { FlatTable } from "../../src/columns/ipc/read/flat-table.js";
import { type Message, readMessage } from "../../src/columns/ipc/read/message.js";
import { tableFromIPCBytes } from "../../src/columns/ipc/read/read.js";
import { fromBytes } from "../../src/columns/ipc/read/reading.js";
import { tableToIPCBytes, tableToIPCFileBytes } from "../../src/columns/ipc/stream.js";
import { DataError, isArrowbookError } from "../../src/errors/errors.js";
import type { Frame } from "../../src/index.js";
import { frameOfIPC } from "../frame-of-ipc.js";
import { changingDictionaries, otherTypes, serviceTypes, smallStream } from "../fuzz/arrow-corpus.js";
import { AWKWARD_INT32 } from "../fuzz/mutate.js";
import { textsOf, useFrame } from "../fuzz/use-frame.js";
import { isWhole, runs } from "../support/whole.js";

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** A copy with 32-bit integers written at byte offsets. */
function withInts(bytes: Uint8Array, ints: Readonly<Record<number, number>>): Uint8Array {
  const copy = bytes.slice();
  for (const [at, value] of Object.entries(ints)) viewOf(copy).setInt32(Number(at), value, true);
  return copy;
}

/** The error of reading bytes. */
function errorOf(bytes: Uint8Array): DataError {
  let frame: Frame;
  try {
    frame = frameOfIPC(bytes);
  } catch (error) {
    if (error instanceof DataError) return error;
    throw error;
  }
  throw new Error(`${frame.numRows} rows were read`);
}

/** Frames that were used already, by their columns and cells. */
const used = new Set<string>();

/** The frame of bytes that are read; none where they are refused. Throws where they are neither refused nor usable. */
function outcomeOf(bytes: Uint8Array): { readonly frame?: Frame } {
  let frame: Frame;
  try {
    frame = frameOfIPC(bytes);
  } catch (error) {
    if (!isArrowbookError(error)) throw error;
    return {};
  }
  const seen = `${frame.table.schema} ${JSON.stringify(textsOf(frame))}`;
  if (!used.has(seen)) useFrame(frame);
  used.add(seen);
  return { frame };
}

/** The messages of a stream, or those of a file before its footer. */
function messagesIn(bytes: Uint8Array, from = 0): Message[] {
  const found: Message[] = [];
  for (let at = from; ; ) {
    const message = fromBytes(readMessage(at, bytes.length), bytes);
    if (message.kind === "end") return found;
    found.push(message);
    at = message.end;
  }
}

const NODES = 1;
const BUFFERS = 2;

/** Offsets of the lengths and null counts, and of the places and lengths of buffers, of every batch and dictionary. */
function placesOf(bytes: Uint8Array, from = 0): { readonly nodes: number[]; readonly buffers: number[] } {
  const headers = messagesIn(bytes, from)
    .filter(({ kind }) => kind !== "schema")
    .map(({ kind, header }) => (kind === "batch" ? header : (header.table(1) as FlatTable)));
  const all = (field: number) =>
    headers.flatMap((header) => {
      const structs = header.structs(field, 16);
      return Array.from({ length: structs.count }, (_, i) => structs.at(i));
    });
  return { nodes: all(NODES), buffers: all(BUFFERS) };
}

describe("the small stream", () => {
  const B = smallStream();

  it("is the one whose bytes are named here", () => {
    expect(B.length).toBe(824);
    expect([...frameOfIPC(B).rows()]).toEqual([
      { t: "ab", n: 1 },
      { t: null, n: 2 },
      { t: "cde", n: null },
    ]);
  });

  it.each<[ints: Record<number, number>, message: RegExp]>([
    [{ 640: 9 }, /column "t" of batch 0 has 3 rows where there are 9/],
    [{ 640: 1_000_000 }, /column "t" of batch 0 has 3 rows where there are 1000000/],
    [{ 640: 2 }, /column "t" of batch 0 has 3 rows where there are 2/],
    [{ 640: 9, 728: 9, 744: 9 }, /column "t" of batch 0 needs 36 bytes, its buffer has 16|validity/],
    [{ 4: 0 }, /816 bytes follow the end mark/],
    [{ 4: -1 }, /declares -1 bytes of metadata/],
    [{ 0: 0 }, /820 bytes follow the end mark/],
    [{ 44: 1 }, /a list of \d+ items is outside the metadata of 352 bytes/],
    [{ 84: 1 }, /a list of \d+ items is outside the metadata/],
    [{ 116: 0x7fff_ffff }, /a list of 2147483647 items is outside the metadata/],
    [{ 168: 1 }, /outside the metadata of 352 bytes/],
    [{ 168: 0x7fff_ffff }, /a list of 2147483647 items/],
    [{ 252: 0x7fff_ffff }, /a list of 2147483647 items/],
    [{ 468: 0x7fff_ffff }, /a list of 2147483647 items/],
    [{ 652: 0x7fff_ffff }, /a list of 2147483647 items/],
    [{ 724: 0x7fff_ffff }, /a list of 2147483647 items/],
    [{ 468: 1 }, /dictionary 0 has a missing buffer; there are 1/],
    [{ 652: 1 }, /column "t" of batch 0 has a missing buffer; there are 1/],
    [{ 724: 1 }, /column "n" of batch 0 is missing; there are 1 columns/],
    [{ 620: -1 }, /outside the metadata of 184 bytes/],
    [{ 644: 1 }, /column "t" of batch 0 has 3 rows where there are 4294967299/],
    [{ 704: -1 }, /batch 0 declares buffer 3 as bytes 4294967295 to 4294967319 of a body of 56/],
    [{ 412: 0 }, /dictionary 0 has metadata of version 1, the schema of 5/],
    [{ 548: 65_536 }, /dictionary 0 has row 0 from 0 to 65536 of 8 bytes/],
    [{ 736: 0 }, /column "t" of batch 0 declares 0 nulls, its validity has 1/],
    [{ 736: 4 }, /column "t" of batch 0 declares 4 nulls in 3 rows/],
    [{ 776: 2 }, /column "t" of batch 0 has index 2 in row 2, its dictionary 0 has 2 values/],
    [{ 776: -1 }, /column "t" of batch 0 has index -1 in row 2/],
  ])("%j is refused: %s", (ints, message) => {
    const error = errorOf(withInts(B, ints));
    expect(error.code).toBe("BadArrow");
    expect(error.message).toMatch(message);
    expect(error.message).toContain(`at byte ${error.offset}`);
    expect(error.hint).toBeDefined();
  });

  it("names the column and the row", () => {
    expect(errorOf(withInts(B, { 776: 2 }))).toMatchObject({ column: "t", row: 2, offset: 776 });
  });

  it("each byte set to other values is refused or gives a frame that works", () => {
    let read = 0;
    for (let at = 0; at < B.length; at += isWhole ? 1 : 13) {
      for (const value of [0, 1, 4, 0x7f, 0x80, 0xff, B[at] ^ 1, B[at] + 1]) {
        if (value === B[at]) continue;
        const bytes = B.slice();
        bytes[at] = value;
        if (outcomeOf(bytes).frame !== undefined) read++;
      }
    }
    expect(read).toBeGreaterThan(runs(500));
  });

  it("each 32-bit integer set to awkward values is refused or gives a frame that works", () => {
    for (let at = 0; at < B.length; at += isWhole ? 4 : 52)
      for (const value of AWKWARD_INT32) outcomeOf(withInts(B, { [at]: value }));
  });

  it("a changed integer in the metadata of a batch is refused or changes no cell", () => {
    const texts = textsOf(frameOfIPC(B));
    for (const { kind, at, metadataLength } of messagesIn(B)) {
      if (kind === "schema") continue;
      for (let place = at; place < at + metadataLength; place += isWhole ? 4 : 12) {
        for (const value of AWKWARD_INT32) {
          const { frame } = outcomeOf(withInts(B, { [place]: value }));
          if (frame !== undefined) expect([place, value, textsOf(frame)]).toEqual([place, value, texts]);
        }
      }
    }
  });
});

/** Streams, and where their first message is. */
const STREAMS: readonly (readonly [name: string, bytes: Uint8Array, from: number])[] = [
  ["the service's types", tableToIPCBytes(serviceTypes()), 0],
  ["other types", tableToIPCBytes(otherTypes(2)), 0],
  ["changing dictionaries", changingDictionaries(), 0],
  ["a file", tableToIPCFileBytes(otherTypes(2, ["list", "struct", "words", "view"])), 8],
];

describe.each(STREAMS)("%s", (_, bytes, from) => {
  const texts = textsOf(frameOfIPC(bytes));
  const { nodes, buffers } = placesOf(bytes, from);

  it("a length that is one off is refused", () => {
    expect(nodes.length).toBeGreaterThan(2);
    for (const at of nodes) {
      const length = viewOf(bytes).getInt32(at, true);
      for (const wrong of [length + 1, length - 1, 2 * length + 1, 0x7fff_ffff, -1].slice(0, runs(5, 3))) {
        const { frame } = outcomeOf(withInts(bytes, { [at]: wrong }));
        // Rows beyond the last that a dense union or a list leads to may be left out without a trace.
        if (frame !== undefined) expect([at, wrong, textsOf(frame)]).toEqual([at, wrong, texts]);
      }
      expect(() => outcomeOf(withInts(bytes, { [at + 4]: 1 }))).not.toThrow();
    }
  });

  it("a count of nulls that is one off is refused", () => {
    for (const node of nodes) {
      const at = node + 8;
      const count = viewOf(bytes).getInt32(at, true);
      for (const wrong of [count + 1, count - 1, -2, 0x7fff_ffff]) {
        const { frame } = outcomeOf(withInts(bytes, { [at]: wrong }));
        // Unions have no nulls of their own, and in a column of nulls there is nothing to count.
        if (frame !== undefined) expect([at, wrong, textsOf(frame)]).toEqual([at, wrong, texts]);
      }
    }
  });

  it("a buffer in another place or of another length is refused or changes no cell", () => {
    for (const buffer of buffers) {
      for (const [at, by] of [0, 8].flatMap((field) =>
        (isWhole ? [-64, -8, 8, 64] : [-8, 64]).map((step) => [buffer + field, step] as const),
      )) {
        const wrong = viewOf(bytes).getInt32(at, true) + by;
        const { frame } = outcomeOf(withInts(bytes, { [at]: wrong }));
        if (frame !== undefined) expect([at, by, textsOf(frame)]).toEqual([at, by, texts]);
      }
    }
  });

  it("every cut is refused, but for those of a stream between two messages", () => {
    const ends = new Set(from === 0 ? messagesIn(bytes).map(({ end }) => end) : []);
    const step = isWhole ? (bytes.length > 5000 ? 7 : 1) : 29;
    for (let length = 0; length < bytes.length; length += step) {
      if (ends.has(length)) continue;
      // The end mark itself may be missing, not half of it.
      expect(errorOf(bytes.slice(0, length)).code, `${length}`).toBe("BadArrow");
    }
    for (const end of ends) {
      const { frame } = outcomeOf(bytes.slice(0, end));
      if (frame !== undefined)
        expect(textsOf(frame).map((column, i) => texts[i].slice(0, column.length))).toEqual(textsOf(frame));
    }
  });
});

/** Damages the values of one column through its own buffers, which are views of the bytes. */
function damaged(name: string, damage: (data: Data) => void): DataError {
  const bytes = tableToIPCBytes(otherTypes(1, [name]));
  const table = tableFromIPCBytes(bytes);
  damage(table.batches[0].data.children[0] as never);
  return errorOf(bytes);
}

describe("values that lead outside their column", () => {
  it.each<[name: string, damage: (data: Data) => void, message: RegExp]>([
    ["list", (data) => data.valueOffsets.set([13], 5), /column "list" of batch 0 has row 4 from \d+ to 13 of 12 items/],
    ["list", (data) => data.valueOffsets.set([5, 3], 2), /column "list" of batch 0 has row 2 from 5 to 3 of 12 items/],
    ["list", (data) => data.valueOffsets.set([-1], 0), /column "list" of batch 0 has row 0 from -1/],
    ["lists", (data) => (data.valueOffsets as unknown as BigInt64Array).set([2n ** 40n], 5), /to 1099511627776 of/],
    ["lists", (data) => data.children[0].valueOffsets.set([99], 1), /column "lists"."item" of batch 0 has row 0/],
    [
      "large",
      (data) => (data.valueOffsets as unknown as BigInt64Array).set([-1n], 1),
      /column "large" of batch 0 has row 0/,
    ],
    ["binary", (data) => data.valueOffsets.set([1000], 3), /column "binary" of batch 0 has row 2 from 2 to 1000/],
    ["map", (data) => data.valueOffsets.set([9], 5), /column "map" of batch 0/],
    ["view", (data) => viewOf(data.values).setInt32(3 * 16, 99, true), /column "view" of batch 0 has a view in row 3/],
    [
      "view",
      (data) => viewOf(data.values).setInt32(3 * 16 + 8, 5, true),
      /a view in row 3 that points outside its buffers/,
    ],
    ["view", (data) => viewOf(data.values).setInt32(3 * 16 + 12, -1, true), /a view in row 3/],
    ["view", (data) => viewOf(data.values).setUint8(3 * 16 + 4, 0x20), /a view in row 3/],
    ["view", (data) => viewOf(data.values).setInt32(0, -5, true), /a view in row 0/],
    ["words", (data) => data.values.set([2], 4), /index 2 in row 4, its dictionary 0 has 2 values/],
    ["numbers", (data) => data.values.set([-1], 0), /index -1 in row 0, its dictionary 0 has 2 values/],
    ["dense", (data) => data.typeIds.set([4], 1), /column "dense" of batch 0 has a row 1 of type 4/],
    ["dense", (data) => data.valueOffsets.set([3], 0), /a row 0 of type 3 at offset 3, which no child has/],
    ["dense", (data) => data.valueOffsets.set([-1], 0), /a row 0 of type 3 at offset -1/],
    ["sparse", (data) => data.typeIds.set([-3], 2), /column "sparse" of batch 0 has a row 2 of type -3/],
  ])("%s: %s", (name, damage, message) => {
    const error = damaged(name, damage);
    expect(error.code).toBe("BadArrow");
    expect(error.message).toMatch(message);
  });
});

/** The messages of a stream as bytes, by their kind. */
function partsOf(stream: Uint8Array): Record<Message["kind"], Uint8Array[]> {
  const parts: Record<Message["kind"], Uint8Array[]> = { schema: [], dictionary: [], batch: [] };
  for (const { kind, at, end } of messagesIn(stream)) parts[kind].push(stream.subarray(at, end));
  return parts;
}

const END = Uint8Array.of(255, 255, 255, 255, 0, 0, 0, 0);

const joined = (...parts: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts));

describe("messages that do not fit each other", () => {
  const parts = (...names: string[]) => partsOf(tableToIPCBytes(otherTypes(1, names)));
  const { schema, dictionary, batch } = parts("words");
  const plain = parts("small");
  const two = parts("small", "flag");

  it.each<[what: string, bytes: Uint8Array, message: RegExp]>([
    ["a batch of fewer columns", joined(...two.schema, ...plain.batch, END), /column "flag" of batch 0 is missing/],
    ["a batch of more columns", joined(...plain.schema, ...two.batch, END), /batch 0 has 2 columns, its schema 1/],
    ["a batch of another type", joined(...parts("large").schema, ...plain.batch, END), /column "large" of batch 0/],
    ["a batch before the schema", joined(...plain.batch, END), /a batch precedes the schema/],
    ["no schema", END, /the stream ends before its schema/],
    ["a second schema", joined(...plain.schema, ...plain.batch, ...plain.schema, END), /a second schema follows/],
    ["two streams", joined(smallStream(), smallStream()), /824 bytes follow the end mark/],
    [
      "a dictionary that no column has",
      joined(...plain.schema, ...dictionary, END),
      /dictionary 0 is not in the schema/,
    ],
    ["a dictionary that is missing", joined(...schema, ...batch, END), /index 0 in row 0, its dictionary 0 is missing/],
    ["bytes after the end", joined(smallStream(), Uint8Array.of(1)), /1 bytes follow the end mark/],
    ["many zeros after the end", joined(smallStream(), new Uint8Array(8)), /8 bytes follow the end mark/],
  ])("%s", (_, bytes, message) => {
    const error = errorOf(bytes);
    expect(error.code).toBe("BadArrow");
    expect(error.message).toMatch(message);
  });

  it("values added to a dictionary that is missing", () => {
    const { schema: first, dictionary: all, batch: batches } = partsOf(changingDictionaries());
    expect(errorOf(joined(...first, all[1], batches[0])).message).toMatch(/dictionary 7, which is missing/);
  });

  it("a table without rows may lack its dictionary, and one of nulls too", () => {
    const empty = outcomeOf(joined(...schema, END)).frame;
    expect(empty?.numRows).toBe(0);
    expect(empty?.column("words").toStrings()).toEqual([]);
    const nulls = partsOf(tableToIPCBytes(otherTypes(1, ["words"])));
    const bytes = joined(...nulls.schema, ...nulls.batch, END);
    // Validity of no row at all: the bitmap is the batch's first buffer.
    const { nodes } = placesOf(bytes);
    viewOf(bytes).setInt32(nodes[0] + 8, 5, true);
    const [, message] = messagesIn(bytes);
    bytes[message.bodyAt] = 0;
    const frame = outcomeOf(bytes).frame;
    expect(frame?.column("words").toStrings()).toEqual([null, null, null, null, null]);
  });

  it("a stream without an end mark, or with padding after it, is read", () => {
    const whole = smallStream();
    const expected = textsOf(frameOfIPC(whole));
    expect(textsOf(frameOfIPC(whole.subarray(0, -8)))).toEqual(expected);
    expect(textsOf(frameOfIPC(joined(whole, new Uint8Array(4))))).toEqual(expected);
  });
});

describe("the footer of a file", () => {
  const file = tableToIPCFileBytes(otherTypes(3, ["words", "small"]));
  const length = viewOf(file).getInt32(file.length - 10, true);
  const start = file.length - 10 - length;
  const expected = textsOf(frameOfIPC(file));

  it("with any other integer is refused or gives a frame that works, with all its rows", () => {
    for (let at = start; at < file.length - 6; at += isWhole ? 2 : 14) {
      for (const value of AWKWARD_INT32) {
        const { frame } = outcomeOf(withInts(file, { [at]: value }));
        if (frame !== undefined) expect([at, value, frame.numRows]).toEqual([at, value, 15]);
      }
    }
  });

  it("is compared with the messages of the file", () => {
    const blocks = new Map<number, number>();
    for (const { at } of messagesIn(file, 8)) {
      for (let place = start; place < file.length - 16; place += 4) {
        if (viewOf(file).getInt32(place, true) === at && viewOf(file).getInt32(place + 4, true) === 0)
          blocks.set(at, place);
      }
    }
    expect(blocks.size).toBe(4);
    const [first, second] = [...blocks].slice(1);
    // The same batch twice; a batch at the place of a dictionary; a block whose size is another's.
    expect(errorOf(withInts(file, { [second[1]]: first[0] })).message).toMatch(/overlap/);
    const [[dictionary]] = blocks;
    expect(errorOf(withInts(file, { [second[1]]: dictionary })).message).toMatch(/overlap|where there is none/);
    const size = viewOf(file).getInt32(first[1] + 8, true);
    expect(errorOf(withInts(file, { [first[1] + 8]: size + 8 })).message).toMatch(
      /where no such message of that size is/,
    );
    const body = viewOf(file).getInt32(first[1] + 16, true);
    expect(errorOf(withInts(file, { [first[1] + 16]: body - 8 })).message).toMatch(/declares \d+ bytes of values/);
    // The number of blocks comes before the first of them.
    const count = [...blocks.values()][1] - 4;
    expect(viewOf(file).getInt32(count, true)).toBe(3);
    expect(errorOf(withInts(file, { [count]: 2 })).message).toMatch(/the footer omits a batch at byte \d+/);
    expect(errorOf(withInts(file, { [count]: 4 })).code).toBe("BadArrow");
    expect(errorOf(withInts(file, { [count]: 0x7fff_ffff })).message).toMatch(/a list of 2147483647 items/);
  });

  it("must be there", () => {
    expect(errorOf(withInts(file, { [file.length - 10]: 0x7fff_ffff })).message).toMatch(
      /a footer of 2147483647 bytes/,
    );
    expect(errorOf(file.subarray(0, -1)).message).toMatch(/does not end with "ARROW1"; it is truncated/);
  });

  it("a file is read as the table it was written from", () => {
    expect(expected[0].length).toBe(15);
  });
});

describe("rows that no buffer holds", () => {
  it("are bounded", () => {
    const bytes = tableToIPCBytes(otherTypes(1, ["nothing"]));
    const [, batch] = messagesIn(bytes);
    const length = batch.header.at;
    const { nodes } = placesOf(bytes);
    expect(frameOfIPC(bytes).numRows).toBe(5);
    const at = Array.from({ length: (batch.bodyAt - length) >> 2 }, (_, i) => length + 4 * i).find(
      (place) => place !== nodes[0] && viewOf(bytes).getInt32(place, true) === 5,
    ) as number;
    const rows = (count: number) => withInts(bytes, { [at]: count, [nodes[0]]: count, [nodes[0] + 8]: count });
    expect(frameOfIPC(rows(1_000_000)).numRows).toBe(1_000_000);
    expect(errorOf(rows(0x7fff_ffff)).message).toMatch(/declares 2147483647 rows that no bytes back/);
  });
});

describe("bytes of another format", () => {
  it.each<[bytes: string, message: RegExp, hint: RegExp]>([
    ["PAR1\x15\x04\x15\x10", /got a Parquet file/, /fromParquet/],
    ["PK\x03\x04\x14\0\0\0", /got a zip archive/, /fromZip/],
    ["\x1f\x8b\x08\0\0\0\0\0", /got gzip data/, /Decompress/],
    ["FEA1\0\0\0\0", /got a Feather file of version 1/, /Feather 2/],
    ['{"datatable":{}}', /begin with "\{\\"datatable\\":\{\}\}"/, /fromJSON/],
    ["ticker,close", /begin with "ticker,close"/, /Arrow/],
  ])("%j", (text, message, hint) => {
    const error = errorOf(new Uint8Array(Buffer.from(text, "latin1")));
    expect(error).toMatchObject({ code: "BadArrow", offset: 0 });
    expect(error.message).toMatch(/^Expected an Arrow stream or file; /);
    expect(error.message).toMatch(message);
    expect(error.hint).toMatch(hint);
  });
});

it("a column whose type lacks its table is refused, as the Arrow library does", () => {
  const refused: string[] = [];
  for (const bytes of [serviceTypes(), otherTypes(1)].map((table) => tableToIPCBytes(table))) {
    const [schema] = messagesIn(bytes);
    for (let at = 8; at < schema.end; at += 2) {
      const damaged = bytes.slice();
      damaged.fill(0, at, at + 2);
      try {
        tableFromIPC(damaged);
      } catch (error) {
        if (!(error instanceof TypeError) || !/^Cannot read properties of null/.test(error.message)) continue;
        refused.push(errorOf(damaged).message);
      }
    }
  }
  expect(refused.filter((message) => message.includes("without the table of its parameters")).length).toBeGreaterThan(
    2,
  );
});
