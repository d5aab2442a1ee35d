import { installHint } from "../platform/node/packages.js";
import type { CodeOf, ErrorCode } from "./codes.js";
import { scrub } from "./secrets.js";
import { visibleStack } from "./stack.js";

/** Whether a failed request can be retried, and the delay that the service requested. */
export interface RetryAdvice {
  readonly retryable: boolean;
  /** The least delay before the next attempt, in milliseconds. */
  readonly after?: number;
}

/** The fields of an {@link ArrowbookError}; all except `code` are optional. */
type ErrorDetails<Code extends string = ErrorCode> = Partial<Pick<ArrowbookError, (typeof FIELDS)[number]>> & {
  readonly code: Code;
  readonly cause?: unknown;
};

const FIELDS = [
  "hint",
  "status",
  "requestId",
  "body",
  "retry",
  "row",
  "line",
  "column",
  "value",
  "offset",
] as const satisfies readonly (keyof ArrowbookError)[];

/**
 * The base class of all errors of this package. `message` never contains a key.
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
export class ArrowbookError<Code extends string = ErrorCode | (string & {})> extends Error {
  /** Stated for each class: programs that shorten code rename classes. */
  static override readonly name: string = "ArrowbookError";
  /** An {@link ErrorCode}, or the service's own code for a {@link ServiceError}. */
  readonly code: Code;
  /** What to do next, in one sentence. */
  declare readonly hint?: string;
  /** HTTP status of the reply. */
  declare readonly status?: number;
  /** The service's id of the request, for its support. */
  declare readonly requestId?: string;
  /** The first bytes of the reply, without keys. */
  declare readonly body?: string;
  /** Whether the same call can succeed later, and when. */
  declare readonly retry?: RetryAdvice;
  /** Row of the data, counted from 0. */
  declare readonly row?: number;
  /** Line of the file, counted from 1. */
  declare readonly line?: number;
  /** Name of the column. */
  declare readonly column?: string;
  /** The offending value, at most 200 characters of it. */
  declare readonly value?: string;
  /** Byte offset in the reply or file, counted from 0. */
  declare readonly offset?: number;

  constructor(message: string, details: ErrorDetails<Code>) {
    super(scrub(message), details.cause === undefined ? undefined : { cause: scrubCause(details.cause) });
    this.name = new.target.name;
    this.code = scrub(details.code) as Code;
    for (const name of FIELDS) {
      const given = details[name];
      const value = typeof given === "string" ? scrub(name === "value" ? clip(given) : given) : given;
      if (value !== undefined) Object.assign(this, { [name]: value });
    }
    this.stack = visibleStack(this);
  }
}

/** A wrong argument: an unknown column, option or value, or a value of the wrong type. */
export class InputError extends ArrowbookError<CodeOf<"InputError">> {
  static override readonly name: string = "InputError";
}

/** Invalid data: a bad cell, or malformed CSV, JSON, XML, zip, Arrow or Parquet. */
export class DataError extends ArrowbookError<CodeOf<"DataError">> {
  static override readonly name: string = "DataError";
}

/**
 * An error that the service reports (spec 7). Its `code` is the service's own code, without keys like all text from the
 * service; only `ExportPending` is a code of this package.
 */
export class ServiceError extends ArrowbookError<CodeOf<"ServiceError"> | (string & {})> {
  static override readonly name: string = "ServiceError";
}

/** No usable reply: the service is unreachable, the connection timed out or broke, or redirects loop. */
export class TransportError extends ArrowbookError<CodeOf<"TransportError">> {
  static override readonly name: string = "TransportError";
}

/** An error of the local file system: not found, access denied, disk full. */
export class FileError extends ArrowbookError<CodeOf<"FileError">> {
  static override readonly name: string = "FileError";
}

/**
 * The same error with another message and, optionally, other fields; class and code stay.
 *
 * @returns a new error whose stack starts at the caller
 */
export function reworded<E extends ArrowbookError>(
  error: E,
  message: string,
  changes: Partial<Omit<ErrorDetails, "code">> = {},
): E {
  const Class = error.constructor as new (message: string, details: ErrorDetails<string>) => E;
  return new Class(message, { ...error, code: error.code, cause: error.cause, ...changes });
}

/** Whether `error` is an error of this package with one of these codes; a misspelt code does not compile. */
export function hasCode(error: unknown, ...codes: readonly ErrorCode[]): error is ArrowbookError {
  return isArrowbookError(error) && (codes as readonly string[]).includes(error.code);
}

/** Whether `error` is an error of this package, also one from its other module format (CommonJS or ESM). */
export function isArrowbookError(error: unknown): error is ArrowbookError {
  return error instanceof Error && typeof (error as { code?: unknown }).code === "string" && FAMILY.has(error.name);
}

const FAMILY = new Set(["ArrowbookError", "InputError", "DataError", "ServiceError", "TransportError", "FileError"]);

const LONGEST_VALUE = 200;

/** A value as errors show it: at most 200 characters. */
export function clip(text: string): string {
  return text.length <= LONGEST_VALUE ? text : `${text.slice(0, LONGEST_VALUE)}… (${text.length} characters)`;
}

/**
 * Removes keys from the message, stack and fields of a foreign error (Node puts whole URLs into fields such as
 * `input`).
 */
function scrubCause(cause: unknown): unknown {
  if (cause instanceof ArrowbookError) return cause;
  if (cause instanceof Error) {
    const inner = cause.cause === undefined ? undefined : { cause: scrubCause(cause.cause) };
    const clean = new Error(scrub(cause.message), inner);
    clean.name = cause.name;
    if (cause.stack !== undefined) clean.stack = scrub(cause.stack);
    const code = (cause as { code?: unknown }).code;
    if (typeof code === "string") (clean as { code?: string }).code = scrub(code);
    return clean;
  }
  return typeof cause === "string" ? scrub(cause) : undefined;
}

/** The error of a call that needs an optional package, which is not installed. */
export const missingPackage = (message: string, packages: string, cause: unknown): InputError =>
  new InputError(message, { code: "MissingPackage", hint: installHint(packages), cause });
