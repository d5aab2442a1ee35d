import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

export type Links = ReturnType<typeof links>;

/**
 * Links to bulk files that are valid for `lifetimeMs` by `clock`: a file's id and the expiry time, sealed. They expire
 * with the process at the latest.
 */
export function links(clock: () => number, lifetimeMs: number) {
  const secret = randomBytes(32);
  const sealOf = (text: string): string => createHmac("sha256", secret).update(text).digest("base64url").slice(0, 22);
  return {
    /** The path segment of a link that is valid from now on for the lifetime of links (spec 8: 30 minutes). */
    make(file: string): string {
      const text = `${file}.${Math.floor(clock() + lifetimeMs).toString(36)}`;
      return `${text}.${sealOf(text)}`;
    },
    /** The file of a valid link, `expired`, or undefined for an invalid link. */
    open(segment: string): { readonly file: string } | "expired" | undefined {
      const match = /^([\w-]+)\.([0-9a-z]+)\.([\w-]{22})$/.exec(segment);
      if (match === null) return undefined;
      const [, file, ends, seal] = match;
      if (!timingSafeEqual(Buffer.from(seal), Buffer.from(sealOf(`${file}.${ends}`)))) return undefined;
      return clock() < Number.parseInt(ends, 36) ? { file } : "expired";
    },
  };
}

export type Cursors = ReturnType<typeof cursors>;

/**
 * Opaque cursors: the number of the last row, with a seal over it, the query and the version of the rows. Cursors of
 * other queries, of refreshed rows, or forged ones are invalid; others stay valid after a restart with the same secret.
 */
export function cursors(secret: string) {
  const sealOf = (row: number, question: string): Buffer =>
    createHmac("sha256", secret).update(`${row} ${question}`).digest().subarray(0, 16);
  return {
    seal: (row: number, question: string): string =>
      Buffer.concat([Buffer.from(row.toString(36).padStart(11, "0")), sealOf(row, question)]).toString("base64url"),
    /** The row; undefined for an invalid cursor. */
    open(cursor: string, question: string): number | undefined {
      const bytes = Buffer.from(cursor, "base64url");
      if (bytes.length !== 27 || bytes.toString("base64url") !== cursor) return undefined;
      const row = Number.parseInt(bytes.toString("latin1", 0, 11), 36);
      if (!Number.isSafeInteger(row) || row < 0) return undefined;
      return timingSafeEqual(bytes.subarray(11), sealOf(row, question)) ? row : undefined;
    },
  };
}
