import type { CodeOf } from "./codes.js";
import { FileError } from "./errors.js";

/** What was being done with a path. */
export type FileOperation = "read" | "write" | "delete";

/** What the message adds to the path. */
export interface FilePurpose {
  /** The kind of file, named before the path: `notebook`, `catalogue`. */
  readonly what?: string;
  /** The next step, where it is not the usual one. */
  readonly hint?: string;
}

interface SystemMeaning {
  readonly code: CodeOf<"FileError">;
  readonly why: string;
  readonly hint: string;
}

const NOT_FOUND = { code: "FileNotFound", why: "it does not exist", hint: "Check the path." } as const;
const DENIED = {
  code: "AccessDenied",
  why: "permission denied",
  hint: "Check the permissions of the path, or use another folder.",
} as const;
const FULL = { code: "DiskFull", why: "the disk is full", hint: "Free some space, or use another disk." } as const;
const NOT_A_FILE = { code: "NotAFile", why: "it is not a file", hint: "Pass the path of a file." } as const;

/** The codes of Node and what they mean to a caller; the code itself stays in `cause`. */
const MEANINGS: ReadonlyMap<string, SystemMeaning> = new Map<string, SystemMeaning>([
  ["ENOENT", NOT_FOUND],
  ["ENOTDIR", { ...NOT_FOUND, why: "a part of the path is not a folder" }],
  ["EACCES", DENIED],
  ["EPERM", DENIED],
  ["EROFS", { ...DENIED, why: "the file system is read-only" }],
  ["ENOSPC", FULL],
  ["EDQUOT", { ...FULL, why: "the disk quota is exceeded" }],
  ["EISDIR", { ...NOT_A_FILE, why: "it is a folder" }],
]);

/** Whether the file system reported this error. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  if (!(error instanceof Error)) return false;
  const { code, syscall } = error as NodeJS.ErrnoException;
  return typeof code === "string" && (typeof syscall === "string" || MEANINGS.has(code));
}

/**
 * The error for a path that could not be used: the only place that translates the codes of the file system.
 *
 * @param cause what the file system reported; it becomes the error's `cause`
 */
export function fileError(
  path: string,
  operation: FileOperation,
  cause: unknown,
  { what, hint }: FilePurpose = {},
): FileError {
  const subject = `Cannot ${operation} ${what === undefined ? "" : `the ${what} `}${path}`;
  const meaning = isSystemError(cause) ? MEANINGS.get(cause.code as string) : undefined;
  if (meaning === undefined) {
    const reason = cause instanceof Error ? cause.message.replace(/\.$/, "") : String(cause);
    return new FileError(`${subject}: ${reason}.`, { code: "FileFailed", hint: hint ?? "Check the path.", cause });
  }
  const absent = meaning.code === "FileNotFound" && operation === "write";
  const why = absent ? "its folder does not exist and cannot be made" : meaning.why;
  return new FileError(`${subject}: ${why}.`, { code: meaning.code, hint: hint ?? meaning.hint, cause });
}

/** {@link fileError} for an error of the file system; any other error as it is. */
export function toFileError(path: string, operation: FileOperation, error: unknown, purpose?: FilePurpose): unknown {
  return isSystemError(error) ? fileError(path, operation, error, purpose) : error;
}

/** The error for a path that names a folder or a device. */
export function notAFile(path: string): FileError {
  return new FileError(`Cannot read ${path}: it is not a file.`, { code: NOT_A_FILE.code, hint: NOT_A_FILE.hint });
}

/** The error for a file of `need` bytes on a disk with `free` bytes. */
export function noSpace(path: string, need: number, free: number): FileError {
  return new FileError(`Cannot write ${path}: the disk is full. The file needs ${need} bytes; ${free} are free.`, {
    code: FULL.code,
    hint: FULL.hint,
  });
}
