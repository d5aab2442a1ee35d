import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { crc32, gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { RandomAccess } from "../../src/format/random-access.js";
import { type ZipListing, zipEntries } from "../../src/format/zip.js";
import type { ZipSource } from "../../src/format/zip-entry.js";
import { cases, casesFolder } from "../cases.js";

const contents = async (entry: ZipListing): Promise<Buffer> => {
  const pieces: Uint8Array[] = [];
  for await (const chunk of entry.chunks()) pieces.push(new Uint8Array(chunk));
  return Buffer.concat(pieces);
};

/** Reads every file entry of an archive to its end. */
const readAll = async (source: ZipSource, maxRatio = 2000): Promise<Map<string, Buffer>> => {
  const found = new Map<string, Buffer>();
  for (const entry of await zipEntries(source, { maxRatio })) {
    if (!entry.name.endsWith("/")) found.set(entry.name, await contents(entry));
  }
  return found;
};

/** Spans of bytes in a file that is zero everywhere else. */
const sparse = (path: string): RandomAccess => {
  const bytes = gunzipSync(readFileSync(path));
  const spans: { offset: number; bytes: Buffer }[] = [];
  let at = 12;
  for (let i = bytes.readUInt32LE(8); i > 0; i--) {
    const length = bytes.readUInt32LE(at + 8);
    spans.push({ offset: Number(bytes.readBigUInt64LE(at)), bytes: bytes.subarray(at + 12, at + 12 + length) });
    at += 12 + length;
  }
  return {
    size: Number(bytes.readBigUInt64LE(0)),
    async read(target, position) {
      target.fill(0);
      for (const span of spans) {
        const from = Math.max(position, span.offset);
        const to = Math.min(position + target.length, span.offset + span.bytes.length);
        if (from < to) target.set(span.bytes.subarray(from - span.offset, to - span.offset), from - position);
      }
    },
    async close() {},
  };
};

const namesIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : []);

if (!existsSync(cases("zip-yauzl"))) console.info(`no zip cases under ${casesFolder}: those tests did not run`);

describe.runIf(existsSync(cases("zip-yauzl")))("zip-yauzl", () => {
  const folder = cases("zip-yauzl");
  const archives = (name: string) => namesIn(join(folder, name)).filter((file) => file.endsWith(".zip"));
  const sloppy = /^(invalid characters in fileName)/;

  it.each(archives("failure").filter((name) => !sloppy.test(name)))("failure: %s", async (name) => {
    const path = join(folder, "failure", name);
    await expect(readAll(path)).rejects.toMatchObject({ name: "DataError" });
    await expect(readAll(readFileSync(path))).rejects.toMatchObject({ name: "DataError" });
  });

  it("a backslash in a name counts as a slash", async () => {
    const [name] = archives("failure").filter((file) => sloppy.test(file));
    expect([...(await readAll(join(folder, "failure", name))).keys()]).toEqual(["a/txt", "b.txt"]);
  });

  const plain = archives("success").filter((name) => !name.startsWith("traditional-encryption"));
  it.each(plain)("success: %s", async (name) => {
    const expected = new Map<string, Buffer>();
    const root = join(folder, "success", name.slice(0, -4));
    for (const entry of readdirSync(root, { recursive: true, encoding: "utf8" })) {
      if (entry.includes(".git_please_make") || entry.includes(".dont_expect_an")) continue;
      if (statSync(join(root, entry)).isFile()) expected.set(entry, readFileSync(join(root, entry)));
    }
    for (const source of [join(folder, "success", name), readFileSync(join(folder, "success", name))]) {
      const found = await readAll(source);
      if (name === "everything.zip") for (let i = 0; i < 1000; i++) found.delete(`a/b/${`${i}`.padStart(3, "0")}`);
      if (name.startsWith("unicode")) {
        expect([...found.values()].map(String).sort()).toEqual([...expected.values()].map(String).sort());
      } else {
        expect([...found.keys()].sort()).toEqual([...expected.keys()].sort());
        for (const [entry, bytes] of found) expect(bytes.equals(expected.get(entry)!), entry).toBe(true);
      }
    }
  });

  it.each(archives("success").filter((name) => name.startsWith("traditional-encryption")))(
    "row 31: encrypted, refused by name: %s",
    async (name) => {
      await expect(readAll(join(folder, "success", name))).rejects.toMatchObject({
        code: "UnsupportedZip",
        message: expect.stringContaining("is encrypted"),
      });
    },
  );

  it("wrong sizes are refused", async () => {
    await expect(readAll(join(folder, "wrong-entry-sizes/wrong-entry-sizes.zip"))).rejects.toMatchObject({
      name: "DataError",
    });
  });

  it("row 28: zip64 of 8 GB, its middle left out: entries, and the small ones read", async () => {
    const fragment = readFileSync(join(folder, "zip64/zip64.zip_fragment"));
    const hole = fragment.readUInt32BE(0) - 4;
    const missing = 8_000_000_000;
    const rest = fragment.subarray(4);
    const access: RandomAccess = {
      size: rest.length + missing,
      async read(target, position) {
        for (let i = 0; i < target.length; i++) {
          const at = position + i;
          target[i] = at < hole ? rest[at] : at < hole + missing ? 0 : rest[at - missing];
        }
      },
      async close() {},
    };
    const entries = await zipEntries(access);
    expect(entries.map((entry) => [entry.name, entry.size])).toEqual([
      ["a.txt", 8],
      ["large.bin", missing],
      ["b.txt", 8],
    ]);
    expect((await contents(entries[0])).toString()).toBe("hello a\n");
    expect((await contents(entries[2])).toString()).toBe("hello b\n");
  });
});

