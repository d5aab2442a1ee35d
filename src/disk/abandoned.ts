import { readFileSync, readlinkSync } from "node:fs";
import { basename } from "node:path";
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

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

const BOOT = "/proc/sys/kernel/random/boot_id";

/** A thread of a process of this machine. */
export interface Runner {
  readonly pid: number;
  /** The system's number of the thread, where it can be read; that of the main thread is the process's. */
  readonly thread?: number;
  /** When that thread began, as the system counts it: numbers are reused. */
  readonly started?: string;
}

export function thisThread(): Runner {
  const { pid } = process;
  let thread = pid;
  try {
    thread = Number(basename(readlinkSync("/proc/thread-self")));
  } catch {
    // Only Linux names threads.
  }
  return { pid, thread, started: startOf(pid, thread) };
}

/** When a thread of a process began; `ended` for one that has and is still listed, empty if the system does not say. */
export function startOf(pid: number, thread = pid): string {
  try {
    const text = readFileSync(`/proc/${pid}/task/${thread}/stat`, "latin1");
    // The name of the program, in brackets, may have blanks. Proc(5): the state is field 3, the start field 22.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return /[ZX]/.test(fields[0]) ? "ended" : `${readFileSync(BOOT, "latin1").trim()} ${fields[19]}`;
  } catch {
    return "";
  }
}

/** Whether a thread of this machine has ended, also if another one has its number now. */
export function hasEnded({ pid, thread = pid, started }: Runner): boolean {
  if (!isAlive(pid)) return true;
  const now = startOf(pid, thread);
  if (pid === process.pid) return started !== now;
  // Systems hide the processes of other users: only of one that is seen is it known that a thread is missing.
  if (now === "") return thread !== pid && startOf(pid) !== "";
  return now === "ended" || (started !== undefined && started !== "" && started !== now);
}
