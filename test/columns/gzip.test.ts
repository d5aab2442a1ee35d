import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32, gunzipSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { gunzipped } from "../../src/format/gzip.js";
import { packedFile } from "../../src/format/packed-file.js";
import { Frame } from "../../src/frame/frame.js";
import { packageRoot } from "../../src/package/package-root.js";
import { onThreads } from "../divided.js";
import { columnSpecs } from "../support/column-specs.js";
import { forAllAsync } from "../support/for-all.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { longIt, runs } from "../support/whole.js";

const folder = temporaryFolder("gzip");

const columns = columnSpecs({ ticker: "String", close: "BigDecimal(15,4)" });
const csv = (rows: number): string =>
  `ticker,close\n${Array.from({ length: rows }, (_, i) => `T${i % 50},${i}.${1000 + ((i * 7919) % 9000)}\n`).join("")}`;

const contents = async (bytes: Uint8Array, options = {}): Promise<Buffer> => {
  const chunks: Uint8Array[] = [];
  const file = await packedFile(bytes, options);
  if (file === undefined) throw new Error("It is not gzip.");
  for await (const chunk of file.chunks()) chunks.push(new Uint8Array(chunk));
  return Buffer.concat(chunks);
};

/** A member whose header has every optional field. */
const fullHeader = (text: string): Buffer => {
  const plain = gzipSync(text);
  const fields = Buffer.concat([
    Buffer.of(5, 0),
    Buffer.from("extra"),
    Buffer.from("prices.csv\0a comment\0", "latin1"),
  ]);
  const header = Buffer.concat([Buffer.of(0x1f, 0x8b, 8, 2 | 4 | 8 | 16, 0, 0, 0, 0, 0, 3), fields]);
  const sum = Buffer.alloc(2);
  sum.writeUInt16LE(crc32(header) & 0xffff);
  return Buffer.concat([header, sum, plain.subarray(10)]);
};

describe("Frame.fromCSV of gzipped CSV", () => {
  it("reads a file and bytes, known by their first bytes alone, in every thread mode", async () => {
    const text = csv(3000);
    const bytes = gzipSync(text);
    const expected = (await Frame.fromCSV(Buffer.from(text), { columns })).toIPC();
    for (const name of ["T.csv.gz", "T.csv"]) {
      const path = join(folder, name);
      writeFileSync(path, bytes);
      for (const threads of [1, 2]) {
        expect((await onThreads(threads, () => Frame.fromCSV(path, { columns }))).toIPC()).toEqual(expected);
      }
    }
    expect((await Frame.fromCSV(bytes, { columns })).toIPC()).toEqual(expected);
  });

  longIt("reads a long file on threads and without, and shows how far it has come", async () => {
    const rows = 1_300_000;
    const path = join(folder, "long.csv.gz");
    const text = csv(rows);
    expect(text.length).toBeGreaterThan(16_777_216);
    writeFileSync(path, gzipSync(text, { level: 1 }));
    const seen: number[] = [];
    const onProgress = (event: { bytes?: number; total?: number }): void => {
      expect(event.total).toBe(text.length);
      seen.push(event.bytes as number);
    };
    const byThreads = await onThreads(2, () => Frame.fromCSV(path, { columns, onProgress }));
    expect(seen.length).toBeGreaterThan(0);
    expect(seen.at(-1)).toBe(text.length);
    const here = await onThreads(1, () => Frame.fromCSV(path, { columns }));
    expect(byThreads.numRows).toBe(rows);
    expect(Buffer.compare(byThreads.toIPC(), here.toIPC())).toBe(0);
    const bad = `${text}T,nope\n`;
    writeFileSync(path, gzipSync(bad, { level: 1 }));
    await expect(onThreads(2, () => Frame.fromCSV(path, { columns }))).rejects.toThrow(
      `Row ${rows}, column "close": "nope"`,
    );
  });

  it("names the file's own faults", async () => {
    const path = join(folder, "bad.csv.gz");
    const bytes = gzipSync(csv(200_000));
    writeFileSync(path, bytes.subarray(0, -9));
    await expect(Frame.fromCSV(path, { columns })).rejects.toMatchObject({
      name: "DataError",
      code: "BadGzip",
      message: expect.stringContaining("unexpected end of file"),
    });
    await expect(Frame.fromCSV(gzipSync(gzipSync("a")), { columns })).rejects.toMatchObject({ code: "WrongFormat" });
    await expect(Frame.fromCSV(join(folder, "none.csv.gz"), { columns })).rejects.toMatchObject({ name: "FileError" });
  });

  longIt("reads plain CSV from what is not a regular file", () => {
    const script = `import("arrowbook").then(async ({ Frame }) => {
      const frame = await Frame.fromCSV("/dev/stdin", { columns: ${JSON.stringify(columns)} });
      process.stdout.write(String(frame.numRows));
    })`;
    const printed = execFileSync("/bin/sh", ["-c", `cat | "${process.execPath}" -e '${script}'`], {
      cwd: packageRoot(),
      input: csv(10),
    });
    expect(printed.toString()).toBe("10");
  });
});

