import { link, lstat, open, readFile, rename, stat, unlink, utimes } from "node:fs/promises";
import { hostname } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { isAlive } from "./abandoned.js";
import { tempName } from "./temp-name.js";

/** The holder of a lock, and its purpose. */
export interface Holder {
  readonly pid: number;
  readonly host: string;
  readonly purpose: string;
  /** Different for each acquisition. */
  readonly token: string;
}

/** A lock that this process holds. */
export interface Lock {
  /** Whether another process held it for the same purpose in the meantime. */
  readonly same: boolean;
  /** Whether the lock file still names this acquisition; true where locks cannot be created at all. */
  isHeld(): Promise<boolean>;
  release(): Promise<void>;
}

const BEAT_MS = 5_000;
const STALE_MS = 60_000;
const POLL_MS = 200;

/** Tokens of the locks that this process holds. */
const held = new Set<string>();

/**
 * Runs `work` while no other process holds the same lock file; `work` receives whether another process held it for the
 * same purpose in the meantime. Advisory: callers must be correct even if it has no effect, as on some network folders.
 * The lock of a dead process is taken over.
 */
export async function locked<T>(
  path: string,
  purpose: string,
  signal: AbortSignal | undefined,
  work: (waitedFor: { readonly same: boolean }) => Promise<T>,
): Promise<T> {
  const lock = await acquire(path, purpose, () => wait(POLL_MS, signal));
  try {
    return await work({ same: lock.same });
  } finally {
    await lock.release();
  }
}

/**
 * Acquires a lock file. `onHeld` is called while another process holds it: it waits, or throws an error, which ends the
 * attempt.
 */
export async function acquire(path: string, purpose: string, onHeld: (holder: Holder) => Promise<void>): Promise<Lock> {
  let same = false;
  const mine: Holder = { pid: process.pid, host: hostname(), purpose, token: tempName("", "file") };
  held.add(mine.token);
  try {
    for (let taken = await take(path, mine); taken !== "taken"; taken = await take(path, mine)) {
      if (taken === "impossible") return without(same);
      const holder = await holderOf(path);
      if (holder === undefined || (await isStale(path, holder))) {
        // A file that cannot be removed either is not our lock: continue without one.
        if (!(await removed(path, holder))) return without(same);
      } else {
        if (holder.purpose === purpose) same = true;
        await onHeld(holder);
      }
    }
  } catch (error) {
    held.delete(mine.token);
    throw error;
  }
  const beat = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => undefined);
  }, BEAT_MS);
  beat.unref();
  const isHeld = async (): Promise<boolean> => (await holderOf(path))?.token === mine.token;
  return {
    same,
    isHeld,
    async release() {
      clearInterval(beat);
      held.delete(mine.token);
      if (await isHeld()) await unlink(path).catch(() => undefined);
    },
  };
}

const without = (same: boolean): Lock => ({ same, isHeld: async () => true, release: async () => undefined });

/**
 * Removes a lock file that is stale or unreadable. Another process may have replaced it since it was read: it is first
 * renamed, and a lock of another holder put back.
 */
async function removed(path: string, stale: Holder | undefined): Promise<boolean> {
  const aside = tempName(path, "file");
  try {
    if (!(await lstat(path)).isFile()) return false;
    await rename(path, aside);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT";
  }
  const found = await holderOf(aside);
  if (found !== undefined && found.token !== stale?.token) await link(aside, path).catch(() => undefined);
  return unlink(aside).then(
    () => true,
    () =>
      rename(aside, path).then(
        () => false,
        () => false,
      ),
  );
}

/** Creates the lock file; `impossible` where none can be created or written. */
async function take(path: string, holder: Holder): Promise<"taken" | "busy" | "impossible"> {
  try {
    const handle = await open(path, "wx");
    const written = await handle.writeFile(JSON.stringify(holder)).then(
      () => true,
      () => false,
    );
    await handle.close();
    if (!written) await unlink(path);
    return written ? "taken" : "impossible";
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EEXIST" ? "busy" : "impossible";
  }
}

/** Undefined for a lock file that does not exist or, after a short wait, still cannot be read. */
async function holderOf(path: string): Promise<Holder | undefined> {
  for (let tries = 0; tries < 3; tries++) {
    try {
      return JSON.parse(await readFile(path, "utf8")) as Holder;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      await wait(20);
    }
  }
  return undefined;
}

async function isStale(path: string, holder: Holder): Promise<boolean> {
  if (holder.host === hostname()) {
    // The id of a process that has ended may since have become our own, as it does in a restarted container.
    if (!isAlive(holder.pid) || (holder.pid === process.pid && !held.has(holder.token))) return true;
  }
  const state = await stat(path).catch(() => undefined);
  return state !== undefined && Date.now() - state.mtimeMs > STALE_MS;
}

/** Waits; rejects with the signal's reason as soon as it is aborted. */
async function wait(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await pause(ms, undefined, { signal }).catch(() => undefined);
  signal?.throwIfAborted();
}
