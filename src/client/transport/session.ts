import type { OnProgress } from "../../columns/io/progress.js";
import { digestName } from "../../disk/folders.js";
import { Limiter } from "./limiter.js";
import { metadataCache } from "./metadata-in-memory.js";
import type { Settings } from "./settings.js";

/** What the requests of one `connect` share. */
export type Session = Readonly<ReturnType<typeof session>>;

/** Creates the session of a `connect`; sessions with the same service and key share the limiter. */
export function session(settings: Settings) {
  const memory = metadataCache();
  return { settings, limiter: limiterFor(settings), memory };
}

/** A session that reports to `onProgress`: requests within a task that already reports do not start another one. */
export function reportingTo(session: Session, onProgress: OnProgress): Session {
  return { ...session, settings: { ...session.settings, onProgress } };
}

const shared = new Map<string, Limiter>();

/**
 * The limiter of a service and key, shared by all `connect` calls of this process with the same service, key and
 * limits.
 */
function limiterFor(settings: Settings): Limiter {
  const { concurrency, windows } = settings.limits;
  const identity = `${accountOf(settings)} ${concurrency} ${JSON.stringify(windows)}`;
  const limiter = shared.get(identity) ?? new Limiter(concurrency, windows);
  shared.set(identity, limiter);
  return limiter;
}

/** An identifier for "this key at this service" that does not reveal the key. */
export function accountOf(settings: Settings): string {
  return digestName(settings.url, settings.apiKey ?? "").slice(0, 24);
}