describe("gzip", () => {
  const text = csv(20_000);

  it("of several members, with every field in the header, and zeros behind the last one", async () => {
    const bytes = Buffer.concat([
      gzipSync(text),
      fullHeader("one "),
      gzipSync(""),
      fullHeader("two"),
      Buffer.alloc(600_000),
    ]);
    expect(gunzipSync(bytes).toString() === `${text}one two`).toBe(true);
    expect((await contents(bytes)).toString() === `${text}one two`).toBe(true);
  });

  it("is refused as zlib refuses it", async () => {
    const [header, rest] = [gzipSync(text).subarray(0, 10), gzipSync(text).subarray(10)];
    const changed = (at: number, bytes: Uint8Array = gzipSync(text)): Buffer => {
      const copy = Buffer.from(bytes);
      copy[at < 0 ? copy.length + at : at] ^= 0x80;
      return copy;
    };
    const broken: Record<string, Buffer> = {
      "incorrect data check": changed(-5),
      "incorrect length check": changed(-1),
      "unknown header flags set": changed(3),
      "header crc mismatch": changed(12, fullHeader("x")),
      "incorrect header check": Buffer.concat([gzipSync("x"), Buffer.from("more bytes that are something else")]),
      "unexpected end of file": Buffer.concat([header, rest.subarray(0, -4)]),
    };
    for (const [message, bytes] of Object.entries(broken)) {
      expect(() => gunzipSync(bytes)).toThrow(message);
      const error = { name: "DataError", code: "BadGzip", message: `The gzip data is damaged: ${message}.` };
      await expect(contents(bytes)).rejects.toMatchObject(error);
    }
    const other = Buffer.concat([gzipSync("x"), Buffer.alloc(4), Buffer.from("x")]);
    await expect(contents(other)).rejects.toThrow("other bytes follow the compressed data");
    const named = Buffer.concat([Buffer.of(0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3), Buffer.alloc(700_000, 65)]);
    await expect(contents(named)).rejects.toThrow("its header is too long");
  });

  it("that ends anywhere is unfinished", async () => {
    const bytes = fullHeader("some text");
    for (let end = 3; end < bytes.length; end++) {
      await expect(contents(bytes.subarray(0, end))).rejects.toThrow("unexpected end of file");
    }
  });

  it("that grows without bound is refused; the limit can be raised", async () => {
    const bomb = gzipSync(Buffer.alloc(8 << 20, 10));
    await expect(contents(bomb)).rejects.toMatchObject({ code: "GzipBomb", hint: expect.stringContaining("maxRatio") });
    expect((await contents(bomb, { maxRatio: 2000 })).length).toBe(8 << 20);
    const small = { maxRatio: 2000, maxSize: 1 << 20 };
    await expect(contents(bomb, small)).rejects.toMatchObject({
      code: "GzipBomb",
      hint: expect.stringContaining("maxSize"),
    });
    const options = { columns: [{ name: "x", type: "String" }], lenient: { emptyLines: true }, header: false };
    await expect(Frame.fromCSV(bomb, options)).rejects.toMatchObject({ code: "GzipBomb" });
  });

  it("stops when it is aborted", async () => {
    const stop = new AbortController();
    const file = await packedFile(gzipSync(csv(300_000)), { signal: stop.signal });
    const reading = async (): Promise<void> => {
      for await (const _ of file?.chunks() ?? []) stop.abort(new Error("enough"));
    };
    await expect(reading()).rejects.toThrow("enough");
  });
});

describe("gzip that arrives in blocks", () => {
  async function* cut(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  const read = async (blocks: AsyncGenerator<Uint8Array>): Promise<Buffer> => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of gunzipped(blocks)) chunks.push(chunk);
    return Buffer.concat(chunks);
  };

  it("is read as by zlib, or refused as by zlib, however it is cut and damaged", async () => {
    const text = fc.tuple(fc.string({ maxLength: 200 }), fc.nat(2_000)).map(([part, times]) => part.repeat(times));
    const damage = fc.option(fc.record({ at: fc.nat(), bit: fc.nat(7), ends: fc.boolean() }));
    await forAllAsync(
      runs(300),
      fc.array(text, { minLength: 1, maxLength: 3 }),
      fc.integer({ min: 1, max: 5_000 }),
      damage,
      async (texts, size, damaged) => {
        let bytes: Buffer = Buffer.concat(texts.map((part) => gzipSync(part)));
        if (damaged?.ends) bytes = bytes.subarray(0, damaged.at % bytes.length);
        else if (damaged) bytes[damaged.at % bytes.length] ^= 1 << damaged.bit;
        let expected: Buffer | undefined;
        try {
          expected = gunzipSync(bytes);
        } catch {}
        if (expected === undefined || bytes.length === 0) {
          await expect(read(cut(bytes, size))).rejects.toMatchObject({
            code: expect.stringMatching(/^Z_(BUF|DATA)_ERROR$/),
          });
        } else expect((await read(cut(bytes, size))).equals(expected)).toBe(true);
      },
    );
  });

  it("leaves an error of the blocks as it is", async () => {
    const broken = new Error("unexpected end of file");
    async function* blocks(): AsyncGenerator<Uint8Array> {
      yield gzipSync("text").subarray(0, 12);
      throw broken;
    }
    await expect(read(blocks())).rejects.toBe(broken);
    expect(broken).not.toHaveProperty("code");
  });
});
