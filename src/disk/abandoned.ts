import { hostDigits, type TempName } from "./temp-name.js";

/**
 * After a day without a write, a temporary file of another machine counts as abandoned: its process cannot be checked.
 */
const OLD_MS = 24 * 60 * 60 * 1000;

/**
 * Whether a temporary file has been abandoned. Files of this process count as abandoned: the caller must exclude those
 * in use.
 *
 * @param mtimeMs time of the last write
 */
export function isAbandoned({ host, pid }: TempName, mtimeMs: number): boolean {
  if (host !== hostDigits()) return Date.now() - mtimeMs > OLD_MS;
  return pid === process.pid || !isAlive(pid);
}

/** Whether a process is running on this machine. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
