import { DataError, hasCode } from "../errors/errors.js";

/** The error for a valid archive that uses unsupported features. */
export function unsupportedZip(message: string, cause?: unknown): DataError {
  return new DataError(message, {
    code: "UnsupportedZip",
    hint: "Use an unencrypted archive that is stored or deflated.",
    cause,
  });
}

/**
 * Converts errors of yauzl and zlib to DataError; returns this package's errors, file system errors and aborts
 * unchanged.
 */
export function toZipError(cause: unknown, signal?: AbortSignal): unknown {
  if (signal?.aborted && cause === signal.reason) return cause;
  if (!(cause instanceof Error) || (cause.constructor !== Error && cause.constructor !== RangeError)) return cause;
  const { code } = cause as NodeJS.ErrnoException;
  if (code !== undefined && !code.startsWith("Z_") && !(cause instanceof RangeError)) return cause;
  if (cause.message.startsWith("strong encryption")) return unsupportedZip("The archive is encrypted.", cause);
  if (cause.message.startsWith("multi-disk")) return unsupportedZip("The archive is one part of several.", cause);
  const notZip = cause.message.startsWith("End of central directory");
  return new DataError(
    notZip ? "The file is not a zip archive, or it is truncated." : `The archive is corrupt: ${cause.message}.`,
    {
      code: notZip ? "NotZip" : "BadZip",
      hint: notZip
        ? "Download it again, or read it as what it is: Frame.fromCSV() takes CSV, Frame.fromParquet() Parquet."
        : "Download it again.",
      cause,
    },
  );
}

/** Whether the error means that the archive is corrupt, so that downloading it again may help. */
export function isCorrupt(error: unknown): boolean {
  return hasCode(error, "NotZip", "BadZip", "BadChecksum");
}
