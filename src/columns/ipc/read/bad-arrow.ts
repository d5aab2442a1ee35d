import { DataError } from "../../../errors/errors.js";

export interface FaultPlace {
  /** Byte offset in the stream or file. */
  readonly at: number;
  readonly column?: string;
  /** Row of the batch, counted from 0. */
  readonly row?: number;
  readonly cause?: unknown;
}

/** The error for Arrow bytes that contradict themselves or the format. */
export function badArrow(what: string, { at, ...place }: FaultPlace): DataError {
  return new DataError(`Corrupt Arrow data at byte ${at}: ${what}.`, {
    code: "BadArrow",
    hint: "The data is truncated or was modified after writing; fetch or write it again.",
    offset: at,
    ...place,
  });
}

/** The error for valid Arrow bytes that use an unsupported part of the format. */
export function unsupportedArrow(what: string, { at, ...place }: FaultPlace, hint: string): DataError {
  return new DataError(`Unsupported Arrow data at byte ${at}: ${what}.`, {
    code: "UnsupportedArrow",
    hint,
    offset: at,
    ...place,
  });
}

/** The path of a column as errors show it: the names of its parents and its own, quoted. */
export function columnName(path: readonly string[]): string {
  return path.map((name) => JSON.stringify(name)).join(".");
}
