import { crc32, deflateRawSync } from "node:zlib";

/** One entry of a made archive; options besides `name` and `data` are written unchecked, true or not. */
export interface MadeEntry {
  readonly name: string;
  readonly data: string | Uint8Array;
  readonly method?: number;
  readonly crc?: number;
  readonly size?: number;
  readonly raw?: Uint8Array;
  readonly unixMode?: number;
}

/**
 * An archive as bytes, for tests of readers: it can lie in every field. `sameOffset` gives all entries the first one's
 * data.
 */
export function zipBytes(entries: readonly MadeEntry[], options: { sameOffset?: boolean } = {}): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const entry of entries) {
    const name = Buffer.from(entry.name);
    const data = Buffer.from(entry.data);
    const method = entry.method ?? 8;
    const raw = Buffer.from(entry.raw ?? (method === 0 ? data : deflateRawSync(data)));
    const fixed = Buffer.alloc(26);
    fixed.writeUInt16LE(20, 0);
    fixed.writeUInt16LE(0x800, 2);
    fixed.writeUInt16LE(method, 4);
    fixed.writeUInt32LE((entry.crc ?? crc32(data)) >>> 0, 10);
    fixed.writeUInt32LE(raw.length, 14);
    fixed.writeUInt32LE(entry.size ?? data.length, 18);
    fixed.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from("PK\x03\x04"), fixed, name, raw]);
    const rest = Buffer.alloc(14);
    if (entry.unixMode !== undefined) rest.writeUInt32LE((entry.unixMode << 16) >>> 0, 6);
    rest.writeUInt32LE(options.sameOffset ? 0 : at, 10);
    const madeBy = Buffer.from([20, entry.unixMode === undefined ? 0 : 3]);
    directory.push(Buffer.concat([Buffer.from("PK\x01\x02"), madeBy, fixed, rest, name]));
    locals.push(local);
    at += local.length;
  }
  const records = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(records.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...locals, records, end]);
}
