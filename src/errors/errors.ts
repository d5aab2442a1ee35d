import { scrub } from "./secrets.js";
import { visibleStack } from "./stack.js";

/** What a caller may do about a failed request: whether the same call can succeed later, and the wait the service asked for. */
export interface RetryAdvice {
  readonly retryable: boolean;
  /** Milliseconds to wait at least before the next try. */
  readonly after?: number;
}

/** The fields an {@link ArrowbookError} may carry; every one optional but `code`. */
export interface ErrorDetails {
  /** A stable word for programs: `UnknownColumn`, `BadCell`, …; for a service error the service's own code, such as `QECx02`. */
  readonly code: string;
  /** What to do next, one sentence. */
  readonly hint?: string;
  /** HTTP status of the answer. */
  readonly status?: number;
  /** The service's id of the request, from its answer headers, keys removed. */
  readonly requestId?: string;
  /** The first bytes of the answer's body, keys removed. */
  readonly body?: string;
  readonly retry?: RetryAdvice;
  /** Row of the data, counted from 0. */
  readonly row?: number;
  /** Column name. */
  readonly column?: string;
  /** The offending text. */
  readonly value?: string;
  /** Byte offset in the reply or file, counted from 0. */
  readonly offset?: number;
  readonly cause?: unknown;
}

/**
 * The one error family: what, where, what next. `message` never holds a key.
 *
 * @example
 * ```ts
 * import { ArrowbookError, Frame } from "arrowbook";
 * const frame = Frame.fromRows([{ a: 1 }], [{ name: "a", type: "Integer" }]);
 * try {
 *   frame.column("b");
 * } catch (error) {
 *   if (error instanceof ArrowbookError) console.log(error.code, error.hint); // UnknownColumn …
 * }
 * ```
 */
export class ArrowbookError extends Error {
  readonly code: string;
  declare readonly hint?: string;
  declare readonly status?: number;
  declare readonly requestId?: string;
  declare readonly body?: string;
  declare readonly retry?: RetryAdvice;
  declare readonly row?: number;
  declare readonly column?: string;
  declare readonly value?: string;
  declare readonly offset?: number;

  constructor(message: string, details: ErrorDetails) {
    super(scrub(message), details.cause === undefined ? undefined : { cause: scrubCause(details.cause) });
    this.name = new.target.name;
    this.code = details.code;
    if (details.hint !== undefined) this.hint = scrub(details.hint);
    if (details.status !== undefined) this.status = details.status;
    if (details.requestId !== undefined) this.requestId = scrub(details.requestId);
    if (details.body !== undefined) this.body = scrub(details.body);
    if (details.retry !== undefined) this.retry = details.retry;
    if (details.row !== undefined) this.row = details.row;
    if (details.column !== undefined) this.column = scrub(details.column);
    if (details.value !== undefined) this.value = scrub(clip(details.value));
    if (details.offset !== undefined) this.offset = details.offset;
    this.stack = visibleStack(this);
  }
}

/** The caller asked for something that cannot be: an unknown column, option or word, a wrong argument. */
export class InputError extends ArrowbookError {}

/** Bytes that are not what they claim to be: a bad cell, malformed CSV, JSON, XML or zip. */
export class DataError extends ArrowbookError {}

/** The service answered with an error (spec 7). */
export class ServiceError extends ArrowbookError {
  constructor(message: string, details: ErrorDetails) {
    // The code is the service's own text, which may hold what it was sent.
    super(message, { ...details, code: scrub(details.code) });
  }
}

/** No usable answer arrived: unreachable, timed out, cut off, redirected in circles. */
export class TransportError extends ArrowbookError {}

/** The local file system refused: disk full, not writable, in use. */
export class FileError extends ArrowbookError {}

/** True for every error this package makes, also when it comes from the other (CommonJS or ESM) half of the package. */
export function isArrowbookError(error: unknown): error is ArrowbookError {
  return error instanceof Error && typeof (error as { code?: unknown }).code === "string" && FAMILY.has(error.name);
}

const FAMILY = new Set(["ArrowbookError", "InputError", "DataError", "ServiceError", "TransportError", "FileError"]);

const LONGEST_VALUE = 200;

/** A value as an error shows it: at most 200 characters. */
export function clip(text: string): string {
  return text.length <= LONGEST_VALUE ? text : `${text.slice(0, LONGEST_VALUE)}… (${text.length} characters)`;
}

/** A foreign error without keys in its message, stack or fields (Node puts whole addresses into `input` and the like). */
function scrubCause(cause: unknown): unknown {
  if (cause instanceof ArrowbookError) return cause;
  if (cause instanceof Error) {
    const clean = new Error(
      scrub(cause.message),
      cause.cause === undefined ? undefined : { cause: scrubCause(cause.cause) },
    );
    clean.name = cause.name;
    if (cause.stack !== undefined) clean.stack = scrub(cause.stack);
    const code = (cause as { code?: unknown }).code;
    if (typeof code === "string") (clean as { code?: string }).code = scrub(code);
    return clean;
  }
  return typeof cause === "string" ? scrub(cause) : undefined;
}
