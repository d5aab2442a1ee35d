import type { ErrorCode } from "../../errors/codes.js";
import { clip, isArrowbookError, reworded } from "../../errors/errors.js";

const OTHER_FORMAT = "A file is read by its ending: rename it after what it holds, or download it again.";
const FAULTY_ROW = "Correct the file, or read it in a program, whose options accept more: docs/reading.md.";

/** What to do about a file that a command cannot read; codes that are not here keep the library's hint. */
const HINTS: Readonly<Partial<Record<ErrorCode, string>>> = {
  WrongFormat: OTHER_FORMAT,
  NotZip: OTHER_FORMAT,
  BadArrow: OTHER_FORMAT,
  TruncatedJson: "The file ends too early: download it again.",
  BadJson: "A .jsonl file has one object on each line, a .json file an array of objects or a reply of the service.",
  UnexpectedShape: "A .json file holds an array of objects, or a reply of the service.",
  EmptyJsonLines: "Leave the file out.",
  ShortRow: FAULTY_ROW,
  LongRow: FAULTY_ROW,
  UnterminatedQuote: FAULTY_ROW,
  StrayQuote: FAULTY_ROW,
  BadUtf8: "Convert the file to UTF-8.",
  BadCell: FAULTY_ROW,
};

/** An error of reading a file for a command: its message names the file, its hint nothing that only programs have. */
export function localError(path: string, error: unknown): unknown {
  if (!isArrowbookError(error)) return error;
  const { message, hint } = error;
  const named = message.includes(path) ? message : `${clip(path)}: ${message}`;
  const remedy = HINTS[error.code as ErrorCode] ?? hint;
  return reworded(error, named, { ...(remedy !== undefined && { hint: remedy }) });
}
