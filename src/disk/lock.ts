import { constants } from "node:fs";
import { appendFile, type FileHandle, link, lstat, open, unlink, utimes } from "node:fs/promises";
import { hostname } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { hasEnded, startOf } from "./abandoned.js";
import { sweepUnfinished } from "./sweep.js";
import { tempName } from "./temp-name.js";

/** The holder of a lock, and its purpose. */
export interface Holder {
  readonly pid: number;
  /** When that process began, as the system counts it: ids of processes are reused. */
  readonly started?: string;
  readonly host: string;
  readonly purpose: string;
  /** Different for each acquisition. */
  readonly token: string;
}

/** A lock that this process holds. */
export interface Lock {
  /** What the last holder that was waited for left; undefined if it left nothing, or there was none. */
  readonly left: unknown;
  /** Whether the lock file still names this acquisition; true where locks cannot be created at all. */
  isHeld(): Promise<boolean>;
  /** @param leave passed to those that are waiting, as JSON */
  release(leave?: unknown): Promise<void>;
}

const BEAT_MS = 5_000;
const STALE_MS = 60_000;
const POLL_MS = 200;
const TAKEOVER_POLL_MS = 10;

/** Tokens of the locks that this thread holds, in whichever copy of this module. */
const LOCKS = Symbol.for("arrowbook.locks");
const shared = globalThis as { [LOCKS]?: Set<string> };
shared[LOCKS] ??= new Set();
const held = shared[LOCKS];

/**
 * Runs `work` while no other process, thread or copy of this package holds the same lock file. Advisory: it prevents
 * double work, and callers must be correct even if it has no effect, as on some network folders. The lock of a dead
 * process is taken over.
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

/** Waits for a lock. */
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
  const { pid } = process;
  const mine: Holder = { pid, started: startOf(pid), host: hostname(), purpose, token: tempName("", "file") };
  let seen: LockFile | undefined;
  held.add(mine.token);
  try {
    await sweepUnfinished(path);
    for (;;) {
      signal?.throwIfAborted();
      const found = await openLock(path);
      if (found === "none") {
        const left = await seen?.left();
        const taken = await create(path, mine);
        if (taken === "taken") return lockOf(path, mine, left);
        if (taken === "impossible") return without(left);
      } else if (found === "foreign") return without(await seen?.left());
      else {
        await seen?.close();
        seen = found;
        const { holder } = found;
        if (holder !== undefined && !(await isStale(found))) await onHeld(holder);
        else if (!(await removed(path, holder, signal))) return without(undefined);
      }
    }
  } catch (error) {
    held.delete(mine.token);
    throw error;
  } finally {
    await seen?.close();
  }
}

function lockOf(path: string, { token }: Holder, left: unknown): Lock {
  const beat = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => undefined);
  }, BEAT_MS);
  beat.unref();
  const isHeld = async (): Promise<boolean> => {
    const found = await openLock(path);
    if (typeof found === "string") return false;
    await found.close();
    return found.holder?.token === token;
  };
  return {
    left,
    isHeld,
    async release(leave) {
      clearInterval(beat);
      if (await isHeld()) {
        if (leave !== undefined) await appendFile(path, `\n${JSON.stringify(leave)}`, APPEND).catch(() => undefined);
        await unlink(path).catch(() => undefined);
      }
      held.delete(token);
    },
  };
}

/** Without creating the file, which another may have removed. */
const APPEND = { flag: constants.O_WRONLY | constants.O_APPEND };

const without = (left: unknown): Lock => ({ left, isHeld: async () => true, release: async () => undefined });

/** A lock file that is open, so that what its holder leaves can be read after the file has been removed. */
interface LockFile {
  /** Undefined for a file that, after a short wait, still names no holder. */
  readonly holder: Holder | undefined;
  readonly beatAt: number;
  left(): Promise<unknown>;
  close(): Promise<void>;
}

/** `foreign` for a folder, a link or a file that cannot be read. */
async function openLock(path: string): Promise<LockFile | "none" | "foreign"> {
  const state = await lstat(path).catch(() => undefined);
  if (state === undefined) return "none";
  if (!state.isFile()) return "foreign";
  const handle = await open(path).catch(codeOf);
  if (typeof handle === "string") return handle === "ENOENT" ? "none" : "foreign";
  let holder: Holder | undefined;
  for (let tries = 0; holder === undefined && tries < 3; tries++) {
    if (tries > 0) await wait(20);
    holder = (await lineOf(handle, 0)) as Holder | undefined;
  }
  return { holder, beatAt: state.mtimeMs, left: () => lineOf(handle, 1), close: () => handle.close() };
}

/** A line of an open lock file: 0 is the holder, 1 what it left. */
async function lineOf(handle: FileHandle, line: number): Promise<unknown> {
  try {
    const { size } = await handle.stat();
    const { buffer } = await handle.read(Buffer.alloc(size), 0, size, 0);
    return JSON.parse(buffer.toString().split("\n")[line]);
  } catch {
    return undefined;
  }
}

/**
 * Removes a lock file that is stale or names no holder, unless another process has replaced it since it was read; false
 * if it cannot be removed. Only the holder of a second lock removes files, so that none removes what another has just
 * acquired. The second lock of a killed process is taken over in the same way.
 */
async function removed(path: string, stale: Holder | undefined, signal: AbortSignal | undefined): Promise<boolean> {
  const waiting = (): Promise<void> => wait(TAKEOVER_POLL_MS, signal);
  const takeover = await acquire(`${path}.takeover`, "takeover", waiting, signal);
  try {
    const now = await openLock(path);
    if (typeof now === "string") return now === "none";
    await now.close();
    const isSame = now.holder?.token === stale?.token;
    if (isSame && (now.holder === undefined || (await isStale(now)))) await unlink(path);
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

/**
 * A process of this machine loses its lock when it ends, however long it has been busy. For those of other machines,
 * and other threads of this process, a minute without a beat has to do.
 */
async function isStale({ holder, beatAt }: LockFile): Promise<boolean> {
  if (holder === undefined || held.has(holder.token)) return false;
  const isHere = holder.host === hostname();
  if (isHere && hasEnded(holder)) return true;
  return (!isHere || holder.pid === process.pid) && Date.now() - beatAt > STALE_MS;
}

/** Waits; rejects with the signal's reason as soon as it is aborted. */
async function wait(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await pause(ms, undefined, { signal }).catch(() => undefined);
  signal?.throwIfAborted();
}
