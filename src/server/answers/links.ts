import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** Links to bulk files: a file's id and the expiry time, sealed. They expire with the process at the latest. */
export interface Links {
  /** The path segment of a link that is valid from now on for the lifetime of links (spec 8: 30 minutes). */
  make(file: string): string;
  /** The file of a valid link, `expired`, or undefined for an invalid link. */
  open(segment: string): { readonly file: string } | "expired" | undefined;
}

/** Links that are valid for `lifetimeMs` by `clock`. */
export function links(clock: () => number, lifetimeMs: number): Links {
  const secret = randomBytes(32);
  const sealOf = (text: string): string => createHmac("sha256", secret).update(text).digest("base64url").slice(0, 22);
  return {
    make(file) {
      const text = `${file}.${Math.floor(clock() + lifetimeMs).toString(36)}`;
      return `${text}.${sealOf(text)}`;
    },
    open(segment) {
      const match = /^([\w-]+)\.([0-9a-z]+)\.([\w-]{22})$/.exec(segment);
      if (match === null) return undefined;
      const [, file, ends, seal] = match;
      if (!timingSafeEqual(Buffer.from(seal), Buffer.from(sealOf(`${file}.${ends}`)))) return undefined;
      return clock() < Number.parseInt(ends, 36) ? { file } : "expired";
    },
  };
}
