import { randomBytes } from "node:crypto";
import {
  type FileHandle,
  link,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  statfs,
  writeFile,
} from "node:fs/promises";
import { hostname } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { crc32 } from "node:zlib";
import { noSpace, toFileError } from "../../errors/file-error.js";
import { isAlive } from "./file-lock.js";

/** What is known of the file that a partial download is a part of. Never holds an address or a key. */
export interface Origin {
  /** Digest of the query: only a download of the same query resumes it. */
  readonly identity: string;
  readonly etag?: string;
  /** Length of the whole file in bytes. */
  readonly total?: number;
  /** `data_snapshot_time` of an export (spec 2.8). */
  readonly generation?: string;
  /**
   * Parts were joined without a strong validator: only the archive's checksums can show whether they belong together.
   */
  readonly joined?: boolean;
}

interface Note extends Origin {
  readonly pid: number;
  readonly host: string;
  /** Of a kept file: when its bytes were last written, in milliseconds. The note of another file is not believed. */
  readonly modified?: number;
}

/** A download under way: bytes from 0 to `size` of the file that `origin` describes. */
export interface PartialFile {
  readonly path: string;
  readonly size: number;
  readonly origin: Origin;
  /** Drops what is there and starts again for another origin. */
  restart(origin: Origin): Promise<void>;
  /** Keeps the bytes and notes more about their origin. */
  note(origin: Origin): Promise<void>;
  append(chunk: Uint8Array): Promise<void>;
  /** Syncs to the disk and closes. */
  finish(): Promise<void>;
  /** Closes and leaves everything for a later run. */
  leave(): Promise<void>;
  /** Closes and deletes everything. */
  discard(): Promise<void>;
}

const OLD_MS = 24 * 60 * 60 * 1000;
const inUse = new Set<string>();

/**
 * Opens a partial download beside `target`: one that an earlier run of the same question left, else an empty one. Its
 * name is this process's own, so that two processes never write one file; left-overs of processes that ended are taken
 * or swept.
 */
export async function openPartial(target: string, identity: string): Promise<PartialFile> {
  const absolute = resolve(target);
  const path = `${absolute}.${ownName()}.part`;
  try {
    await mkdir(dirname(absolute), { recursive: true });
    const origin = (await takeOver(absolute, path, identity)) ?? { identity };
    const handle = await openNew(path);
    try {
      return await partialOf(path, handle, origin);
    } catch (cause) {
      const { size } = await handle.stat();
      await handle.close();
      inUse.delete(path);
      if (size === 0) await sweep(path);
      throw cause;
    }
  } catch (cause) {
    throw toFileError(path, "write", cause);
  }
}

async function partialOf(path: string, first: FileHandle, found: Origin): Promise<PartialFile> {
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
    async restart(next) {
      // A new file, not the old one cut: another process may be reading what this one took over.
      if (size > 0) {
        await handle.close();
        await rm(path, { force: true });
        handle = await openNew(path);
      }
      size = 0;
      origin = next;
      await write();
    },
    async note(next) {
      origin = next;
      await write();
    },
    async append(chunk) {
      for (let at = 0; at < chunk.length; ) {
        const { bytesWritten } = await handle.write(chunk, at, chunk.length - at);
        at += bytesWritten;
        size += bytesWritten;
      }
    },
    async finish() {
      await handle.sync();
      await close();
    },
    async leave() {
      await close();
      if (size === 0) await sweep(path);
    },
    async discard() {
      await close();
      await sweep(path);
    },
  };
}

const openNew = (path: string): Promise<FileHandle> => open(path, "a+");

/** The note beside a partial or kept file. */
export function noteOf(path: string): string {
  return `${path}.json`;
}

