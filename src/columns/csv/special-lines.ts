import { type CsvSyntax, LF } from "../../format/csv.js";

/**
 * The first position from `from`, where a row starts, at which a line may start that only the grammar reads: a comment,
 * or one with an escape. `end` if there is none.
 */
export function nextSpecialLine(b: Uint8Array, from: number, end: number, syntax: CsvSyntax): number {
  const { comment } = syntax;
  let next = end;
  const bytes = Buffer.from(b.buffer, b.byteOffset, end);
  if (comment.length > 0) {
    if (comment.every((byte, i) => bytes[from + i] === byte)) return from;
    const found = bytes.indexOf(Buffer.of(LF, ...comment), from);
    if (found >= 0) next = found + 1;
  }
  const escaped = syntax.escape < 0 ? -1 : bytes.indexOf(syntax.escape, from);
  if (escaped >= 0) next = Math.min(next, Math.max(from, bytes.lastIndexOf(LF, escaped) + 1));
  return next;
}
