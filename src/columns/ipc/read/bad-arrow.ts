import { DataError } from "../../../errors/errors.js";

/** Where a fault was found. */
export interface FaultPlace {
  /** Byte offset in the stream or file. */
  readonly at: number;
  readonly column?: string;
  /** Row of the batch, counted from 0. */
  readonly row?: number;
  readonly cause?: unknown;
}

/** Arrow bytes that contradict themselves or the format. */
export function badArrow(what: string, { at, ...place }: FaultPlace): DataError {
  return new DataError(`Damaged Arrow data at byte ${at}: ${what}.`, {
    code: "BadArrow",
    hint: "The bytes are truncated or were changed after they were written; fetch or write them again.",
    offset: at,
    ...place,
  });
}

/** Arrow bytes that may be right but use a part of the format that is not read here. */
export function unsupportedArrow(what: string, { at, ...place }: FaultPlace, hint: string): DataError {
  return new DataError(`Unsupported Arrow data at byte ${at}: ${what}.`, {
    code: "UnsupportedArrow",
    hint,
    offset: at,
    ...place,
  });
}

/** The name of a column in errors: quoted, and after those of the columns around it. */
export function columnName(path: readonly string[]): string {
  return path.map((name) => JSON.stringify(name)).join(".");
}
