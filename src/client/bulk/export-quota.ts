import { appendFile, mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { atomicFile } from "../../disk/atomic-file.js";
import { stateFolder } from "../../disk/folders.js";
import { TransportError } from "../../errors/errors.js";
import { accountOf } from "../transport/session.js";
import { isLocal, type Settings } from "../transport/settings.js";

const HOUR_MS = 60 * 60 * 1000;
const inMemory = new Map<string, number[]>();

/**
 * Counts one export against the hourly limit of this key (spec 8: 60), across processes through a small file of times,
 * and throws before sending the request if the limit is reached. Exports from a service on this machine are counted in
 * this process only.
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
      `The limit of ${limit} exports per hour and key is reached. The next export is possible in ${Math.ceil(after / 60_000)} minutes.`,
      {
        code: "ExportLimit",
        hint: "Wait, or use an existing export; limits.exportsPerHour of connect() sets another limit.",
        retry: { retryable: false, after },
      },
    );
  }
  inMemory.set(account, [...times, now]);
  if (!local) await noteTime(account, times, now);
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
 * Appends a line, which is safe across processes; rewrites a long file. In a read-only folder, exports are counted in
 * this process only.
 */
async function noteTime(account: string, times: readonly number[], now: number): Promise<void> {
  try {
    await mkdir(stateFolder(), { recursive: true });
    const path = fileOf(account);
    await appendFile(path, `${now}\n`);
    if ((await readFile(path)).length < 16_384) return;
    await atomicFile(path, (file) => file.writeFile([...times, now].map((time) => `${time}\n`).join("")));
  } catch {
    // Counting continues in memory.
  }
}
