import { constants } from "node:fs";
import { appendFile, type FileHandle, link, lstat, open, rm, unlink, utimes, writeFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { unlessAborted } from "../errors/unless-aborted.js";
import { hasEnded, type Runner, thisThread } from "./abandoned.js";
import { sweepUnfinished } from "./sweep.js";
import { tempName, thisMachine } from "./temp-name.js";

/** The holder of a lock, and its purpose. */
export interface Holder extends Runner {
  readonly host: string;
  readonly purpose: string;
  /** Different for each acquisition. */
  readonly token: string;
}

/** A lock that this thread holds. */
export interface Lock {
  /** What the last holder that was waited for left; undefined if it left nothing, or there was none. */
  readonly left: unknown;
  /** Whether the lock file still names this acquisition; true where locks cannot be created at all. */
  isHeld(): Promise<boolean>;
  /** @param leave passed to those that are waiting, as JSON */
  release(leave?: unknown): Promise<void>;
}

const BEAT_MS = 5_000;
/** After this long without a beat, the lock of another machine is abandoned. */
const STALE_MS = 60_000;
const POLL_MS = 200;
const TAKEOVER_POLL_MS = 10;

/**
 * Runs `work` while no other process, thread or copy of this package holds the same lock file. Files are right without
 * it, as each is switched in one step: a lock only saves work that would be done twice, and keeps two from extending
 * one checkpoint. It may have no effect, as on some network folders. The holder keeps it until it releases it or ends,
 * however long it is busy.
 */
export async function locked<T>(
  path: string,
  purpose: string,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> {
  const lock = await acquired(path, purpose, signal);
  try {
    return await work();
  } finally {
    await lock.release();
  }
}

const wait = (ms: number, signal: AbortSignal | undefined): Promise<void> => unlessAborted(pause(ms), signal);

export function acquired(path: string, purpose: string, signal: AbortSignal | undefined): Promise<Lock> {
  return acquire(path, purpose, () => wait(POLL_MS, signal), signal);
}

/**
 * Acquires a lock file. `onHeld` is called while another holds it: it waits, or throws an error, which ends the
 * attempt. A path that is not a regular file, or cannot be read or created, is not a lock: the work runs without one.
 */
export async function acquire(
  path: string,
  purpose: string,
  onHeld: (holder: Holder) => Promise<void>,
  signal?: AbortSignal,
): Promise<Lock> {
  const mine: Holder = { ...thisThread(), host: thisMachine(), purpose, token: tempName("", "file") };
  // Stays open, so that what its holder leaves can be read after the file has been removed.
  let seen: FileHandle | undefined;
  await sweepUnfinished(path);
  try {
    for (;;) {
      signal?.throwIfAborted();
      const found = await openLock(path);
      if (found === "none") {
        const created = await create(path, mine);
        if (created === "taken") return lockOf(path, mine, seen && (await lineOf(seen, 1)));
        if (created === "impossible") return NO_LOCK;
      } else if (found === "foreign") return NO_LOCK;
      else {
        await seen?.close();
        seen = found;
        const holder = await lineOf<Holder>(found, 0);
        if (holder !== undefined && !(await isAbandoned(holder, found))) await onHeld(holder);
        else if (!(await removed(path, holder?.token, signal))) return NO_LOCK;
      }
    }
  } finally {
    await seen?.close();
  }
}

const NO_LOCK: Lock = { left: undefined, isHeld: async () => true, release: async () => undefined };

function lockOf(path: string, { token }: Holder, left: unknown): Lock {
  const beat = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => undefined);
  }, BEAT_MS);
  beat.unref();
  const isHeld = async (): Promise<boolean> => {
    const found = await openLock(path);
    return typeof found !== "string" && (await tokenOf(found)) === token;
  };
  return {
    left,
    isHeld,
    async release(leave) {
      clearInterval(beat);
      if (!(await isHeld())) return;
      if (leave !== undefined) await appendFile(path, `\n${JSON.stringify(leave)}`, APPEND).catch(() => undefined);
      await unlink(path).catch(() => undefined);
    },
  };
}

/** Without creating the file, which another may have removed. */
const APPEND = { flag: constants.O_WRONLY | constants.O_APPEND };

/** `foreign` for a folder, a link or a file that cannot be read. */
async function openLock(path: string): Promise<FileHandle | "none" | "foreign"> {
  const state = await lstat(path).catch(() => undefined);
  if (state === undefined) return "none";
  if (!state.isFile()) return "foreign";
  return open(path).catch((error: unknown) => (codeOf(error) === "ENOENT" ? "none" : "foreign"));
}

/** A line of a lock file as JSON: 0 is the holder, 1 what it left. */
async function lineOf<T>(file: FileHandle, line: 0 | 1): Promise<T | undefined> {
  try {
    const { size } = await file.stat();
    const { buffer } = await file.read(Buffer.alloc(size), 0, size, 0);
    return JSON.parse(buffer.toString().split("\n")[line]);
  } catch {
    return undefined;
  }
}

/** The token of a lock file's holder; undefined for a file that names none. Closes the file. */
async function tokenOf(file: FileHandle): Promise<string | undefined> {
  return (await lineOf<Holder>(file, 0).finally(() => file.close()))?.token;
}

/** Threads of this machine hold a lock until they end; those of others cannot be looked at. */
async function isAbandoned(holder: Holder, file: FileHandle): Promise<boolean> {
  return holder.host === thisMachine() ? hasEnded(holder) : Date.now() - (await file.stat()).mtimeMs > STALE_MS;
}

/**
 * Removes an abandoned lock file unless another has replaced it since it was read; false if it cannot be removed. Only
 * the holder of a second lock removes files, so that none removes what another has just acquired. The second lock of a
 * killed process is taken over in the same way.
 */
async function removed(path: string, abandoned: string | undefined, signal?: AbortSignal): Promise<boolean> {
  const takeover = await acquire(`${path}.takeover`, "takeover", () => wait(TAKEOVER_POLL_MS, signal), signal);
  try {
    const found = await openLock(path);
    if (found === "none") return true;
    if (found !== "foreign" && (await tokenOf(found)) !== abandoned) return true;
    await unlink(path);
    return true;
  } catch (error) {
    return codeOf(error) === "ENOENT";
  } finally {
    await takeover.release();
  }
}

/** Creates the lock file; `impossible` where none can be created or written. */
async function create(path: string, holder: Holder): Promise<"taken" | "busy" | "impossible"> {
  const whole = tempName(path, "file");
  const write = (name: string): Promise<void> => writeFile(name, JSON.stringify(holder), { flag: "wx" });
  try {
    await write(whole);
    // The link makes the file appear with its text: others never read one without a holder. Some disks have no links.
    await link(whole, path).catch((error) => (codeOf(error) === "EEXIST" ? Promise.reject(error) : write(path)));
    return "taken";
  } catch (error) {
    return codeOf(error) === "EEXIST" ? "busy" : "impossible";
  } finally {
    await rm(whole, { force: true }).catch(() => undefined);
  }
}

const codeOf = (error: unknown): string => String((error as NodeJS.ErrnoException).code);
