import type { CodeOf, ErrorCode } from "./codes.js";
import { scrub } from "./secrets.js";
import { visibleStack } from "./stack.js";

/**
 * What a caller may do about a failed request: whether the same call can succeed later, and the wait the service asked
 * for.
 */
export interface RetryAdvice {
  readonly retryable: boolean;
  /** Milliseconds to wait at least before the next try. */
  readonly after?: number;
}

/** The fields that an {@link ArrowbookError} may have; all are optional except `code`. */
export interface ErrorDetails<Code extends string = ErrorCode> {
  /**
   * A stable name for programs: `UnknownColumn`, `BadCell`, …; for a service error the service's own code, such as
   * `QECx02`.
   */
  readonly code: Code;
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
  /** An {@link ErrorCode}; of a {@link ServiceError} the service's own code. */
  readonly code: ErrorCode | (string & {});
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

/** A wrong argument: an unknown column, option or value, or a value of the wrong type. */
export class InputError extends ArrowbookError {
  declare readonly code: CodeOf<"InputError">;

  constructor(message: string, details: ErrorDetails<CodeOf<"InputError">>) {
    super(message, details);
  }
}

/** Invalid data: a bad cell, or malformed CSV, JSON, XML, zip, Arrow or Parquet. */
export class DataError extends ArrowbookError {
  declare readonly code: CodeOf<"DataError">;

  constructor(message: string, details: ErrorDetails<CodeOf<"DataError">>) {
    super(message, details);
  }
}

/** An error that the service reports (spec 7). */
export class ServiceError extends ArrowbookError {
  /**
   * @param details `code` is the service's own code, scrubbed as any text of the service; `ExportPending` is this
   * package's.
   */
  constructor(message: string, details: ErrorDetails<CodeOf<"ServiceError"> | (string & {})>) {
    // The base class takes the codes of this package only, so that a misspelt one does not compile.
    super(message, { ...details, code: scrub(details.code) as ErrorCode });
  }
}

/** No usable reply: the service is unreachable, the connection timed out or broke, or redirects never end. */
export class TransportError extends ArrowbookError {
  declare readonly code: CodeOf<"TransportError">;

  constructor(message: string, details: ErrorDetails<CodeOf<"TransportError">>) {
    super(message, details);
  }
}

/** An error of the local file system: not found, access denied, disk full. */
export class FileError extends ArrowbookError {
  declare readonly code: CodeOf<"FileError">;

  constructor(message: string, details: ErrorDetails<CodeOf<"FileError">>) {
    super(message, details);
  }
}

/**
 * The same error of the same class, with another message and, where passed, other fields. The code stays.
 *
 * @returns a new error whose stack begins at the caller
 */
export function reworded<E extends ArrowbookError>(
  error: E,
  message: string,
  changes: Partial<Omit<ErrorDetails, "code">> = {},
): E {
  const Class = error.constructor as new (message: string, details: ErrorDetails<string>) => E;
  return new Class(message, { ...error, code: error.code, cause: error.cause, ...changes });
}

/** Whether `error` is one of this package and has one of these codes; a misspelt code does not compile. */
export function hasCode(error: unknown, ...codes: readonly ErrorCode[]): error is ArrowbookError {
  return isArrowbookError(error) && (codes as readonly string[]).includes(error.code);
}

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

/**
 * A foreign error without keys in its message, stack or fields (Node puts whole addresses into `input` and the like).
 */
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
