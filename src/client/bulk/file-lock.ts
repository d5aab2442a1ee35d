import { open, readFile, stat, unlink, utimes } from "node:fs/promises";
import { hostname } from "node:os";
import { isAlive } from "../../columns/io/abandoned.js";
import { sleep } from "../transport/retry.js";

/** The holder of a lock, and its purpose. */
interface Holder {
  readonly pid: number;
  readonly host: string;
  readonly purpose: string;
}

const BEAT_MS = 5_000;
const STALE_MS = 60_000;
const POLL_MS = 200;

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
  let same = false;
  while (!(await take(path, purpose))) {
    const holder = await holderOf(path);
    if (holder === undefined || (await isStale(path, holder))) {
      // A file that cannot be removed either is not our lock: continue without one.
      if (!(await removed(path))) return work({ same });
    } else {
      if (holder.purpose === purpose) same = true;
      await sleep(POLL_MS, signal);
    }
  }
  const beat = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => undefined);
  }, BEAT_MS);
  beat.unref();
  try {
    return await work({ same });
  } finally {
    clearInterval(beat);
    if ((await holderOf(path))?.pid === process.pid) await unlink(path).catch(() => undefined);
  }
}

async function removed(path: string): Promise<boolean> {
  return unlink(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code === "ENOENT",
  );
}

/** True if the lock has been acquired, or if locks cannot be created here at all. */
async function take(path: string, purpose: string): Promise<boolean> {
  const holder: Holder = { pid: process.pid, host: hostname(), purpose };
  try {
    const handle = await open(path, "wx");
    const written = await handle.writeFile(JSON.stringify(holder)).then(
      () => true,
      () => false,
    );
    await handle.close();
    if (!written) await unlink(path);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "EEXIST";
  }
}

/** Undefined for a lock file that does not exist or, after a short wait, still cannot be read. */
async function holderOf(path: string): Promise<Holder | undefined> {
  for (let tries = 0; tries < 3; tries++) {
    try {
      return JSON.parse(await readFile(path, "utf8")) as Holder;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      await sleep(20);
    }
  }
  return undefined;
}

async function isStale(path: string, holder: Holder): Promise<boolean> {
  if (holder.host === hostname() && !isAlive(holder.pid)) return true;
  const state = await stat(path).catch(() => undefined);
  return state !== undefined && Date.now() - state.mtimeMs > STALE_MS;
}
