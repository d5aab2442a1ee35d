import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { atomicFile } from "../../disk/atomic-file.js";
import { digestName } from "../../disk/folders.js";
import { sweepFolderOnce } from "../../disk/sweep.js";

/** The size of what a query gave when it last ran. */
export interface EarlierRun {
  /** Rows that the service sent; undefined where only the length of a file is known. */
  readonly rows?: number;
  /** Bytes of these rows as sent, or of the file. */
  readonly bytes: number;
  /** ISO 8601. */
  readonly at: string;
}

/** A file of the cache: runs by a digest of their query, which reveals neither query nor key. */
const RUNS = "arrowbook-runs.json";
export const RUNS_NAME = /^arrowbook-runs\.json$/;

/** The most runs that are kept. */
const MOST_RUNS = 1_000;

/** The last run of a query; undefined if the cache does not have it, or is damaged. */
export async function cachedRun(cache: string, question: string): Promise<EarlierRun | undefined> {
  const run = (await runsIn(cache))[digestName(question)];
  return typeof run?.bytes === "number" && typeof run.at === "string" ? run : undefined;
}

/** Keeps the last run of a query. Of two processes that do so at once, one may be lost. */
export async function cacheRun(
  cache: string,
  question: string,
  run: EarlierRun,
  warn: (message: string) => void,
): Promise<void> {
  const name = digestName(question);
  const { [name]: _, ...others } = await runsIn(cache);
  const kept = Object.fromEntries([...Object.entries(others), [name, run]].slice(-MOST_RUNS));
  try {
    await mkdir(cache, { recursive: true });
    await sweepFolderOnce(cache);
    await atomicFile(join(cache, RUNS), (file) => file.writeFile(JSON.stringify(kept)), false);
  } catch (error) {
    warn(`The cache ${cache} cannot be written: ${(error as Error).message}`);
  }
}

async function runsIn(cache: string): Promise<Readonly<Record<string, EarlierRun | undefined>>> {
  try {
    const runs = JSON.parse(await readFile(join(cache, RUNS), "utf8"));
    return typeof runs === "object" && runs !== null ? runs : {};
  } catch {
    return {};
  }
}
