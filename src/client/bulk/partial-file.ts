import { type FileHandle, link, open, readdir, readFile, rename, rm, stat, statfs, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { inUse, isUnused } from "../../disk/sweep.js";
import { makeFolder, syncFolder } from "../../disk/sync-folder.js";
import { parseTempName, tempName } from "../../disk/temp-name.js";
import { noSpace, toFileError } from "../../errors/file-error.js";

/** The identity of the complete file of a partial download. Never contains an address or a key. */
export interface Origin {
  /** Digest of the query: only a download of the same query resumes it. */
  readonly identity: string;
  readonly etag?: string;
  /** Length of the complete file in bytes. */
  readonly total?: number;
  /** `data_snapshot_time` of an export (spec 2.8). */
  readonly generation?: string;
  /**
   * The parts were joined without a strong validator: only the archive's checksums can show whether they belong
   * together.
   */
  readonly joined?: boolean;
}

/** The note of a file: beside a partial or kept one, and for callers that wait for a download. */
export interface Note extends Origin {
  /**
   * Of a complete file: when its bytes were last written, in milliseconds. A note that does not match its file is
   * ignored.
   */
  readonly modified?: number;
}

/** A download in progress: bytes 0 to `size` of the file that `origin` identifies. */
export type PartialFile = Awaited<ReturnType<typeof partialOf>>;

/**
 * Opens a partial download beside `target`: one left by an earlier run of the same query, or an empty one. Its name is
 * unique to this process, so that two processes never write one file; leftovers of ended processes are claimed or
 * removed.
 *
 * @param left the note of `target`, if a download that has just ended left one
 */
export async function openPartial(target: string, identity: string, left?: Note): Promise<PartialFile> {
  const absolute = resolve(target);
  const path = tempName(absolute, "download");
  try {
    await makeFolder(dirname(absolute));
    const origin = (await takeOver(absolute, path, identity, left)) ?? { identity };
    const handle = await openNew(path);
    try {
      return await partialOf(path, handle, origin);
    } catch (cause) {
      const { size } = await handle.stat();
      await handle.close();
      inUse.delete(path);
      if (size === 0) await removeNoted(path);
      throw cause;
    }
  } catch (cause) {
    throw toFileError(path, "write", cause);
  }
}

async function partialOf(path: string, first: FileHandle, found: Origin) {
  let handle = first;
  let origin = found;
  let size = (await handle.stat()).size;
  let isOpen = true;
  inUse.add(path);
  const write = (): Promise<void> => writeNote(path, origin);
  const close = async (): Promise<void> => {
    if (isOpen) await handle.close();
    isOpen = false;
    inUse.delete(path);
  };
  await write();
  return {
    path,
    get size() {
      return size;
    },
    get origin() {
      return origin;
    },
    /** Discards the contents and restarts for another origin. */
    async restart(next: Origin): Promise<void> {
      // A new file instead of truncating the old one, which another process may have claimed and be reading.
      if (size > 0) {
        await handle.close();
        await rm(path, { force: true });
        handle = await openNew(path);
      }
      size = 0;
      await this.note(next);
    },
    /** Keeps the bytes and updates their origin. */
    async note(next: Origin): Promise<void> {
      origin = next;
      await write();
    },
    async append(chunk: Uint8Array): Promise<void> {
      for (let at = 0; at < chunk.length; ) {
        const { bytesWritten } = await handle.write(chunk, at, chunk.length - at);
        at += bytesWritten;
        size += bytesWritten;
      }
    },
    async finish(): Promise<void> {
      await handle.sync();
      await close();
    },
    /** Closes and keeps everything for a later run. */
    async leave(): Promise<void> {
      await close();
      if (size === 0) await removeNoted(path);
    },
    /** Closes and deletes everything. */
    async discard(): Promise<void> {
      await close();
      await removeNoted(path);
    },
  };
}

const openNew = (path: string): Promise<FileHandle> => open(path, "a+");

const NOTE = ".json";

const noteOf = (path: string): string => `${path}${NOTE}`;

/** The file that a note belongs to; undefined for a name that is not a note's. */
function notedFile(name: string): string | undefined {
  return name.endsWith(NOTE) ? name.slice(0, -NOTE.length) : undefined;
}

async function writeNote(path: string, origin: Origin, modified?: number): Promise<void> {
  const note: Note = { ...origin, modified };
  const fresh = tempName(noteOf(path), "note");
  inUse.add(fresh);
  try {
    await writeFile(fresh, JSON.stringify(note));
    await rename(fresh, noteOf(path));
  } catch (error) {
    await rm(fresh, { force: true });
    throw error;
  } finally {
    inUse.delete(fresh);
  }
}

async function readNote(path: string): Promise<Note | undefined> {
  try {
    return JSON.parse(await readFile(noteOf(path), "utf8")) as Note;
  } catch {
    return undefined;
  }
}

/** Claims the longest leftover of the same query, and removes the other unused ones. */
async function takeOver(
  target: string,
  path: string,
  identity: string,
  left: Note | undefined,
): Promise<Origin | undefined> {
  const found: { readonly path: string; readonly size: number; readonly note: Note }[] = [];
  const ours = (await readdir(dirname(target))).filter((name) => name.startsWith(basename(target)));
  for (const name of ours) {
    const other = join(dirname(target), name);
    const partial = isPartialOf(name, target);
    if (isPartialOf(notedFile(name), target)) await sweepOrphan(other);
    if (isUnfinishedNote(name, target) && (await isUnused(other))) await rm(other, { force: true });
    if (!partial && other !== target) continue;
    if (partial && !(await isUnused(other))) continue;
    const note = (partial ? undefined : left) ?? (await readNote(other));
    const state = await stat(other).catch(() => undefined);
    const isOwn = note?.modified === state?.mtimeMs && note?.total === state?.size;
    const believed = note?.identity === identity && (partial || isOwn);
    if (state?.isFile() && believed) found.push({ path: other, size: state.size, note });
    else if (partial) await removeNoted(other);
  }
  found.sort((a, b) => b.size - a.size);
  let taken: Origin | undefined;
  for (const candidate of found) {
    const { modified: _modified, ...origin } = candidate.note;
    if (taken === undefined && (await claim(candidate.path, path, origin, candidate.path === target))) taken = origin;
    if (candidate.path !== target) await removeNoted(candidate.path);
  }
  return taken;
}

async function sweepOrphan(note: string): Promise<void> {
  const path = notedFile(note) as string;
  const exists = await stat(path).catch(() => undefined);
  if (!exists && (await isUnused(path, note))) await rm(note, { force: true });
}

/**
 * Renames a leftover to this process's name; false if another process was faster. A kept file also stays under its own
 * name.
 */
async function claim(from: string, to: string, origin: Origin, kept: boolean): Promise<boolean> {
  try {
    await writeNote(to, origin);
    await (kept ? link(from, to) : rename(from, to));
    return true;
  } catch {
    await rm(noteOf(to), { force: true });
    return false;
  }
}

function isPartialOf(name: string | undefined, target: string): boolean {
  const temp = name === undefined ? undefined : parseTempName(name);
  return temp?.kind === "download" && temp.target === basename(target);
}

/** Whether this is the temporary name of a note of the file, or of one of its partial files. */
function isUnfinishedNote(name: string, target: string): boolean {
  const temp = parseTempName(name);
  if (temp?.kind !== "note") return false;
  const noted = notedFile(temp.target);
  return noted === basename(target) || isPartialOf(noted, target);
}

export async function removeNoted(path: string): Promise<void> {
  await rm(path, { force: true });
  await rm(noteOf(path), { force: true });
}

/** Renames a finished file to its final name, atomically. `keep` leaves a note of its origin beside it. */
export async function commit(from: string, target: string, keep?: Origin): Promise<void> {
  try {
    if (keep) await writeNote(target, keep, (await stat(from)).mtimeMs);
    await rename(from, target);
    // If both names already refer to one file, the rename has left both.
    await rm(from, { force: true });
    await rm(noteOf(from), { force: true });
    await syncFolder(dirname(target));
  } catch (cause) {
    throw toFileError(target, "write", cause);
  }
}

/** @throws {FileError} DiskFull if the disk of `path` has less than `bytes` free */
export async function checkSpace(path: string, bytes: number): Promise<void> {
  const disk = await statfs(dirname(resolve(path))).catch(() => undefined);
  if (disk && disk.bavail * disk.bsize < bytes) throw noSpace(path, bytes, disk.bavail * disk.bsize);
}
