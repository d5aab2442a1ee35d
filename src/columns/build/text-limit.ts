import { DataError } from "../../errors/errors.js";

/**
 * Most bytes of text or binary values in one chunk or dictionary, whose offsets are 32-bit integers. Readers end a
 * batch at half of it, copies of rows begin another chunk. Tests lower it.
 */
export const TEXT_LIMIT = { bytes: 2 ** 31 - 1 };

/** @returns the error for text that has to be in one chunk and is too long for it */
export function textTooLong(bytes: number): DataError {
  return new DataError(`One chunk of a column would have ${bytes} bytes of text; it holds ${TEXT_LIMIT.bytes}.`, {
    code: "TextTooLong",
    hint: "Take fewer rows at once, or leave the column out.",
  });
}
