import { cachedRun, cacheRun, type EarlierRun } from "../cache/runs-on-disk.js";
import type { Session } from "./session.js";

/** The most runs that a connection remembers. */
const MOST_RUNS = 1_000;

/** The last run of a query by this connection, or by another with the same cache; sends no request. */
export async function earlierRun({ runs, settings }: Session, question: string): Promise<EarlierRun | undefined> {
  const found = runs.get(question);
  if (found !== undefined || settings.cache === undefined) return found;
  return cachedRun(settings.cache.path, asked(settings, question));
}

/** Remembers how much a query gave, also in the cache of the connection. */
export async function keepRun(
  { runs, settings }: Session,
  question: string,
  size: Omit<EarlierRun, "at">,
): Promise<void> {
  const run = { ...size, at: new Date().toISOString() };
  runs.delete(question);
  runs.set(question, run);
  const [oldest] = runs.keys();
  if (runs.size > MOST_RUNS) runs.delete(oldest);
  const { cache, warn } = settings;
  if (cache !== undefined) await cacheRun(cache.path, asked(settings, question), run, warn);
}

const asked = ({ url, apiKey, profile }: Session["settings"], question: string): string =>
  JSON.stringify([url, apiKey, profile.name, question]);
