import { DataError } from "../../errors/errors.js";

/** The error for bytes that are not well-formed XML, or not the part of XML that is read. */
export function xmlError(b: Uint8Array, p: number, what: string, hint?: string): DataError {
  const offset = Math.min(p, b.length);
  const truncated = p >= b.length;
  const found = truncated
    ? "the end of the reply"
    : JSON.stringify(Buffer.from(b.subarray(offset, offset + 20)).toString());
  return new DataError(`The XML cannot be read at byte ${offset}: ${what}; found ${found}.`, {
    code: "BadXml",
    offset,
    hint:
      hint ??
      (truncated
        ? "The reply is cut off; ask again."
        : "The reply is not what it claims to be; look at what is at this byte."),
  });
}
