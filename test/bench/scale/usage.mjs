// Time, processor time, memory and disk of processes, from /proc: Linux only.
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Clock ticks a second of /proc/PID/stat. */
const TICKS = 100;

/** Peak memory of a process in MB. */
export function peakOf(pid) {
  const [, kilobytes] = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Math.round(Number(kilobytes) / 1024);
}

/** Processor seconds of a process, all threads. */
export function cpuOf(pid) {
  const text = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

/** Runs `work`; `pid` is the process on the other side, whose processor time and memory are measured too. */
export async function measured(work, pid) {
  const [began, cpu] = [performance.now(), cpuOf("self")];
  const other = pid === undefined ? 0 : cpuOf(pid);
  const facts = await work();
  return {
    seconds: (performance.now() - began) / 1000,
    cpu: cpuOf("self") - cpu,
    peak: peakOf("self"),
    ...(pid === undefined ? {} : { otherCpu: cpuOf(pid) - other, otherPeak: peakOf(pid) }),
    ...facts,
  };
}

/** Bytes of a file or folder on disk. */
export function bytesOf(path) {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return 0;
  if (!stats.isDirectory()) return stats.size;
  return readdirSync(path).reduce((sum, name) => sum + bytesOf(join(path, name)), 0);
}