describe.runIf(existsSync(cases("zip-go")))("zip-go", () => {
  const folder = cases("zip-go");
  const refused = new Set([
    "comment-truncated.zip", // must be refused
    "test-trailing-junk.zip", // bytes around the archive: refused or read, never wrong contents
    "test-prefix.zip",
    "readme.zip",
  ]);
  const names = namesIn(folder).filter((file) => file.endsWith(".zip"));

  it.each(names.filter((name) => !refused.has(name)))("reads %s", async (name) => {
    const found = await readAll(join(folder, name));
    for (const entry of await zipEntries(join(folder, name))) {
      if (entry.name.endsWith("/")) continue;
      expect(crc32(found.get(entry.name)!)).toBe(entry.crc32);
    }
    expect(found.size).toBeGreaterThan(0);
  });

  it.each([...refused, "readme.notzip"])("refuses %s", async (name) => {
    await expect(readAll(join(folder, name))).rejects.toMatchObject({ name: "DataError" });
  });

  it("reads an archive whose data descriptor has no signature", async () => {
    const text = readFileSync(join(folder, "go-no-datadesc-sig.zip.base64"), "utf8");
    const found = await readAll(Buffer.from(text, "base64"));
    expect([...found].map(([name, bytes]) => [name, bytes.toString()])).toEqual([
      ["foo.txt", "foo\n"],
      ["bar.txt", "bar\n"],
    ]);
  });

  it("a changed byte of the data fails its checksum", async () => {
    const bytes = readFileSync(join(folder, "crc32-not-streamed.zip"));
    bytes[0x11]++;
    bytes[0x9d]++;
    await expect(readAll(bytes)).rejects.toMatchObject({ code: "BadChecksum" });
  });

  const sparseFiles = namesIn(join(folder, "zip64"));
  const expected: Readonly<Record<string, readonly [string, number, number?][]>> = {
    "deflate-zeros-5g": [["big5g.bin", 5_368_709_120]],
    "store-5g": [["big5g.bin", 5_368_709_120]],
    "store-exact-4g": [["big4g.bin", 4_294_967_296]],
    "store-4g-minus-1": [["big4g-1.bin", 4_294_967_295]],
    "store-4g-minus-2": [["big4g-2.bin", 4_294_967_294]],
    "store-just-under-4g": [["under4g.bin", 4_294_967_237]],
    "go126-offset-past-4g": [
      ["big5g.bin", 5_368_709_120],
      ["small.bin", 42, 5_368_709_183],
    ],
    "infozip-offset-past-4g": [
      ["big5g.bin", 5_368_709_120],
      ["small.bin", 42, 5_368_709_179],
    ],
    "libarchive-offset-past-4g": [
      ["big5g.bin", 5_368_709_120],
      ["small.bin", 42, 5_368_709_219],
    ],
    "go126-offset-eq-4g": [
      ["first", 4_294_967_244],
      ["small.bin", 42, 4_294_967_295],
    ],
    "infozip-offset-eq-4g": [
      ["first", 4_294_967_260],
      ["small.bin", 42, 4_294_967_295],
    ],
    "libarchive-offset-eq-4g": [
      ["first", 4_294_967_260],
      ["small.bin", 42, 4_294_967_343],
    ],
  };
  it.each(sparseFiles)("row 28: zip64: %s", async (name) => {
    const [key] = Object.keys(expected).filter(
      (ending) => name.startsWith(`${ending}.`) || name.includes(`${ending}.`),
    );
    const entries = await zipEntries(sparse(join(folder, "zip64", name)));
    expect(entries.map((entry) => [entry.name, entry.size])).toEqual(expected[key].map(([n, size]) => [n, size]));
    const [, , offset] = expected[key].at(-1)!;
    if (offset !== undefined) {
      expect(entries.at(-1)!.offset).toBe(offset);
      expect((await contents(entries.at(-1)!)).equals(Buffer.alloc(42))).toBe(true);
    }
  });
});
