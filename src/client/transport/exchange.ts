import {
  exchange as exchangeBy,
  type Answer as PlainAnswer,
  type ExchangeOptions as PlainOptions,
  type Target,
} from "../../transport/exchange.js";
import type { Settings } from "./settings.js";

/** A reply of the service, or of a host that it redirected to. */
export interface Answer extends PlainAnswer {
  /** Whether the key was withheld because a redirect left the service's origin (spec 5). */
  readonly keyWithheld: boolean;
}

export interface ExchangeOptions extends PlainOptions {
  /** Adds the key (spec 5), which is sent to the service's own origin only. */
  readonly keyed: boolean;
}

/** Sends one GET, follows redirects, and returns the final reply of any status. */
export async function exchange(settings: Settings, address: string, options: ExchangeOptions): Promise<Answer> {
  const { send, timeouts, apiKey } = settings;
  const authorize = options.keyed ? (target: Target): Target => withKey(settings, target) : undefined;
  const answer = await exchangeBy({ send, timeouts, authorize }, address, options);
  return { ...answer, keyWithheld: options.keyed && apiKey !== undefined && !isOwn(settings, answer.url) };
}

/** Adds the key as the profile requires: as a header, or as a parameter of the address. Never for another origin. */
function withKey(settings: Settings, target: Target): Target {
  const { apiKey, profile } = settings;
  const { address, headers } = target;
  if (!apiKey || !isOwn(settings, address)) return target;
  if (profile.keyHeader.value !== null) return { address, headers: { ...headers, [profile.keyHeader.value]: apiKey } };
  const name = profile.keyParameter.value;
  // A redirect may repeat the query.
  if (new URL(address).searchParams.has(name)) return target;
  return { headers, address: `${address}${address.includes("?") ? "&" : "?"}${name}=${encodeURIComponent(apiKey)}` };
}

export function isOwn(settings: Settings, address: string): boolean {
  return new URL(address).origin === new URL(settings.url).origin;
}
