import type { OnProgress } from "../../columns/io/progress.js";
import { unlessAborted } from "../../errors/unless-aborted.js";
import { digestOf } from "../../platform/node/process.js";
import type { EarlierRun } from "../cache/runs-on-disk.js";
import { Limiter } from "./limiter.js";
import type { Settings } from "./settings.js";

/** What the requests of one `connect` share. */
export type Session = Readonly<ReturnType<typeof session>>;

/** Creates the session of a `connect`; sessions with the same service and key share the limiter. */
export function session(settings: Settings) {
  const memory = metadataCache();
  return { settings, limiter: limiterFor(settings), memory, runs: new Map<string, EarlierRun>() };
}

/** A session that reports to `onProgress`: requests within a task that already reports do not start another one. */
export function reportingTo(session: Session, onProgress: OnProgress): Session {
  return { ...session, settings: { ...session.settings, onProgress } };
}

/** The limiters of this process by service, key and limits. */
export const limiters = new Map<string, Limiter>();

/**
 * The limiter of a service and key, shared by all `connect` calls of this process with the same service, key and
 * limits.
 */
function limiterFor(settings: Settings): Limiter {
  const { concurrency, windows } = settings.limits;
  const identity = `${accountOf(settings)} ${concurrency} ${JSON.stringify(windows)}`;
  const limiter = limiters.get(identity) ?? new Limiter(concurrency, windows);
  limiters.set(identity, limiter);
  return limiter;
}

/** An identifier for "this key at this service" that does not reveal the key. */
export function accountOf(settings: Settings): string {
  return digestOf(`${settings.url}\n${settings.apiKey ?? ""}`, "sha256").slice(0, 24);
}

interface Entry {
  readonly until: number;
  readonly value: Promise<unknown>;
  /** Aborts the request for the value. */
  readonly signal?: AbortSignal;
  arrived?: unknown;
}

const LIFE_MS = 10 * 60 * 1000;

/**
 * A cache of ten minutes for metadata that is requested only to check names and look up types; failures are not cached.
 */
export function metadataCache(now: () => number = () => performance.now()) {
  const kept = new Map<string, Entry>();
  const entry = (key: string): Entry | undefined => {
    const found = kept.get(key);
    return found && now() < found.until ? found : undefined;
  };
  const keep = (key: string, made: Entry): void => {
    kept.delete(key);
    // The oldest come first.
    for (const [other, { until }] of kept) {
      if (now() < until) break;
      kept.delete(other);
    }
    kept.set(key, made);
  };
  return {
    /** Fetches the value again and replaces the cached one, which is used for at most `validFor` milliseconds. */
    async renew<T>(key: string, make: () => Promise<{ value: T; validFor?: number }>): Promise<T> {
      const { value, validFor = LIFE_MS } = await make();
      keep(key, { until: now() + Math.min(LIFE_MS, validFor), value: Promise.resolve(value), arrived: value });
      return value;
    },
    /** The value, if it has arrived; sends no request and waits for none. */
    peek<T>(key: string): T | undefined {
      return entry(key)?.arrived as T | undefined;
    },
    /** The cached value, if any; sends no request. */
    async known<T>(key: string): Promise<T | undefined> {
      return (await entry(key)?.value.catch(() => undefined)) as T | undefined;
    },
    /**
     * The cached value, or that of `make`, whose request `signal` aborts. A call that waits for the request of another
     * stops waiting when its own signal aborts, and makes the value itself if the other was aborted.
     */
    async remember<T>(key: string, make: () => Promise<T>, signal?: AbortSignal): Promise<T> {
      for (let known = entry(key); known !== undefined; known = entry(key)) {
        try {
          return (await unlessAborted(known.value, signal)) as T;
        } catch (error) {
          if (signal?.aborted || known.signal?.aborted !== true) throw error;
          if (kept.get(key) === known) kept.delete(key);
        }
      }
      const value = make();
      const made: Entry = { until: now() + LIFE_MS, value, signal };
      keep(key, made);
      value.then(
        (arrived) => {
          made.arrived = arrived;
        },
        () => kept.get(key) === made && kept.delete(key),
      );
      return value;
    },
  };
}
