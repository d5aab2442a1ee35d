import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32, deflateRawSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { zipEntry } from "../../src/format/zip.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { zipBytes } from "./archive.js";

const folder = temporaryFolder("zip");

const text = async (source: string | Uint8Array, options = {}): Promise<string> => {
  const pieces: Uint8Array[] = [];
  for await (const chunk of (await zipEntry(source, options)).chunks()) pieces.push(new Uint8Array(chunk));
  return Buffer.concat(pieces).toString();
};

const csv = "ticker,date\nAAPL,2024-02-29\n";

it("reads the one CSV file, deflated or stored, from a path or from bytes, again and again", async () => {
  for (const method of [0, 8]) {
    const bytes = zipBytes([{ name: "SEP.csv", data: csv, method }]);
    const path = join(folder, `${method}.zip`);
    writeFileSync(path, bytes);
    const entry = await zipEntry(path);
    expect(entry).toMatchObject({ name: "SEP.csv", size: csv.length, crc32: crc32(csv) });
    expect(await text(path)).toBe(csv);
    expect(await text(bytes)).toBe(csv);
    for (let pass = 0; pass < 2; pass++) {
      const pieces: Uint8Array[] = [];
      for await (const chunk of entry.chunks()) pieces.push(new Uint8Array(chunk));
      expect(Buffer.concat(pieces).toString()).toBe(csv);
    }
  }
});

it("gives pieces of at most 1 MB, and closes the file when the reader stops early", async () => {
  const rows = Array.from({ length: 400_000 }, (_, i) => `row ${i},${(i * 2654435761) % 1e9}\n`).join("");
  const path = join(folder, "long.zip");
  writeFileSync(path, zipBytes([{ name: "a.csv", data: rows }]));
  const sizes: number[] = [];
  for await (const chunk of (await zipEntry(path)).chunks()) sizes.push(chunk.length);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(1 << 20);
  expect(sizes.length).toBeLessThan(24);
  for await (const chunk of (await zipEntry(path)).chunks()) {
    expect(chunk.length).toBeGreaterThan(0);
    break;
  }
});

it("sets directories and macOS side files aside", async () => {
  const bytes = zipBytes([
    { name: "out/", data: "" },
    { name: "out/SEP.csv", data: csv },
    { name: "__MACOSX/out/._SEP.csv", data: "junk" },
  ]);
  expect(await text(bytes)).toBe(csv);
});

it.each([
  ["no entry", [], "it has none"],
  [
    "two files",
    [
      { name: "a.csv", data: csv },
      { name: "b.csv", data: csv },
    ],
    'it has 2 files ("a.csv", "b.csv")',
  ],
  ["a link", [{ name: "a.csv", data: "../target", unixMode: 0o120777 }], 'it has a link or device ("a.csv")'],
  ["only a directory", [{ name: "a/", data: "" }], "it has none"],
])("row 29: exactly one regular file: %s", async (_, entries, message) => {
  await expect(zipEntry(zipBytes(entries))).rejects.toMatchObject({
    code: "ZipEntries",
    message: expect.stringContaining(message),
  });
});

it.each(["../evil.csv", "/etc/evil.csv", "C:/evil.csv"])(
  "row 29: a name that leaves the folder is refused: %s",
  async (name) => {
    await expect(zipEntry(zipBytes([{ name, data: csv }]))).rejects.toMatchObject({ code: "BadZip" });
  },
);

it("row 29: an archive inside the archive is refused", async () => {
  await expect(
    text(zipBytes([{ name: "a.zip", data: zipBytes([{ name: "a.csv", data: csv }]) }])),
  ).rejects.toMatchObject({
    code: "NestedZip",
  });
});

it("row 27: a wrong checksum is an error after the last byte", async () => {
  const bytes = zipBytes([{ name: "a.csv", data: csv, crc: crc32(csv) ^ 1 }]);
  await expect(text(bytes)).rejects.toMatchObject({ code: "BadChecksum", message: expect.stringContaining("a.csv") });
});

it.each([csv.length - 1, csv.length + 1, 0, csv.length + 2 ** 31])(
  "row 27: a wrong declared size is refused: %d",
  async (size) => {
    await expect(text(zipBytes([{ name: "a.csv", data: csv, size }]))).rejects.toMatchObject({
      code: size > 2 ** 20 ? "ZipBomb" : "BadZip",
    });
  },
);

it("row 26: every cut of an archive is refused", async () => {
  const bytes = zipBytes([{ name: "a.csv", data: csv }]);
  for (let length = 0; length < bytes.length; length++) {
    await expect(text(bytes.subarray(0, length))).rejects.toMatchObject({ name: "DataError" });
  }
});

it("row 27: every changed byte gives the right text or an error", async () => {
  const bytes = zipBytes([{ name: "a.csv", data: csv }]);
  for (let at = 0; at < bytes.length; at++) {
    const changed = Uint8Array.from(bytes);
    changed[at] ^= 0x55;
    const result = await text(changed).catch((error) => error);
    expect(result === csv || result.name === "DataError", `byte ${at}: ${result}`).toBe(true);
  }
});

it("row 30: a bomb of 1,000 to 1 is refused before it is inflated; the limit can be raised", async () => {
  const bytes = zipBytes([{ name: "a.csv", data: Buffer.alloc(16 << 20) }]);
  const start = process.memoryUsage().rss;
  await expect(text(bytes)).rejects.toMatchObject({
    code: "ZipBomb",
    message: expect.stringMatching(/grows \d+-fold/),
  });
  expect(process.memoryUsage().rss - start).toBeLessThan(64 << 20);
  expect((await text(bytes, { maxRatio: 2000 })).length).toBe(16 << 20);
  await expect(text(bytes, { maxRatio: 2000, maxSize: 1 << 20 })).rejects.toMatchObject({ code: "ZipBomb" });
});

