import { link, lstat, open, readFile, stat, unlink, utimes } from "node:fs/promises";
import { hostname } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { isAlive } from "./abandoned.js";
import { sweepUnfinished } from "./sweep.js";
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
const TAKEOVER_POLL_MS = 10;

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
    await sweepUnfinished(path);
    for (let taken = await take(path, mine); taken !== "taken"; taken = await take(path, mine)) {
      if (taken === "impossible") return without(same);
      const holder = await holderOf(path);
      if (holder === "none") continue;
      if (holder === "unreadable" || (await isStale(path, holder))) {
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
  const isHeld = async (): Promise<boolean> => tokenOf(await holderOf(path)) === mine.token;
  return {
    same,
    isHeld,
    async release() {
      clearInterval(beat);
      if (await isHeld()) await unlink(path).catch(() => undefined);
      // Not before the file is gone: a lock of this process that is not held counts as stale.
      held.delete(mine.token);
    },
  };
}

const tokenOf = (holder: Holder | "none" | "unreadable"): string | undefined =>
  typeof holder === "string" ? undefined : holder.token;

const without = (same: boolean): Lock => ({ same, isHeld: async () => true, release: async () => undefined });

/**
 * Removes a lock file that is stale or unreadable, unless another process has replaced it since it was read. Only the
 * holder of a second lock removes files, so that none removes what another has just acquired. The second lock of a
 * killed process is taken over in the same way.
 */
async function removed(path: string, stale: Holder | "unreadable"): Promise<boolean> {
  try {
    if (!(await lstat(path)).isFile()) return false;
    const takeover = await acquire(`${path}.takeover`, "takeover", () => wait(TAKEOVER_POLL_MS));
    try {
      const now = await holderOf(path);
      const isSame = now !== "none" && tokenOf(now) === tokenOf(stale);
      if (isSame && (now === "unreadable" || (await isStale(path, now)))) await unlink(path);
      return true;
    } finally {
      await takeover.release();
    }
  } catch (error) {
    return codeOf(error) === "ENOENT";
  }
}

/** Creates the lock file; `impossible` where none can be created or written. */
async function take(path: string, holder: Holder): Promise<"taken" | "busy" | "impossible"> {
  if ((await lstat(path).catch(() => undefined)) !== undefined) return "busy";
  const whole = tempName(path, "file");
  const text = JSON.stringify(holder);
  if ((await createAndWrite(whole, text)) !== "taken") return "impossible";
  try {
    // The link makes the file appear with its text: others never read one without a holder.
    await link(whole, path);
    return "taken";
  } catch (error) {
    if (codeOf(error) === "EEXIST") return "busy";
    // Some file systems have no links.
    return LINKLESS.has(codeOf(error)) ? createAndWrite(path, text) : "impossible";
  } finally {
    await unlink(whole).catch(() => undefined);
  }
}

const LINKLESS = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);

const codeOf = (error: unknown): string => String((error as NodeJS.ErrnoException).code);

async function createAndWrite(path: string, text: string): Promise<"taken" | "busy" | "impossible"> {
  try {
    const handle = await open(path, "wx");
    const written = await handle.writeFile(text).then(
      () => true,
      () => false,
    );
    await handle.close();
    if (!written) await unlink(path);
    return written ? "taken" : "impossible";
  } catch (error) {
    return codeOf(error) === "EEXIST" ? "busy" : "impossible";
  }
}

/** `none` for a lock file that does not exist, `unreadable` for one that, after a short wait, still cannot be read. */
async function holderOf(path: string): Promise<Holder | "none" | "unreadable"> {
  for (let tries = 0; tries < 3; tries++) {
    try {
      return JSON.parse(await readFile(path, "utf8")) as Holder;
    } catch (error) {
      if (codeOf(error) === "ENOENT") return "none";
      await wait(20);
    }
  }
  return "unreadable";
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
