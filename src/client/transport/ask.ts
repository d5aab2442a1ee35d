import { type Document, readDocument } from "../../document/document.js";
import type { Call } from "../../spec/endpoints.js";
import type { ResourceName } from "../../spec/resources.js";
import type { Format } from "../../spec/vocabulary.js";
import { cachedReply, cacheReply } from "../cache/reply-cache.js";
import { type Reply, request } from "./request.js";
import type { Session } from "./session.js";

/** A call's parsed reply, with its headers. */
export interface ParsedReply<R extends ResourceName> {
  readonly document: Document<R>;
  readonly header: Reply["header"];
}

/** Sends a call in one format and parses the reply. */
export async function ask<R extends ResourceName>(
  session: Session,
  resource: R,
  call: Call & { readonly format: Format },
  signal?: AbortSignal,
): Promise<ParsedReply<R>> {
  const { document, header } = await askBytes(session, resource, call, signal);
  return { document, header };
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
  const { settings } = session;
  const refreshed_at = settings.cache && (await refreshedAt());
  if (settings.cache === undefined || refreshed_at === undefined) {
    return { ...(await ask(session, resource, call, signal)), isCached: false };
  }
  const of = { ...replyOf(session, call), refreshed_at };
  const found = await cachedReply(settings.cache, of);
  if (found !== undefined) {
    return { document: await readDocument(resource, call.format, found.body, settings.profile), isCached: true };
  }
  const { document, bytes } = await askBytes(session, resource, call, signal);
  await cacheReply(settings.cache, of, bytes, settings.warn);
  return { document, isCached: false };
}

/** Metadata, and the milliseconds for which it may be used again. */
export interface ParsedMetadata<R extends ResourceName> {
  readonly document: Document<R>;
  /** Undefined without a cache. */
  readonly validFor?: number;
}

/**
 * As {@link ask}, but takes metadata from the cache of the connection while it is valid, unless `refresh` is true, and
 * puts what was requested there.
 */
export async function askMetadata<R extends ResourceName>(
  session: Session,
  resource: R,
  call: Call & { readonly format: Format },
  { signal, refresh = false }: MetadataCall,
): Promise<ParsedMetadata<R>> {
  const { cache, profile, warn } = session.settings;
  if (cache === undefined || cache.metadata === 0) return ask(session, resource, call, signal);
  const of = replyOf(session, call);
  const found = refresh ? undefined : await cachedReply(cache, of);
  if (found !== undefined && found.age < cache.metadata) {
    const document = await readDocument(resource, call.format, found.body, profile);
    return { document, validFor: cache.metadata - found.age };
  }
  const { document, bytes } = await askBytes(session, resource, call, signal);
  await cacheReply(cache, of, bytes, warn);
  return { document, validFor: cache.metadata };
}

/** Options of a call for metadata. */
export interface MetadataCall {
  readonly signal?: AbortSignal;
  /** Requests the metadata even if the cache on disk has it. Default false. */
  readonly refresh?: boolean;
}

function replyOf({ settings }: Session, call: Call): { readonly code: string; readonly question: string } {
  const question = JSON.stringify([settings.url, settings.apiKey, settings.profile.name, call]);
  return { code: Object.values(call.codes).join("/"), question };
}

async function askBytes<R extends ResourceName>(
  session: Session,
  resource: R,
  call: Call & { readonly format: Format },
  signal: AbortSignal | undefined,
): Promise<ParsedReply<R> & Pick<Reply, "bytes">> {
  const { bytes, header, disconnect } = await request(session, call, call.format, signal);
  try {
    return { document: await readDocument(resource, call.format, bytes, session.settings.profile), header, bytes };
  } catch (error) {
    disconnect();
    throw error;
  }
}