it("row 30: a bomb that declares a small size stops at that size", async () => {
  const bytes = zipBytes([{ name: "a.csv", data: Buffer.alloc(64 << 20), size: 1 << 20 }]);
  const error = await text(bytes).catch((e) => e);
  expect(error).toMatchObject({ code: "BadZip", message: expect.stringContaining("too many bytes") });
});

it("row 30: overlapping entries are refused", async () => {
  const bytes = zipBytes(
    [
      { name: "a/", data: "" },
      { name: "a.csv", data: csv },
    ],
    { sameOffset: true },
  );
  await expect(zipEntry(bytes)).rejects.toMatchObject({ code: "ZipBomb", message: expect.stringContaining("overlap") });
});

it.each([
  [9, "Deflate64"],
  [12, "BZIP2"],
  [14, "LZMA"],
  [93, "Zstandard"],
  [98, "PPMd"],
  [77, "method 77"],
])("row 31: method %i is refused by name (%s)", async (method, name) => {
  await expect(text(zipBytes([{ name: "a.csv", data: csv, method }]))).rejects.toMatchObject({
    code: "UnsupportedZip",
    message: expect.stringContaining(name),
  });
});

describe("row 31: what is encrypted or in parts is called so, not damaged", () => {
  const archive = (change: (bytes: Buffer, directory: number) => void, method = 8): Buffer => {
    const bytes = zipBytes([{ name: "a.csv", data: csv, method }]);
    change(bytes, bytes.indexOf("PK\x01\x02", 0, "latin1"));
    return bytes;
  };
  /** Sets the flags of the local header and of the directory. */
  const flags = (bits: number) => (bytes: Buffer, directory: number) => {
    bytes.writeUInt16LE(bits, 6);
    bytes.writeUInt16LE(bits, directory + 8);
  };

  it.each([
    ["PKWARE's traditional encryption", archive(flags(0x0001))],
    ["the same, stored, its sizes equal", archive(flags(0x0001), 0)],
    ["strong encryption", archive(flags(0x0041))],
    ["AES of WinZip", archive(flags(0x0001), 99)],
    [
      "an encrypted directory",
      archive((bytes, directory) => {
        flags(0x2041)(bytes, directory);
        bytes.fill(0xa5, directory, bytes.length - 22);
      }),
    ],
  ])("%s", async (_, bytes) => {
    await expect(text(bytes)).rejects.toMatchObject({
      code: "UnsupportedZip",
      message: expect.stringContaining("is encrypted"),
    });
  });

  it("a part of several", async () => {
    const part = archive((bytes) => bytes.writeUInt16LE(1, bytes.length - 18));
    await expect(text(part)).rejects.toMatchObject({
      code: "UnsupportedZip",
      message: expect.stringContaining("one part of several"),
    });
  });
});

it("bytes after the end of the compressed data are refused", async () => {
  // Shorter and longer streams are inflated by zlib and by our own inflater; a stream may end with a block of the file.
  const long = Array.from({ length: 40_000 }, (_, i) => `${(i * 7919) % 10_007},${i % 13}\n`).join("");
  for (const data of [csv, long]) {
    for (const junk of [1, 4, 70_000, 2 ** 20]) {
      const raw = Buffer.concat([deflateRawSync(data), Buffer.alloc(junk)]);
      await expect(text(zipBytes([{ name: "a.csv", data, raw }]))).rejects.toMatchObject({ code: "BadZip" });
    }
    expect(await text(zipBytes([{ name: "a.csv", data }]))).toBe(data);
  }
});

it("a path that is not a file, and a file that changes between directory and reading", async () => {
  await expect(zipEntry(join(folder, "nothing.zip"))).rejects.toMatchObject({
    name: "FileError",
    code: "FileNotFound",
  });
  await expect(zipEntry(folder)).rejects.toMatchObject({ name: "FileError" });
  const path = join(folder, "changing.zip");
  writeFileSync(path, zipBytes([{ name: "a.csv", data: csv }]));
  const entry = await zipEntry(path);
  writeFileSync(path, zipBytes([{ name: "a.csv", data: csv.repeat(2) }]));
  await expect(entry.chunks().next()).rejects.toMatchObject({ code: "FileChanged" });
});

it("an abort ends the reading with its reason", async () => {
  const stop = new AbortController();
  const entry = await zipEntry(zipBytes([{ name: "a.csv", data: Buffer.alloc(8 << 20, "abc,") }]), {
    signal: stop.signal,
    maxRatio: 2000,
  });
  const reason = new Error("enough");
  const run = (async () => {
    for await (const _ of entry.chunks()) stop.abort(reason);
  })();
  await expect(run).rejects.toBe(reason);
});

it("names what is not a zip archive by its first bytes", async () => {
  const path = join(folder, "a.csv.gz");
  writeFileSync(path, gzipSync(csv));
  for (const source of [path, gzipSync(csv)]) {
    await expect(text(source)).rejects.toMatchObject({ code: "NotZip", hint: expect.stringContaining("gunzip") });
    await expect(text(source)).rejects.toThrow("Expected a zip archive; got gzip data.");
  }
  await expect(text(Buffer.from(csv))).rejects.toThrow("The file is not a zip archive, or it is truncated.");
  await expect(text(zipBytes([{ name: "a.csv", data: csv }]).subarray(0, 60))).rejects.toThrow("or it is truncated");
  await expect(text(new Uint8Array(0))).rejects.toMatchObject({ code: "NotZip" });
});
