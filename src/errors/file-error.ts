import { NO_DISK } from "../platform/node/files.js";
import type { CodeOf } from "./codes.js";
import { FileError } from "./errors.js";

export type FileOperation = "read" | "write" | "delete";

export interface FilePurpose {
  /** The kind of file, which precedes the path: `notebook`, `catalogue`. */
  readonly what?: string;
  /** The next step, if it differs from the default. */
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

/** Node's error codes and their meaning for a caller; the original code stays in `cause`. */
const MEANINGS: ReadonlyMap<string, SystemMeaning> = new Map<string, SystemMeaning>([
  ["ENOENT", NOT_FOUND],
  ["ENOTDIR", { ...NOT_FOUND, why: "a part of the path is not a folder" }],
  ["EACCES", DENIED],
  ["EPERM", DENIED],
  ["EROFS", { ...DENIED, why: "the file system is read-only" }],
  ["ENOSPC", FULL],
  ["EDQUOT", { ...FULL, why: "the disk quota is exceeded" }],
  [
    NO_DISK,
    {
      code: "NoDisk",
      why: "a page has no disk",
      hint: "Pass a File, a Blob, bytes or an address to read; take text or bytes to write, such as toCSV().",
    },
  ],
  ["EISDIR", { ...NOT_A_FILE, why: "it is a folder" }],
]);

/** Whether this is an error of the operating system. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  if (!(error instanceof Error)) return false;
  const { code, syscall } = error as NodeJS.ErrnoException;
  return typeof code === "string" && (typeof syscall === "string" || MEANINGS.has(code));
}

/**
 * The error for a failed file operation: the only place that translates error codes of the file system.
 *
 * @param cause the original error, which becomes the error's `cause`
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
  if (meaning.code === "FileNotFound" && operation === "read" && /[\n\r]/.test(path)) {
    const start = JSON.stringify(path.slice(0, 40));
    return new FileError(`There is no file of the name ${start}: a string is the path of a file.`, {
      code: meaning.code,
      hint: "Pass the content as bytes: new TextEncoder().encode(text).",
      cause,
    });
  }
  const absent = meaning.code === "FileNotFound" && operation === "write";
  const why = absent ? "its folder does not exist and cannot be created" : meaning.why;
  return new FileError(`${subject}: ${why}.`, { code: meaning.code, hint: hint ?? meaning.hint, cause });
}

/** Applies {@link fileError} to errors of the file system; returns any other error unchanged. */
export function toFileError(path: string, operation: FileOperation, error: unknown, purpose?: FilePurpose): unknown {
  return isSystemError(error) ? fileError(path, operation, error, purpose) : error;
}

/** The error for a path of a folder or a device. */
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
