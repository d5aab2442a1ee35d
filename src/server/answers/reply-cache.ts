import { promisify } from "node:util";
import { gzip } from "node:zlib";

/** A reply as bytes, ready to be sent. */
export interface Rendered {
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array;
  /** The bytes packed with gzip; packed once. */
  gzipped(): Promise<Uint8Array>;
}

/** Replies by their entity tag, which changes with the question and with the rows. */
export interface ReplyCache {
  /** The reply of this tag, or the one that `make` renders; equal questions at one time share the making. */
  reply(tag: string, make: () => Promise<Rendered>): Promise<Rendered>;
}

/** A larger reply than this part of the cache is not kept. */
const LARGEST_PART = 1 / 4;

const pack = promisify(gzip) as (bytes: Uint8Array, options: { level: number }) => Promise<Uint8Array>;

/** A reply of these bytes. */
export function rendered(bytes: Uint8Array, headers: Readonly<Record<string, string>>): Rendered {
  let packed: Promise<Uint8Array> | undefined;
  return {
    headers,
    bytes,
    gzipped() {
      packed ??= pack(bytes, { level: 1 });
      return packed;
    },
  };
}

/**
 * A cache of at most `limit` bytes, both forms of a reply counted; the reply that was not used for longest goes first.
 */
export function replyCache(limit: number): ReplyCache {
  const kept = new Map<string, { readonly reply: Promise<Rendered>; size: number }>();
  let total = 0;
  const drop = (tag: string): void => {
    total -= kept.get(tag)?.size ?? 0;
    kept.delete(tag);
  };
  const grow = (tag: string, reply: Promise<Rendered>, bytes: number): void => {
    const entry = kept.get(tag);
    if (entry?.reply !== reply) return;
    entry.size += bytes;
    total += bytes;
    if (entry.size > limit * LARGEST_PART) drop(tag);
    for (const [oldest] of kept) {
      if (total <= limit) break;
      drop(oldest);
    }
  };
  return {
    reply(tag, make) {
      const found = kept.get(tag);
      if (found !== undefined) {
        kept.delete(tag);
        kept.set(tag, found);
        return found.reply;
      }
      const reply = make().then((made) => ({
        ...made,
        async gzipped() {
          const bytes = await made.gzipped();
          if (!counted.has(made)) grow(tag, reply, bytes.length);
          counted.add(made);
          return bytes;
        },
      }));
      const counted = new WeakSet<Rendered>();
      kept.set(tag, { reply, size: 0 });
      reply.then(
        ({ bytes }) => grow(tag, reply, bytes.length),
        () => kept.get(tag)?.reply === reply && drop(tag),
      );
      return reply;
    },
  };
}
