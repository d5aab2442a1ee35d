import { mkdir, readFile, rm, utimes } from "node:fs/promises";
import { join } from "node:path";
import { atomicFile } from "../../disk/atomic-file.js";
import { trim } from "../../disk/bounded-folder.js";
import { digestName } from "../../disk/folders.js";
import { seal, unseal } from "../../disk/sealed.js";
import { sweepFolder } from "../../disk/sweep.js";
import { holdsSecret } from "../../errors/secrets.js";
import { version } from "../../package/package-root.js";
import type { CacheSettings } from "./cache-settings.js";

/** What a reply is to, and of which state of the data. */
export interface ReplyOf {
  /** Code of the data, for lists of the cache. */
  readonly code: string;
  /** The service with its key, and the call: a text that never leaves the process. */
  readonly question: string;
  /** When the service last refreshed the data; absent for metadata, which itself says so. */
  readonly refreshed_at?: string;
}

/** The note of a reply on disk: no query and no key. */
export interface ReplyNote extends Pick<ReplyOf, "code" | "refreshed_at"> {
  readonly kind: "arrowbook reply" | "arrowbook metadata";
  /** Of metadata: when it was requested, in milliseconds since 1970. */
  readonly requested?: number;
}

export const REPLY_NAME = /^[0-9a-f]{32}\.(?:reply|metadata)$/;

export const repliesIn = (cache: string): string => join(cache, "replies");

/**
 * A reply; undefined if the cache does not have it, or it is damaged. `age` are the milliseconds since metadata was
 * requested; `Infinity` if the clock has been set back since.
 */
export async function cachedReply(
  { path: cache }: CacheSettings,
  of: ReplyOf,
): Promise<{ readonly body: Uint8Array; readonly age: number } | undefined> {
  const path = pathOf(cache, of);
  const record = await readFile(path).catch(() => undefined);
  const opened = record && unseal<ReplyNote>(record);
  if (opened === undefined) {
    if (record !== undefined) await rm(path, { force: true }).catch(() => undefined);
    return undefined;
  }
  const now = new Date();
  await utimes(path, now, now).catch(() => undefined);
  const age = now.getTime() - (opened.note.requested ?? Number.NEGATIVE_INFINITY);
  return { body: opened.bytes, age: age >= 0 ? age : Number.POSITIVE_INFINITY };
}

/**
 * Puts a reply into the cache and removes others that exceed its bounds. A cache that cannot be written is reported and
 * has no other effect.
 */
export async function cacheReply(
  cache: CacheSettings,
  of: ReplyOf,
  body: Uint8Array,
  warn: (message: string) => void,
): Promise<void> {
  const { code, refreshed_at } = of;
  const note: ReplyNote =
    refreshed_at === undefined
      ? { kind: "arrowbook metadata", code, requested: Date.now() }
      : { kind: "arrowbook reply", code, refreshed_at };
  const record = seal(note, body);
  if (record.length > cache.bytes || holdsSecret(record)) return;
  const folder = repliesIn(cache.path);
  try {
    await mkdir(folder, { recursive: true });
    await atomicFile(pathOf(cache.path, of), (file) => file.writeFile(record), false);
    await sweepFolder(folder, ({ target }) => REPLY_NAME.test(target));
    await trim(folder, REPLY_NAME, cache);
  } catch (error) {
    warn(`The cache ${cache.path} cannot be written: ${(error as Error).message}`);
  }
}

function pathOf(cache: string, { question, refreshed_at }: ReplyOf): string {
  const name =
    refreshed_at === undefined
      ? `${digestName(version(), question)}.metadata`
      : `${digestName(version(), question, refreshed_at)}.reply`;
  return join(repliesIn(cache), name);
}
