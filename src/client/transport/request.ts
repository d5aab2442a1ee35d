import { follow } from "../../display/progress/follow.js";
import { isFailureReply } from "../../document/failure.js";
import { DataError, isArrowbookError } from "../../errors/errors.js";
import type { Call } from "../../spec/endpoints.js";
import type { Format } from "../../spec/vocabulary.js";
import { address } from "./address.js";
import { checkContent, checkLastLine, failureBody, wholeBody } from "./body.js";
import { type Answer, exchange } from "./exchange.js";
import { failed } from "./reply-failure.js";
import { retryBudget } from "./retry.js";
import type { Session } from "./session.js";
import { sleep } from "./timer.js";

/** A complete reply with status 200. */
export interface Reply {
  readonly bytes: Uint8Array;
  header(name: string): string | null;
  /** See {@link Answer.disconnect}. */
  disconnect(): void;
}

/**
 * Sends a call and reads its whole reply. Temporary failures, classified by the service's error code, else by the
 * status, are retried.
 *
 * @throws {ServiceError}
 * @throws {TransportError}
 * @throws {DataError} ; the signal's reason on abort
 */
export async function request(session: Session, call: Call, format: Format, signal?: AbortSignal): Promise<Reply> {
  const { url, profile } = session.settings;
  return requestAt(session, address(call, url, profile), { code: Object.values(call.codes).join("/"), format, signal });
}

/** Options of {@link requestAt}. */
interface RequestOptions {
  /** What is requested, for progress events. */
  readonly code: string;
  readonly format: Format;
  readonly signal?: AbortSignal;
}

/** Sends a GET to an address of the service, as {@link request} does. */
export async function requestAt(session: Session, where: string, options: RequestOptions): Promise<Reply> {
  const { settings, limiter } = session;
  const { code, format } = options;
  const signal = anySignal(options.signal, settings.signal);
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
        const status = isArrowbookError(error) ? error.code : undefined;
        tell({ phase: "retry", code, status, pause });
        await sleep(pause, signal);
      }
    }
  } finally {
    end();
  }
}

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

/** Combines signals, including that of the running notebook cell; undefined if there are none. */
export function anySignal(...signals: readonly (AbortSignal | undefined)[]): AbortSignal | undefined {
  const given = [...signals, cellSignal()].filter((signal) => signal !== undefined);
  return given.length > 1 ? AbortSignal.any(given) : given[0];
}

/** The kernel stores the signal of the running cell here, so that interrupting a cell aborts its requests. */
function cellSignal(): AbortSignal | undefined {
  return (globalThis as { [CELL_SIGNAL]?: AbortSignal })[CELL_SIGNAL];
}

const CELL_SIGNAL = Symbol.for("arrowbook.signal");
