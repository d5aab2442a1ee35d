import { buffer } from "node:stream/consumers";
import { expect, it } from "vitest";
import { ZipFile } from "yazl";
import { bytesAccess } from "../../src/format/random-access.js";
import { toZipError } from "../../src/format/zip-error.js";
import { zipDirectory as ofPage } from "../../src/platform/browser/zip.js";
import { zipDirectory as ofNode } from "../../src/platform/node/zip.js";
import { zipBytes } from "./archive.js";

/** What a reader of directories finds: the entries, or the code of its error. */
async function found(read: typeof ofNode, bytes: Uint8Array): Promise<string> {
  try {
    const directory = await read(bytesAccess(bytes));
    const entries = (await directory.entries()).map((entry) => Object.entries(entry).sort());
    return JSON.stringify([directory.entryCount, directory.start, entries]);
  } catch (error) {
    return (toZipError(error) as { readonly code?: string }).code ?? String(error);
  }
}

const plain = zipBytes([
  { name: "a.csv", data: "a,b\n1,2\n".repeat(50) },
  { name: "ä.csv", data: "x", method: 0, unixMode: 0o100644 },
]);

async function wide(): Promise<Uint8Array> {
  const zip = new ZipFile();
  zip.addBuffer(Buffer.from("a\n1\n"), "a.csv", { forceZip64Format: true });
  zip.end({ forceZip64Format: true, comment: "a comment" });
  return buffer(zip.outputStream);
}

it("a page finds the entries that Node finds, also of archives for more than 4 GB, and with a comment", async () => {
  for (const bytes of [plain, await wide(), zipBytes([])]) {
    const here = await found(ofNode, bytes);
    expect(here).toMatch(/^\[/);
    expect(await found(ofPage, bytes)).toBe(here);
  }
});

it("a page refuses what Node refuses: truncated archives, and each damaged byte of the headers", async () => {
  const counts = { listed: 0, refused: 0 };
  for (const bytes of [plain, await wide()]) {
    for (let length = 0; length < bytes.length; length += 7) {
      const cut = bytes.subarray(0, length);
      expect(await found(ofPage, cut), `${length} bytes`).toBe(await found(ofNode, cut));
    }
    for (let at = 0; at < bytes.length; at++) {
      const damaged = Uint8Array.from(bytes);
      damaged[at] ^= 0x41;
      const here = await found(ofNode, damaged);
      counts[here.startsWith("[") ? "listed" : "refused"]++;
      expect(await found(ofPage, damaged), `byte ${at} of ${bytes.length}`).toBe(here);
    }
  }
  expect(counts.listed).toBeGreaterThan(10);
  expect(counts.refused).toBeGreaterThan(50);
});
