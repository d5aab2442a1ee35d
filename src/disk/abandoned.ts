import { readFileSync } from "node:fs";
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

const BOOT = "/proc/sys/kernel/random/boot_id";

/** When a process of this machine began; `ended` for one that has, empty if the system does not say. */
export function startOf(pid: number): string {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name of the program, in brackets, may have blanks. Proc(5): the state is field 3, the start field 22.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return /[ZX]/.test(fields[0]) ? "ended" : `${readFileSync(BOOT, "latin1").trim()} ${fields[19]}`;
  } catch {
    return "";
  }
}

/** Whether a process of this machine has ended, also if another one has its id now. */
export function hasEnded({ pid, started }: { readonly pid: number; readonly started?: string }): boolean {
  if (!isAlive(pid)) return true;
  const now = startOf(pid);
  if (pid === process.pid) return started !== now;
  return now === "ended" || (now !== "" && started !== undefined && started !== "" && started !== now);
}