async function writeNote(path: string, origin: Origin, modified?: number): Promise<void> {
  const note: Note = { ...origin, pid: process.pid, host: hostname(), modified };
  const fresh = `${noteOf(path)}.${HOST}-${ownName()}.new`;
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

/** Which machine writes, eight digits. */
const HOST = crc32(hostname()).toString(16).padStart(8, "0");

/** A part of a name that no other process and no other call gives. */
const ownName = (): string => `${process.pid}-${randomBytes(4).toString("hex")}`;

async function readNote(path: string): Promise<Note | undefined> {
  try {
    return JSON.parse(await readFile(noteOf(path), "utf8")) as Note;
  } catch {
    return undefined;
  }
}

/** Claims the longest leftover of the same query, and removes the other unused ones. */
async function takeOver(target: string, path: string, identity: string): Promise<Origin | undefined> {
  const found: { readonly path: string; readonly size: number; readonly note: Note }[] = [];
  const ours = (await readdir(dirname(target))).filter((name) => name.startsWith(basename(target)));
  for (const name of ours) {
    const other = join(dirname(target), name);
    const partial = isPartialOf(name, target);
    if (name.endsWith(".part.json")) await sweepOrphan(other);
    if (isUnfinishedNote(name, target)) await sweepUnfinishedNote(other);
    if (!partial && other !== target) continue;
    const note = await readNote(other);
    const state = await stat(other).catch(() => undefined);
    if (partial && isBusy(other, note, state?.mtimeMs ?? 0)) continue;
    const isOwn = note?.modified === state?.mtimeMs && note?.total === state?.size;
    const believed = note?.identity === identity && (partial || isOwn);
    if (state?.isFile() && believed) found.push({ path: other, size: state.size, note });
    else if (partial) await sweep(other);
  }
  found.sort((a, b) => b.size - a.size);
  let taken: Origin | undefined;
  for (const candidate of found) {
    const { pid: _pid, host: _host, modified: _modified, ...origin } = candidate.note;
    if (taken === undefined && (await claim(candidate.path, path, origin, candidate.path === target))) taken = origin;
    if (candidate.path !== target) await sweep(candidate.path);
  }
  return taken;
}

/** A note whose partial file is gone. */
async function sweepOrphan(note: string): Promise<void> {
  const path = note.slice(0, -".json".length);
  const exists = await stat(path).catch(() => undefined);
  const { mtimeMs = 0 } = (await stat(note).catch(() => undefined)) ?? {};
  if (!exists && !isBusy(path, await readNote(path), mtimeMs)) await rm(note, { force: true });
}

/** A note that was being written; one of another machine when it is a day old. */
async function sweepUnfinishedNote(path: string): Promise<void> {
  const { mtimeMs = 0 } = (await stat(path).catch(() => undefined)) ?? {};
  const isOurs = path.includes(`.json.${HOST}-`);
  if (isOurs ? !isBusy(path, undefined, mtimeMs) : Date.now() - mtimeMs > OLD_MS) await rm(path, { force: true });
}

/**
 * Gives a left-over this process's name; false where another process was faster. The kept file stays where it is, too.
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

function isPartialOf(name: string, target: string): boolean {
  const start = basename(target);
  return name.startsWith(start) && /^\.\d+-[0-9a-f]{8}\.part$/.test(name.slice(start.length));
}

/** Whether a note of the file or of a partial file was being written under this name. */
function isUnfinishedNote(name: string, target: string): boolean {
  const start = basename(target);
  const end = /^(\.\d+-[0-9a-f]{8}\.part)?\.json\.[0-9a-f]{8}-\d+-[0-9a-f]{8}\.new$/;
  return name.startsWith(start) && end.test(name.slice(start.length));
}

function isBusy(path: string, note: Note | undefined, mtimeMs: number): boolean {
  if (inUse.has(path)) return true;
  const pid = note?.pid ?? Number(/[.-](\d+)-[0-9a-f]{8}\.(part|new)$/.exec(path)?.[1]);
  if (pid === process.pid) return false;
  if (note && note.host !== hostname()) return Date.now() - mtimeMs < OLD_MS;
  return isAlive(pid);
}

async function sweep(path: string): Promise<void> {
  await rm(path, { force: true });
  await rm(noteOf(path), { force: true });
}

/**
 * Removes what a process that ended left of writing `target` under another name (columns/file names it after its
 * process).
 */
export async function sweepUnfinished(target: string): Promise<void> {
  const absolute = resolve(target);
  const start = `${basename(absolute)}.`;
  for (const name of await readdir(dirname(absolute)).catch(() => [])) {
    const pid = name.startsWith(start) ? /^(\d+)\.\d+\.part$/.exec(name.slice(start.length))?.[1] : undefined;
    if (pid !== undefined && !isAlive(Number(pid))) await rm(join(dirname(absolute), name), { force: true });
  }
}

/** Moves a finished file to its final name: whole or not at all. `keep` leaves a note of its origin beside it. */
export async function commit(from: string, target: string, keep?: Origin): Promise<void> {
  try {
    if (keep) await writeNote(target, keep, (await stat(from)).mtimeMs);
    await rename(from, target);
    // Where both names already stood for one file, the rename has left both.
    await rm(from, { force: true });
    await rm(noteOf(from), { force: true });
    await syncFolder(dirname(resolve(target)));
  } catch (cause) {
    throw toFileError(target, "write", cause);
  }
}

async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, "r").catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

/** Throws FileError `DiskFull` when the disk of `path` has less than `bytes` free. */
export async function checkSpace(path: string, bytes: number): Promise<void> {
  const disk = await statfs(dirname(resolve(path))).catch(() => undefined);
  if (disk && disk.bavail * disk.bsize < bytes) throw noSpace(path, bytes, disk.bavail * disk.bsize);
}
