import { DataError } from "../../errors/errors.js";

/** The error for XML that is malformed or uses an unsupported part of XML. */
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
        ? "The reply is truncated; send the request again."
        : "The reply is not valid XML; check it at this byte."),
  });
}
