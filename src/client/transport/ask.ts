import { type Document, readDocument } from "../../document/document.js";
import type { Call } from "../../spec/endpoints.js";
import type { ResourceName } from "../../spec/resources.js";
import type { Format } from "../../spec/vocabulary.js";
import { cachedReply, cacheReply } from "../cache/reply-cache.js";
import { type Reply, request, type Session } from "./request.js";

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
  const code = Object.values(call.codes).join("/");
  const question = JSON.stringify([settings.url, settings.apiKey, settings.profile.name, call]);
  const of = { code, question, refreshed_at };
  const found = await cachedReply(settings.cache, of);
  if (found !== undefined) {
    return { document: await readDocument(resource, call.format, found, settings.profile), isCached: true };
  }
  const { document, bytes } = await askBytes(session, resource, call, signal);
  await cacheReply(settings.cache, of, bytes, settings.warn);
  return { document, isCached: false };
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
