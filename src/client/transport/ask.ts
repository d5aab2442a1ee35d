import { follow } from "../../display/progress/follow.js";
import { type Document, readDocument } from "../../document/document.js";
import { isFailureReply } from "../../document/failure.js";
import { DataError, isArrowbookError } from "../../errors/errors.js";
import type { Call } from "../../spec/endpoints.js";
import type { ResourceName } from "../../spec/resources.js";
import type { Format } from "../../spec/vocabulary.js";
import type { CacheSettings } from "../cache/cache-settings.js";
import { cachedReply, cacheReply } from "../cache/replies-on-disk.js";
import { address } from "./address.js";
import { checkContent, checkLastLine, failureBody, wholeBody } from "./body.js";
import { type Answer, exchange } from "./exchange.js";
import { failed } from "./reply-failure.js";
import { retryBudget } from "./retry.js";
import type { Session } from "./session.js";
import { anySignal, sleep } from "./timer.js";

/** A call whose reply has a format of the specification, unlike that of a bulk file. */
type FormattedCall = Call & { readonly format: Format };

/** A complete reply with status 200. */
interface Reply extends Pick<Answer, "header" | "disconnect"> {
  readonly bytes: Uint8Array;
}

type ParsedReply<R extends ResourceName> = Pick<Reply, "header" | "bytes"> & { readonly document: Document<R> };

/**
 * Sends a call and reads its whole reply. Temporary failures, classified by the service's error code, else by the
 * status, are retried.
 *
 * @throws {ServiceError}
 * @throws {TransportError}
 * @throws {DataError} ; the signal's reason on abort
 */
export function request(session: Session, call: FormattedCall, signal?: AbortSignal): Promise<Reply> {
  const { url, profile } = session.settings;
  return requestAt(session, address(call, url, profile), Object.values(call.codes).join("/"), call.format, signal);
}

/** Sends a GET to an address of the service, as {@link request} does; `code` is for progress events. */
export async function requestAt(
  session: Session,
  where: string,
  code: string,
  format: Format,
  outer?: AbortSignal,
): Promise<Reply> {
  const { settings, limiter } = session;
  const signal = anySignal(outer, settings.signal);
  const budget = retryBudget(settings.retry);
  const { tell, end } = follow(settings.onProgress);
  try {
    for (;;) {
      signal?.throwIfAborted();
      try {
        const reply = await attempt(session, where, format, signal);
        limiter.succeeded();
        return reply;
      } catch (error) {
        if (signal?.aborted) throw signal.reason;
        const pause = budget.pauseFor(error);
        tell({ phase: "retry", code, status: isArrowbookError(error) ? error.code : undefined, pause });
        await sleep(pause, signal);
      }
    }
  } finally {
    end();
  }
}

/** One exchange, within the limits of the key. */
async function attempt(session: Session, where: string, format: Format, signal?: AbortSignal): Promise<Reply> {
  const { settings, limiter } = session;
  const leave = await limiter.enter(signal, settings.retry.budget);
  try {
    const answer = await exchange(settings, where, { keyed: true, signal, total: settings.timeouts.total });
    return await replyOf(session, answer, format).catch((error: unknown) => {
      if (error instanceof DataError) answer.disconnect();
      throw error;
    });
  } finally {
    leave();
  }
}

async function replyOf(session: Session, answer: Answer, format: Format): Promise<Reply> {
  const { settings } = session;
  if (answer.status !== 200) throw failed(session, answer, await failureBody(answer));
  const bytes = await wholeBody(answer, settings.limits.replyBytes);
  if (isFailureReply(bytes, settings.profile)) throw failed(session, answer, bytes);
  checkContent(answer, bytes, format);
  if (format === "csv") checkLastLine(answer, bytes, settings.warn);
  return { bytes, header: answer.header, disconnect: answer.disconnect };
}

/** Sends a call in one format and parses the reply. */
export async function ask<R extends ResourceName>(
  session: Session,
  resource: R,
  call: FormattedCall,
  signal?: AbortSignal,
): Promise<ParsedReply<R>> {
  const { bytes, header, disconnect } = await request(session, call, signal);
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
  call: FormattedCall,
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
  call: FormattedCall,
  { signal, refresh = false }: MetadataCall,
): Promise<{ readonly document: Document<R>; readonly validFor?: number }> {
  const { cache } = session.settings;
  if (cache === undefined || cache.metadata === 0) return ask(session, resource, call, signal);
  const maxAge = refresh ? 0 : cache.metadata;
  const { document, age = 0 } = await askThrough(session, resource, call, { cache, maxAge, signal });
  return { document, validFor: cache.metadata - age };
}

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
  call: FormattedCall,
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
