import type { Profile } from "../../spec/profile.js";
import type { Store } from "../data/store.js";
import type { Cursors } from "./cursor.js";
import type { BulkFiles } from "./exports.js";
import type { Subscriber } from "./keys.js";
import type { Links } from "./links.js";
import type { ReplyCache } from "./reply-cache.js";

/** Everything an answer is made from. */
export interface ServiceState {
  readonly store: Store;
  readonly profile: Profile;
  readonly files: BulkFiles;
  readonly links: Links;
  readonly cursors: Cursors;
  readonly replies: ReplyCache;
  /** Downloads of each database in this and earlier runs (spec 2.4), on top of the catalogue's. */
  readonly downloads: Map<string, number>;
  /** Most rows a table question may match before it is refused (spec 7). */
  readonly maxResultRows: number;
}

/** Who asks, and where from. */
export interface Asker {
  readonly subscriber: Subscriber;
  /** Scheme, host and port under which the asker reached the service, for links. */
  readonly origin: string;
  readonly ifNoneMatch?: string;
}
