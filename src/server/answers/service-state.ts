import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Profile } from "../../spec/profile.js";
import type { PastTables } from "../data/past-tables.js";
import type { Store } from "../data/store.js";
import type { BulkFiles } from "./exports.js";
import type { Subscriber } from "./keys.js";
import type { LendMemory } from "./page-memory.js";
import type { Coding } from "./rendered.js";
import type { ReplyCache } from "./reply-cache.js";

export interface ServiceState {
  readonly store: Store;
  readonly past: PastTables;
  readonly profile: Profile;
  readonly files: BulkFiles;
  readonly links: Links;
  readonly cursors: Cursors;
  readonly replies: ReplyCache;
  readonly lendMemory: LendMemory;
  /** Downloads of each database in this and earlier runs (spec 2.4), in addition to the catalogue's. */
  readonly downloads: Map<string, number>;
  /** The most rows that a table query may match (spec 7). */
  readonly maxResultRows: number;
}

/** The caller and its connection. */
export interface Asker {
  readonly subscriber: Subscriber;
  /** Scheme, host and port under which the caller reached the service, for links. */
  readonly origin: string;
  readonly ifNoneMatch?: string;
  readonly coding: Coding;
  /** Aborts when the asker is gone, and the reply with them. */
  readonly gone: AbortSignal;
}

type Links = ReturnType<typeof links>;

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

type Cursors = ReturnType<typeof cursors>;

const SEAL_BYTES = 16;

/**
 * Opaque cursors: the position of the last row, with a seal over it, the query and the version of the rows. Cursors of
 * other queries, of refreshed rows, or forged ones are invalid; others stay valid after a restart with the same secret.
 */
export function cursors(secret: string) {
  const sealOf = (position: string, question: string): Buffer =>
    createHmac("sha256", secret).update(`${position} ${question}`).digest().subarray(0, SEAL_BYTES);
  return {
    seal: (position: string, question: string): string =>
      Buffer.concat([Buffer.from(position), sealOf(position, question)]).toString("base64url"),
    /** The position; undefined for an invalid cursor. */
    open(cursor: string, question: string): string | undefined {
      const bytes = Buffer.from(cursor, "base64url");
      if (bytes.length <= SEAL_BYTES || bytes.toString("base64url") !== cursor) return undefined;
      const position = bytes.toString("utf8", 0, bytes.length - SEAL_BYTES);
      const isSealed = timingSafeEqual(bytes.subarray(-SEAL_BYTES), sealOf(position, question));
      return isSealed ? position : undefined;
    },
  };
}
