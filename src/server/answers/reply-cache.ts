import type { Rendered } from "./rendered.js";

/** Replies by their entity tag, which changes with the query and with the rows. */
export type ReplyCache = ReturnType<typeof replyCache>;

/** Replies larger than this share of the cache are not cached. */
const LARGEST_PART = 1 / 4;

interface Kept {
  readonly reply: Promise<Rendered>;
  /** Bytes of the codings that were made. */
  size: number;
  /** Askers of a reply that is still being made. */
  askers: number;
  readonly abort: AbortController;
}

/** A cache of at most `limit` bytes, including compressed forms; evicts the least recently used reply first. */
export function replyCache(limit: number) {
  const kept = new Map<string, Kept>();
  let total = 0;
  const drop = (tag: string, entry: Kept): void => {
    if (kept.get(tag) !== entry) return;
    total -= entry.size;
    kept.delete(tag);
  };
  const measure = (tag: string, entry: Kept, { size }: Rendered): void => {
    if (kept.get(tag) !== entry) return;
    total += size - entry.size;
    entry.size = size;
    if (entry.size > limit * LARGEST_PART) drop(tag, entry);
    for (const [oldest, each] of kept) {
      if (total <= limit) break;
      drop(oldest, each);
    }
  };
  const begin = (tag: string, make: (signal: AbortSignal) => Promise<Rendered>): Kept => {
    const abort = new AbortController();
    const reply = make(abort.signal).then(
      (made): Rendered => ({
        ...made,
        async bytes(coding) {
          const bytes = await made.bytes(coding);
          measure(tag, entry, made);
          return bytes;
        },
      }),
    );
    const entry: Kept = { reply, size: 0, askers: 0, abort };
    reply.then(
      (made) => measure(tag, entry, made),
      () => drop(tag, entry),
    );
    return entry;
  };
  return {
    /** The reply of this tag, or what `make` renders once for all who ask for it; ends when all of them are gone. */
    reply(tag: string, make: (signal: AbortSignal) => Promise<Rendered>, gone: AbortSignal): Promise<Rendered> {
      const entry = kept.get(tag) ?? begin(tag, make);
      kept.delete(tag);
      kept.set(tag, entry);
      entry.askers++;
      const leave = (): void => {
        entry.askers--;
        if (entry.askers > 0) return;
        drop(tag, entry);
        entry.abort.abort();
      };
      if (gone.aborted) leave();
      gone.addEventListener("abort", leave, { once: true });
      const stay = (): void => gone.removeEventListener("abort", leave);
      entry.reply.then(stay, stay);
      return entry.reply;
    },
  };
}
