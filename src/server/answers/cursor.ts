import { createHmac, timingSafeEqual } from "node:crypto";

/**
 * Opaque, sealed cursors: the number of the last row, with a seal over it, the query and the version of the rows.
 * Cursors of other queries, of refreshed rows, or forged ones are invalid.
 */
export interface Cursors {
  seal(row: number, question: string): string;
  /** The row; undefined for an invalid cursor. */
  open(cursor: string, question: string): number | undefined;
}

/** Cursors sealed with a secret; they stay valid after a restart with the same secret. */
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
