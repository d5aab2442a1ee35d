import { type Document, readDocument } from "../../document/document.js";
import type { Call } from "../../spec/endpoints.js";
import type { ResourceName } from "../../spec/resources.js";
import type { Format } from "../../spec/vocabulary.js";
import type { CacheSettings } from "../cache/cache-settings.js";
import { cachedReply, cacheReply } from "../cache/replies-on-disk.js";
import { type Reply, request } from "./request.js";
import type { Session } from "./session.js";

/** A call's parsed reply, with its headers and bytes. */
export interface ParsedReply<R extends ResourceName> {
  readonly document: Document<R>;
  readonly header: Reply["header"];
  readonly bytes: Uint8Array;
}

/** Sends a call in one format and parses the reply. */
export async function ask<R extends ResourceName>(
  session: Session,
  resource: R,
  call: Call & { readonly format: Format },
  signal?: AbortSignal,
): Promise<ParsedReply<R>> {
  const { bytes, header, disconnect } = await request(session, call, call.format, signal);
  try {
    return { document: await readDocument(resource, call.format, bytes, session.settings.profile), header, bytes };
  } catch (error) {
    disconnect();
    throw error;
  }
}

/**
 * As {@link ask}, but takes the reply from the cache of the connection, if it has one of this refresh time, and puts it
 * there otherwise.
 *
 * @param refreshedAt asked for if there is a cache; undefined if the service does not say
 */
export async function askCached<R extends ResourceName>(
  session: Session,
  resource: R,
  call: Call & { readonly format: Format },
  refreshedAt: () => Promise<string | undefined>,
  signal?: AbortSignal,
): Promise<{ readonly document: Document<R>; readonly isCached: boolean }> {
  const { cache } = session.settings;
  const refreshed_at = cache && (await refreshedAt());
  if (cache === undefined || refreshed_at === undefined) {
    return { ...(await ask(session, resource, call, signal)), isCached: false };
  }
  const { document, age } = await askThrough(session, resource, call, { cache, refreshed_at, signal });
  return { document, isCached: age !== undefined };
}

/**
 * As {@link ask}, but takes metadata from the cache of the connection while it is valid, unless `refresh` is true, and
 * puts what was requested there. `validFor` are the milliseconds for which it may be used again, undefined without a
 * cache.
 */
export async function askMetadata<R extends ResourceName>(
  session: Session,
  resource: R,
  call: Call & { readonly format: Format },
  { signal, refresh = false }: MetadataCall,
): Promise<{ readonly document: Document<R>; readonly validFor?: number }> {
  const { cache } = session.settings;
  if (cache === undefined || cache.metadata === 0) return ask(session, resource, call, signal);
  const maxAge = refresh ? 0 : cache.metadata;
  const { document, age = 0 } = await askThrough(session, resource, call, { cache, maxAge, signal });
  return { document, validFor: cache.metadata - age };
}

/** Options of a call for metadata. */
export interface MetadataCall {
  readonly signal?: AbortSignal;
  /** Requests the metadata even if the cache on disk has it. Default false. */
  readonly refresh?: boolean;
}

/** Which reply of a cache is used: that of a refresh time, or one younger than `maxAge` milliseconds. */
interface CacheUse {
  readonly cache: CacheSettings;
  readonly refreshed_at?: string;
  readonly maxAge?: number;
  readonly signal?: AbortSignal;
}

/** The reply of the cache with its age, or that of the service, which is put into the cache. */
async function askThrough<R extends ResourceName>(
  session: Session,
  resource: R,
  call: Call & { readonly format: Format },
  { cache, refreshed_at, maxAge, signal }: CacheUse,
): Promise<{ readonly document: Document<R>; readonly age?: number }> {
  const { url, apiKey, profile, warn } = session.settings;
  const question = JSON.stringify([url, apiKey, profile.name, call]);
  const of = { code: Object.values(call.codes).join("/"), question, refreshed_at };
  const found = await cachedReply(cache, of);
  if (found !== undefined && (maxAge === undefined || found.age < maxAge)) {
    return { document: await readDocument(resource, call.format, found.body, profile), age: found.age };
  }
  const { document, bytes } = await ask(session, resource, call, signal);
  await cacheReply(cache, of, bytes, warn);
  return { document };
}
