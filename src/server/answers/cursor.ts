import { createHmac, timingSafeEqual } from "node:crypto";

/**
 * Cursors are opaque and sealed: the number of the last row given, and a seal over it, the question and the version of
 * the rows. A cursor of another question, of rows that have been refreshed since, or made up, does not open.
 */
export interface Cursors {
  seal(row: number, question: string): string;
  /** The row, or undefined for a cursor that is not one of ours for this question. */
  open(cursor: string, question: string): number | undefined;
}

/** Cursors sealed with a secret; the same secret opens them after a restart. */
export function cursors(secret: string): Cursors {
  const sealOf = (row: number, question: string): Buffer =>
    createHmac("sha256", secret).update(`${row} ${question}`).digest().subarray(0, 16);
  return {
    seal: (row, question) =>
      Buffer.concat([Buffer.from(row.toString(36).padStart(11, "0")), sealOf(row, question)]).toString("base64url"),
    open(cursor, question) {
      const bytes = Buffer.from(cursor, "base64url");
      if (bytes.length !== 27 || bytes.toString("base64url") !== cursor) return undefined;
      const row = Number.parseInt(bytes.toString("latin1", 0, 11), 36);
      if (!Number.isSafeInteger(row) || row < 0) return undefined;
      return timingSafeEqual(bytes.subarray(11), sealOf(row, question)) ? row : undefined;
    },
  };
}
