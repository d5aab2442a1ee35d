import { HOST, type TempName } from "./temp-name.js";

/**
 * After a day without a write a temporary file of another machine counts as abandoned: its process cannot be looked up.
 */
const OLD_MS = 24 * 60 * 60 * 1000;

/**
 * Whether a temporary file is no longer written. Files of this process count as abandoned: the caller excludes its own.
 *
 * @param mtimeMs when the file was last written
 */
export function isAbandoned({ host, pid }: TempName, mtimeMs: number): boolean {
  if (host !== HOST) return Date.now() - mtimeMs > OLD_MS;
  return pid === process.pid || !isAlive(pid);
}

/** Whether a process of this machine runs. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
