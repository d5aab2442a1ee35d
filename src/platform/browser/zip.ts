import type * as node from "../node/zip.js";
import { latin1Text, utf8Text } from "./bytes.js";

/** Sizes of the records of a zip archive (APPNOTE 4.3), and the longest comment at its end. */
const END = 22;
const LOCATOR = 20;
const END_64 = 56;
const HEADER = 46;
const LOCAL = 30;
const MOST_COMMENT = 65_535;

type Source = Parameters<typeof node.zipDirectory>[0];

/** The directory of an archive (APPNOTE 4.3.12 to 4.3.16), refused where yauzl refuses it and in its wording. */
export const zipDirectory: typeof node.zipDirectory = async (source) => {
  const { entryCount, start } = await endOf(source);
  return {
    entryCount,
    start,
    async entries() {
      const entries: node.DirectoryEntry[] = [];
      const view = await viewAt(source, start, source.size - start);
      for (let at = 0; entries.length < entryCount; ) {
        if (at + HEADER > view.byteLength) throw new Error("unexpected EOF");
        const { entry, next } = headerAt(view, at);
        entries.push({ ...entry, dataStart: await dataStart(source, entry) });
        at = next;
      }
      return entries;
    },
  };
};

async function viewAt(source: Source, start: number, length: number): Promise<DataView> {
  if (length < 0 || start + length > source.size) throw new Error("unexpected EOF");
  const bytes = new Uint8Array(length);
  await source.read(bytes, start);
  return new DataView(bytes.buffer);
}

const textAt = ({ buffer }: DataView, at: number, length: number, isUtf8: boolean): string =>
  (isUtf8 ? utf8Text : latin1Text)(new Uint8Array(buffer, at, length));

const hex = (signature: number): string => `0x${signature.toString(16)}`;

/** What the records at the end of an archive say of its directory. */
async function endOf(source: Source): Promise<{ entryCount: number; start: number }> {
  const length = Math.min(source.size, END + MOST_COMMENT);
  const last = await viewAt(source, source.size - length, length);
  let at = length - END;
  while (at >= 0 && last.getUint32(at, true) !== 0x06054b50) at--;
  if (at < 0) {
    throw new Error(
      "End of central directory record signature not found. Either not a zip file, or file is truncated.",
    );
  }
  const [comment, rest] = [last.getUint16(at + 20, true), length - at - END];
  if (comment !== rest) throw new Error(`Invalid comment length. Expected: ${rest}. Found: ${comment}`);
  const place = source.size - length + at;
  const locator = place < LOCATOR ? undefined : await viewAt(source, place - LOCATOR, LOCATOR);
  if (locator?.getUint32(0, true) === 0x07064b50) {
    const end = await viewAt(source, Number(locator.getBigUint64(8, true)), END_64);
    const signature = end.getUint32(0, true);
    if (signature !== 0x06064b50) {
      throw new Error(`invalid zip64 end of central directory record signature: ${hex(signature)}`);
    }
    refuseDisk(end.getUint32(16, true));
    const [entryCount, start] = [32, 48].map((offset) => Number(end.getBigUint64(offset, true)));
    return { entryCount, start };
  }
  refuseDisk(last.getUint16(at + 4, true));
  return { entryCount: last.getUint16(at + 10, true), start: last.getUint32(at + 16, true) };
}

function refuseDisk(disk: number): void {
  if (disk !== 0) throw new Error(`multi-disk zip files are not supported: found disk number: ${disk}`);
}

/** The entry whose header in the directory begins at `at`, and where the next header begins. */
function headerAt(view: DataView, at: number): { entry: Omit<node.DirectoryEntry, "dataStart">; next: number } {
  const signature = view.getUint32(at, true);
  if (signature !== 0x02014b50) throw new Error(`invalid central directory file header signature: ${hex(signature)}`);
  const flags = view.getUint16(at + 8, true);
  if ((flags & 0x40) !== 0) throw new Error("strong encryption is not supported");
  const [name, extra, comment] = [28, 30, 32].map((offset) => view.getUint16(at + offset, true));
  const next = at + HEADER + name + extra + comment;
  if (next > view.byteLength) throw new Error("unexpected EOF");
  const fileName = textAt(view, at + HEADER, name, (flags & 0x800) !== 0);
  checkName(fileName);
  const compressionMethod = view.getUint16(at + 10, true);
  const sizes = [24, 20, 42].map((offset) => view.getUint32(at + offset, true));
  const [uncompressedSize, compressedSize, start] = wideSizes(view, at + HEADER + name, extra, sizes);
  const isEncrypted = (flags & 1) !== 0;
  if (compressionMethod === 0 && compressedSize !== uncompressedSize + (isEncrypted ? 12 : 0)) {
    throw new Error(`compressed size mismatch for stored file: ${compressedSize} != ${uncompressedSize}`);
  }
  const kind = { isEncrypted, versionMadeBy: view.getUint16(at + 4, true) };
  const attributes = { externalFileAttributes: view.getUint32(at + 38, true), crc32: view.getUint32(at + 16, true) };
  return {
    entry: { fileName, uncompressedSize, compressedSize, compressionMethod, ...kind, ...attributes, start },
    next,
  };
}

/** Sizes and offset of an entry, those of 0xffffffff from its field for more than 4 GB (APPNOTE 4.5.3). */
function wideSizes(view: DataView, from: number, length: number, sizes: readonly number[]): readonly number[] {
  let wide = sizes;
  for (let at = from, fieldEnd = from; at + 3 < from + length; at = fieldEnd) {
    fieldEnd = at + 4 + view.getUint16(at + 2, true);
    if (fieldEnd > from + length) throw new Error("extra field length exceeds extra field buffer size");
    if (view.getUint16(at, true) !== 1 || wide !== sizes) continue;
    let place = at + 4;
    const end = fieldEnd;
    wide = sizes.map((size) => {
      if (size !== 0xffffffff) return size;
      place += 8;
      if (place > end) throw new Error("zip64 extended information extra field is too short");
      return Number(view.getBigUint64(place - 8, true));
    });
  }
  return wide;
}

/** @throws {Error} for a name that leads out of its folder */
function checkName(name: string): void {
  if (name.includes("\\")) throw new Error(`invalid characters in fileName: ${name}`);
  if (/^(?:[a-zA-Z]:|\/)/.test(name)) throw new Error(`absolute path: ${name}`);
  if (name.split("/").includes("..")) throw new Error(`invalid relative path: ${name}`);
}

async function dataStart(source: Source, entry: Omit<node.DirectoryEntry, "dataStart">): Promise<number> {
  const { start, compressedSize } = entry;
  const local = await viewAt(source, start, LOCAL);
  const signature = local.getUint32(0, true);
  if (signature !== 0x04034b50) throw new Error(`invalid local file header signature: ${hex(signature)}`);
  const from = start + LOCAL + local.getUint16(26, true) + local.getUint16(28, true);
  if (from + compressedSize > source.size) {
    throw new Error(`file data overflows file bounds: ${from} + ${compressedSize} > ${source.size}`);
  }
  return from;
}
