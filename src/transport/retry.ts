import { ArrowbookError, hasCode, InputError, isArrowbookError, reworded, TransportError } from "../errors/errors.js";

/** How failed requests are retried; only temporary failures are. */
export interface Retry {
  /** The most attempts of one call, including the first. 0 and 1 send once. Default 5. */
  readonly attempts?: number;
  /**
   * The longest pause before the first retry; it doubles each time, and the actual pause is a random part of it.
   * Default 500 ms.
   */
  readonly pause?: number;
  /** The longest pause, except for a longer `Retry-After`, which is respected in full. Default 30,000 ms. */
  readonly maxPause?: number;
  /** The total of all pauses of one call. Default 300,000 ms. A `Retry-After` beyond it fails at once. */
  readonly budget?: number;
}

/**
 * The most attempts if the connection is refused or the name does not resolve, so that a service that is down is
 * reported within seconds.
 */
const UNREACHABLE_ATTEMPTS = 3;

export type RetryBudget = ReturnType<typeof retryBudget>;

/**
 * Starts the pauses of one call: random parts of a doubling interval, within one budget that progress refills. `random`
 * returns numbers in [0, 1);
 * several requests share the time of their pauses.
 */
export function retryBudget(
  retry: Required<Retry>,
  random: () => number = Math.random,
  pauses: { spent: number } = { spent: 0 },
) {
  let sent = 0;
  return {
    /** Returns the pause before the next attempt, or rethrows `error` if no further attempt is allowed or useful. */
    pauseFor(error: unknown): number {
      if (!isArrowbookError(error) || !error.retry?.retryable) throw error;
      sent++;
      const allowed = hasCode(error, "Unreachable") ? Math.min(UNREACHABLE_ATTEMPTS, retry.attempts) : retry.attempts;
      if (sent >= allowed) throw sent === 1 ? error : exhausted(error, sent);
      const drawn = random() * Math.min(retry.maxPause, retry.pause * 2 ** (sent - 1));
      const pause = Math.max(drawn, error.retry.after ?? 0);
      if (pauses.spent + pause > retry.budget) throw overBudget(error, pause);
      pauses.spent += pause;
      return pause;
    },
    /** Progress was made: resets attempts and pauses. */
    refill(): void {
      sent = 0;
      pauses.spent = 0;
    },
  };
}

/** The last error, with the number of attempts in its message. */
function exhausted(error: ArrowbookError, attempts: number): ArrowbookError {
  return reworded(error, `${error.message.replace(/\.$/, "")} (tried ${attempts} times).`);
}

function overBudget(error: ArrowbookError, pause: number): ArrowbookError {
  if (error.retry?.after === undefined) return error;
  const wait = pause < 120_000 ? `${Math.ceil(pause / 1000)} seconds` : `${Math.ceil(pause / 60_000)} minutes`;
  return reworded(error, error.message, {
    hint: `The service requests a pause of ${wait}; try again then, or raise retry.budget.`,
  });
}

/** Errors of Node's sockets and of `fetch` for which a retry may help, with their meaning where it has a name. */
const UNREACHABLE = new Map([
  ["ECONNREFUSED", "it refuses connections"],
  ["ENOTFOUND", "the host name does not resolve"],
  ...["EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "EHOSTDOWN"].map((code) => [code, code] as const),
]);
const TLS = /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|^EPROTO$/;
/** The reply of a server without encryption, read as one with it. */
const NOT_TLS = /^EPROTO$|WRONG_VERSION|PACKET_LENGTH/;

/** Converts rejections of `fetch` or of a body stream to TransportError; only `host` of the address appears. */
export function transportError(cause: unknown, host: string): unknown {
  if (cause instanceof ArrowbookError) return cause;
  const code = codeOf(cause);
  if (code && UNREACHABLE.has(code)) {
    return new TransportError(`The service at ${host} cannot be reached: ${UNREACHABLE.get(code)}.`, {
      code: "Unreachable",
      hint: "Check the address passed to connect() or in ARROWBOOK_URL, and that the service is running.",
      retry: { retryable: true },
      cause,
    });
  }
  if (code && TLS.test(code)) {
    return new TransportError(`The secure connection to ${host} failed: ${code}.`, {
      code: "Tls",
      hint: NOT_TLS.test(code)
        ? "If the service has no encryption, its address begins with http, not https."
        : "Check the certificate of the service and the clock of this machine.",
      retry: { retryable: false },
      cause,
    });
  }
  if (cause instanceof TypeError && /bad port/.test(String((cause.cause as Error | undefined)?.message))) {
    return new InputError(`Web requests cannot use the port of ${host}.`, {
      code: "BadAddress",
      hint: "Check the address passed to connect() or in ARROWBOOK_URL.",
      retry: { retryable: false },
      cause,
    });
  }
  return new TransportError(`The connection to ${host} broke${code ? ` (${code})` : ""}.`, {
    code: "ConnectionLost",
    hint: "Try again; if this persists, check the network.",
    retry: { retryable: true },
    cause,
  });
}

function codeOf(cause: unknown): string | undefined {
  for (let error = cause, depth = 0; error instanceof Error && depth < 5; error = error.cause, depth++) {
    const code = (error as NodeJS.ErrnoException).code;
    if (typeof code === "string") return code;
    if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  }
  return undefined;
}

/**
 * Milliseconds of a `Retry-After` header: seconds, or a date relative to the service's clock (its `Date` header), else
 * to the local one. 0 for a date in the past; undefined without the header or if it is malformed.
 */
export function retryAfter(headers: (name: string) => string | null | undefined): number | undefined {
  const text = headers("retry-after")?.trim();
  if (text === undefined) return undefined;
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const then = /^[A-Za-z]{3,9}, /.test(text) ? Date.parse(text) : Number.NaN;
  const theirs = Date.parse(headers("date") ?? "");
  const now = Number.isNaN(theirs) ? Date.now() : theirs;
  return Number.isNaN(then) ? undefined : Math.max(0, then - now);
}
