import { follow } from "../../display/progress/follow.js";
import { type Document, readDocument } from "../../document/document.js";
import { isFailureReply } from "../../document/failure.js";
import { DataError, isArrowbookError } from "../../errors/errors.js";
import type { Call } from "../../spec/endpoints.js";
import type { ResourceName } from "../../spec/resources.js";
import type { Format } from "../../spec/vocabulary.js";
import { failureBody, wholeBody } from "../../transport/body.js";
import { retryBudget } from "../../transport/retry.js";
import { anySignal, sleep } from "../../transport/timer.js";
import { cachedReply, cacheReply, type ReplyOf } from "../cache/replies-on-disk.js";
import { address } from "./address.js";
import { checkContent, checkLastLine } from "./body.js";
import { type Answer, exchange } from "./exchange.js";
import { failed } from "./reply-failure.js";
import type { Session } from "./session.js";

/** A call whose reply has a format of the specification, unlike that of a bulk file. */
export type FormattedCall = Call & { readonly format: Format };

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

/** Options of a call for metadata. */
export interface MetadataCall {
  readonly signal?: AbortSignal;
  /** Requests the metadata even if the cache on disk has it. Default false. */
  readonly refresh?: boolean;
}

/** Which reply of a cache is used: that of a refresh time, or one younger than `maxAge` milliseconds; else none. */
interface CacheUse extends Pick<ReplyOf, "refreshed_at"> {
  readonly maxAge?: number;
  readonly signal?: AbortSignal;
}

/**
 * As {@link ask}, but takes the reply from the cache of the connection, if it has one that may be used, and puts it
 * there otherwise. `age` are the milliseconds since a reply of the cache was requested.
 */
export async function askCached<R extends ResourceName>(
  session: Session,
  resource: R,
  call: FormattedCall,
  { refreshed_at, maxAge, signal }: CacheUse,
): Promise<{ readonly document: Document<R>; readonly bytes: Uint8Array; readonly age?: number }> {
  const { cache, url, apiKey, profile, warn } = session.settings;
  if (cache === undefined || (refreshed_at ?? maxAge) === undefined) return ask(session, resource, call, signal);
  const question = JSON.stringify([url, apiKey, profile.name, call]);
  const of = { code: Object.values(call.codes).join("/"), question, refreshed_at };
  const found = await cachedReply(cache, of);
  if (found !== undefined && (maxAge === undefined || found.age < maxAge)) {
    const document = await readDocument(resource, call.format, found.body, profile);
    return { document, bytes: found.body, age: found.age };
  }
  const began = performance.now();
  const { document, bytes, header } = await ask(session, resource, call, signal);
  if (isSettled(refreshed_at, header("date"), performance.now() - began)) await cacheReply(cache, of, bytes, warn);
  return { document, bytes };
}

/**
 * Whether a reply that took `elapsed` milliseconds was requested after the second of its refresh: another refresh
 * within that second has the same time.
 *
 * @param date of the service's clock
 */
function isSettled(refreshed_at: string | undefined, date: string | null, elapsed: number): boolean {
  if (refreshed_at === undefined) return true;
  const replied = Date.parse(date ?? "");
  return (Number.isNaN(replied) ? Date.now() : replied) - elapsed >= Date.parse(refreshed_at) + 1_000;
}
