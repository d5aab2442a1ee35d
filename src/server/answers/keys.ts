import { createHash } from "node:crypto";
import { hasExtension, type Profile } from "../../spec/profile.js";
import { refused } from "../data/refused.js";

/** What a key may read. */
export interface KeyGrant {
  /** `"all"`, or products: a database (`EOD`), a vendor (`SHARADAR`) or one table (`SHARADAR/SEP`). */
  readonly subscriptions: "all" | readonly string[];
}

/** An authenticated caller. */
export type Subscriber = ReturnType<typeof subscriber>;

/** Finds the subscriber of a key, or rejects the call. */
export type Gate = ReturnType<typeof gate>;

/** A caller without a key, where the profile accepts them: of free products alone. */
const ANONYMOUS = subscriber("", { subscriptions: [] });

/**
 * Creates a gate over keys and their grants. Every call requires a known key (spec 5: "each call carries the query
 * parameter"), unless the profile has the extension `noKey`.
 */
export function gate(apiKeys: Readonly<Record<string, KeyGrant>>, profile: Profile) {
  const subscribers = new Map(Object.entries(apiKeys).map(([key, grant]) => [key, subscriber(key, grant)]));
  const parameter = profile.keyParameter.value;
  return (keys: readonly string[]): Subscriber => {
    if (keys.length > 1)
      throw refused(profile, "QESx09", `The parameter ${JSON.stringify(parameter)} is repeated.`, 400);
    if (keys.length === 0 || keys[0] === "") {
      if (hasExtension(profile, "noKey")) return ANONYMOUS;
      throw refused(profile, "QEAx03", `A valid API key is required: add ${parameter} to the query.`);
    }
    const found = subscribers.get(keys[0]);
    if (found === undefined) {
      throw refused(profile, "QEAx01", "We could not recognize your API key. Please check your API key and try again.");
    }
    return found;
  };
}

function subscriber(key: string, { subscriptions }: KeyGrant) {
  const products = subscriptions === "all" ? undefined : new Set(subscriptions);
  return {
    /** Identifies a subscriber without the key. */
    id: createHash("sha256").update(key).digest("hex").slice(0, 16),
    /** The key itself, for links that carry it (spec 2.8). */
    key,
    subscribes: (code: string) => products === undefined || products.has(code) || products.has(code.split("/")[0]),
  };
}

/** Rejects callers who do not subscribe to a product (spec 4.6, 8). */
export function needSubscription(subscriber: Subscriber, code: string, what: string, profile: Profile): void {
  if (subscriber.subscribes(code)) return;
  if (subscriber === ANONYMOUS) {
    const parameter = profile.keyParameter.value;
    throw refused(profile, "QEPx04", `A valid API key is required to ${what}: add ${parameter} to the query.`);
  }
  throw refused(profile, "QEPx04", `You do not have permission to ${what}. Please subscribe to ${code.split("/")[0]}.`);
}
