import type { Profile } from "../../spec/profile.js";
import type { Store } from "../data/store.js";
import type { BulkFiles } from "./exports.js";
import type { Subscriber } from "./keys.js";
import type { LendMemory } from "./page-memory.js";
import type { Coding } from "./rendered.js";
import type { ReplyCache } from "./reply-cache.js";
import type { Cursors, Links } from "./seals.js";

export interface ServiceState {
  readonly store: Store;
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
