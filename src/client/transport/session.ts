import type { OnProgress } from "../../columns/io/progress.js";
import { type Limiter, limiterFor } from "./limiter.js";
import { type MetadataCache, metadataCache } from "./metadata-in-memory.js";
import type { Settings } from "./settings.js";

/** What the requests of one `connect` share. */
export interface Session {
  readonly settings: Settings;
  readonly limiter: Limiter;
  /** Metadata of its queries. */
  readonly memory: MetadataCache;
}

/** Creates the session of a `connect`; sessions with the same service and key share the limiter. */
export function session(settings: Settings): Session {
  return { settings, limiter: limiterFor(settings), memory: metadataCache() };
}

/** A session that reports to `onProgress`: requests within a task that already reports do not start another one. */
export function reportingTo(session: Session, onProgress: OnProgress): Session {
  return { ...session, settings: { ...session.settings, onProgress } };
}
