import { basename } from "node:path";
import { clear, type FolderFile, filesOf } from "../../disk/bounded-folder.js";
import { readSealed } from "../../disk/sealed.js";
import { REPLY_NAME, type ReplyNote, repliesIn } from "./replies-on-disk.js";
import { RUNS_NAME } from "./runs-on-disk.js";

export interface CacheEntry {
  /** `runs`: how large the results of queries were, for `explain()`. */
  readonly kind: "reply" | "metadata" | "archive" | "runs";
  /** Name of the file, which reveals neither query nor key. */
  readonly name: string;
  /** Code of the data; archives and runs do not name it. */
  readonly code?: string;
  readonly refreshed_at?: string;
  readonly bytes: number;
  /** When it was last used, ISO 8601. */
  readonly used: string;
}

/** Archives of bulk files with their notes and locks: only files of this package are ever removed. */
const ARCHIVE = /^[0-9a-f]{32}\.zip$/;
const OF_ARCHIVE = /^[0-9a-f]{32}\.zip(?:\.json|\.lock(?:\.takeover)*)?$/;

/** The files of a cache, those used last first. */
export async function cacheContents(path: string): Promise<CacheEntry[]> {
  const replies = (await filesOf(repliesIn(path), REPLY_NAME)).map(async (file): Promise<CacheEntry> => {
    const note = await readSealed<ReplyNote>(file.path);
    const kind = note?.kind === "arrowbook metadata" ? "metadata" : "reply";
    return entry(kind, file, note && { code: note.code, refreshed_at: note.refreshed_at });
  });
  const archives = (await filesOf(path, ARCHIVE)).map((file) => entry("archive", file));
  const runs = (await filesOf(path, RUNS_NAME)).map((file) => entry("runs", file));
  const all = [...(await Promise.all(replies)), ...archives, ...runs];
  return all.sort((a, b) => (a.used < b.used ? 1 : -1));
}

/** Removes the files of a cache; gives how many and their size. Other files in the folder stay. */
export async function clearCache(path: string): Promise<{ readonly files: number; readonly bytes: number }> {
  const removed = [
    ...(await clear(repliesIn(path), REPLY_NAME)),
    ...(await clear(path, OF_ARCHIVE)),
    ...(await clear(path, RUNS_NAME)),
  ];
  return { files: removed.length, bytes: removed.reduce((sum, { bytes }) => sum + bytes, 0) };
}

function entry(
  kind: CacheEntry["kind"],
  { path, bytes, used }: FolderFile,
  about: Pick<CacheEntry, "code" | "refreshed_at"> = {},
): CacheEntry {
  return { kind, name: basename(path), ...about, bytes, used: new Date(used).toISOString() };
}
