import { promisify } from "node:util";
import { gunzip, gzip, gzipSync, type ZlibOptions } from "node:zlib";

/** How the bytes of a reply are encoded (RFC 9110, 8.4). */
export type Coding = "gzip" | "identity";

/** A reply as bytes, ready to be sent. */
export interface Rendered {
  readonly headers: Readonly<Record<string, string>>;
  /** The coding that is sent to callers who accept `coding`: short replies are not compressed. */
  coding(accepted: Coding): Coding;
  /** The bytes in a coding; made once, from the bytes in the other. */
  bytes(coding: Coding): Promise<Uint8Array>;
  /** Bytes in memory, of all codings made so far. */
  readonly size: number;
}

const SMALL = 1_024;

/** Fewer bytes than this are packed at once, in less than a slice: they would wait behind pages in the thread pool. */
const PACKED_HERE = 16 * 1024;

const LARGEST_CHUNK = 1 << 20;

type Code = (bytes: Uint8Array, options: ZlibOptions) => Promise<Uint8Array>;
const packAway = promisify(gzip) as Code;
const unpackAway = promisify(gunzip) as Code;

/** The fastest level. One chunk of output for most pages, so that packing is one task of the thread pool. */
async function pack(bytes: Uint8Array): Promise<Uint8Array> {
  if (bytes.length < PACKED_HERE) return gzipSync(bytes, { level: 1 });
  return packAway(bytes, { level: 1, memLevel: 9, chunkSize: Math.min(Math.ceil(bytes.length / 3), LARGEST_CHUNK) });
}

const sent = (length: number, accepted: Coding): Coding => (length > SMALL ? accepted : "identity");

/**
 * A reply of bytes whose memory is used again: they are packed or copied, by the coding that the caller accepts. The
 * other form is made from that one if it is ever needed.
 */
export async function rendered(
  bytes: Uint8Array,
  accepted: Coding,
  headers: Readonly<Record<string, string>>,
): Promise<Rendered> {
  const { length } = bytes;
  const coding = sent(length, accepted);
  const first = coding === "gzip" ? await pack(bytes) : Buffer.from(bytes);
  const otherwise = (): Promise<Uint8Array> =>
    coding === "gzip" ? unpackAway(first, { chunkSize: length, maxOutputLength: length }) : pack(first);
  let other: Promise<Uint8Array> | undefined;
  let size = first.length;
  return {
    headers,
    coding: (each) => sent(length, each),
    get size() {
      return size;
    },
    async bytes(each) {
      if (each === coding) return first;
      other ??= otherwise().then((made) => {
        size += made.length;
        return made;
      });
      return other;
    },
  };
}
