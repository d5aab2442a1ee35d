import { appendFile, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { tempName } from "../../columns/io/temp-name.js";
import { TransportError } from "../../errors/errors.js";
import { accountOf } from "../transport/limiter.js";
import { isLocal, type Settings } from "../transport/options.js";

const HOUR_MS = 60 * 60 * 1000;
const inMemory = new Map<string, number[]>();

/**
 * Counts one export against the hourly limit of this key (spec 8: 60), across processes through a small file of times,
 * and throws before the service is asked when the limit is reached. A service on this machine is counted in this
 * process only.
 */
export async function countExport(settings: Settings, now: number = Date.now()): Promise<void> {
  const account = accountOf(settings);
  const limit = settings.limits.exportsPerHour;
  const local = isLocal(settings.url);
  const times = (local ? (inMemory.get(account) ?? []) : await readTimes(account)).filter(
    (time) => time > now - HOUR_MS && time <= now,
  );
  if (times.length >= limit) {
    const after = times[times.length - limit] + HOUR_MS - now;
    throw new TransportError(
      `${limit} exports were asked for with this key within the last hour, which is the limit (spec 8). The next one is possible in ${Math.ceil(after / 60_000)} minutes.`,
      {
        code: "ExportLimit",
        hint: "Wait, or use a file that was exported before; limits.exportsPerHour of connect() sets another limit.",
        retry: { retryable: false, after },
      },
    );
  }
  inMemory.set(account, [...times, now]);
  if (!local) await noteTime(account, times, now);
}

/** Folder of what must outlive a process: ARROWBOOK_STATE, else the usual place of the system. */
function stateFolder(): string {
  const { ARROWBOOK_STATE, XDG_STATE_HOME, LOCALAPPDATA } = process.env;
  if (ARROWBOOK_STATE) return ARROWBOOK_STATE;
  if (process.platform === "win32" && LOCALAPPDATA) return join(LOCALAPPDATA, "arrowbook");
  return join(XDG_STATE_HOME || join(homedir(), ".local", "state"), "arrowbook");
}

const fileOf = (account: string): string => join(stateFolder(), `exports-${account}`);

async function readTimes(account: string): Promise<number[]> {
  try {
    const lines = (await readFile(fileOf(account), "utf8")).split("\n");
    return lines.map(Number).filter((time) => time > 0);
  } catch {
    return inMemory.get(account) ?? [];
  }
}

/**
 * Appends a line, which is safe across processes; a long file is rewritten. In a read-only folder only the count across
 * processes is lost.
 */
async function noteTime(account: string, times: readonly number[], now: number): Promise<void> {
  try {
    await mkdir(stateFolder(), { recursive: true });
    const path = fileOf(account);
    await appendFile(path, `${now}\n`);
    if ((await readFile(path)).length < 16_384) return;
    const fresh = tempName(path, "file");
    await writeFile(fresh, [...times, now].map((time) => `${time}\n`).join(""));
    await rename(fresh, path);
  } catch {
    // The count continues in memory.
  }
}
