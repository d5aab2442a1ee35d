import type { OnProgress } from "../../columns/io/progress.js";
import { InputError } from "../../errors/errors.js";
import { refuseUnknown } from "../../errors/options.js";
import { rememberSecret } from "../../errors/secrets.js";
import { API_PREFIX } from "../../spec/api-prefix.js";
import { type Profile, type ProfileName, profileOf, type RateWindow } from "../../spec/profile.js";
import { type Send, sendByFetch, sendByHTTP } from "./send.js";

/** Limits a client keeps on its own side; each default comes from the profile. */
export interface Limits {
  /** Requests under way at a time. */
  readonly concurrency?: number;
  /** Requests allowed per window of time; every window holds. */
  readonly windows?: readonly RateWindow[];
  /** Table exports asked for per hour (spec 8: 60). */
  readonly exportsPerHour?: number;
  /** Pages of one table query, at most. Default 100,000. */
  readonly pages?: number;
  /** Bytes of one reply, unpacked, at most. Default 512 MB; bulk files are not replies. */
  readonly replyBytes?: number;
}

/** Longest waits in milliseconds. */
export interface Timeouts {
  /** From sending a request until its answer begins. Default 60,000. */
  readonly response?: number;
  /** Without a kilobyte arriving, once an answer has begun. Default 30,000. */
  readonly idle?: number;
  /** One reply from sending to its last byte. Default 600,000. */
  readonly total?: number;
  /** A bulk download with all its continuations. Default 86,400,000 (a day). */
  readonly download?: number;
  /** An export from asking until its file is there. Default 1,800,000 (30 minutes). */
  readonly export?: number;
}

/** How failed requests are tried again; only failures that can pass are. */
export interface Retry {
  /** Requests of one call, the first included, at most. 1 sends once; 0 does the same. Default 5. */
  readonly attempts?: number;
  /**
   * Longest pause before the first retry; it doubles each time, and the pause is a random part of it. Default 500 ms.
   */
  readonly pause?: number;
  /** Longest pause there is, but for a longer `Retry-After`, which is kept in full. Default 30,000 ms. */
  readonly maxPause?: number;
  /** All pauses of one call together, at most. Default 300,000 ms. A `Retry-After` beyond it fails at once. */
  readonly budget?: number;
}

/** Options of `connect`. */
export interface ConnectOptions {
  /**
   * Base address of the service (spec 4); `/api/v3` at its end is tolerated. Default: environment variable
   * ARROWBOOK_URL.
   */
  readonly url?: string;
  /** Key of spec 5. Default: environment variable ARROWBOOK_API_KEY. */
  readonly apiKey?: string;
  /** Sends the requests instead of the client's own transport over `node:http`; for proxies, tests, recordings. */
  readonly fetch?: typeof globalThis.fetch;
  /** What the specification leaves open: a profile or the name of a shipped one. Default `specification`. */
  readonly profile?: Profile | ProfileName;
  readonly limits?: Limits;
  readonly timeouts?: Timeouts;
  readonly retry?: Retry;
  /**
   * A folder where downloaded bulk files are kept, so that the same generation is not downloaded twice. Default: none
   * kept.
   */
  readonly cache?: string;
  /** Ends every call of this service. */
  readonly signal?: AbortSignal;
  /**
   * Receives the progress of long calls; `false` disables it. Default: long calls show a bar in a notebook and on a
   * terminal once they have lasted half a second, unless `ARROWBOOK_PROGRESS=off` is set in the environment.
   */
  readonly onProgress?: OnProgress | false;
  /** Receives warnings, once each. Default: `process.emitWarning`. */
  readonly warn?: (message: string) => void;
}

/** Options with every default filled in. */
export interface Settings {
  /** Without `/api/v3` and without a trailing slash. */
  readonly url: string;
  readonly apiKey?: string;
  readonly send: Send;
  readonly profile: Profile;
  readonly limits: Required<Limits>;
  readonly timeouts: Required<Timeouts>;
  readonly retry: Required<Retry>;
  readonly cache?: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: OnProgress | false;
  readonly warn: (message: string) => void;
}

const NAMES: Readonly<Record<keyof ConnectOptions, true>> = {
  url: true,
  apiKey: true,
  fetch: true,
  profile: true,
  limits: true,
  timeouts: true,
  retry: true,
  cache: true,
  signal: true,
  onProgress: true,
  warn: true,
};

/**
 * Fills in the defaults.
 *
 * @throws {InputError} for an unknown option, a missing or malformed address, a number that cannot be
 */
export function settingsOf(options: ConnectOptions = {}): Settings {
  refuseUnknown(options, Object.keys(NAMES), "connect()");
  const profile = profileOf(options.profile);
  const apiKey = options.apiKey ?? process.env.ARROWBOOK_API_KEY;
  if (apiKey) rememberSecret(apiKey);
  const limits = {
    concurrency: profile.concurrency.value,
    windows: profile.windows.value,
    exportsPerHour: profile.exportsPerHour.value,
    pages: 100_000,
    replyBytes: 512 << 20,
  };
  const url = baseAddress(options.url ?? process.env.ARROWBOOK_URL);
  const warn = onceEach(options.warn ?? ((message) => process.emitWarning(message, "ArrowbookWarning")));
  if (apiKey && url.startsWith("http:") && !isLocal(url)) {
    warn(`The key is sent to ${new URL(url).host} unencrypted: use https where the service offers it.`);
  }
  return {
    url,
    apiKey: apiKey || undefined,
    send: options.fetch === undefined ? sendByHTTP : sendByFetch(options.fetch),
    profile,
    limits: filled(limits, options.limits, "limits"),
    timeouts: filled(
      { response: 60_000, idle: 30_000, total: 600_000, download: 86_400_000, export: 1_800_000 },
      options.timeouts,
      "timeouts",
    ),
    retry: filled({ attempts: 5, pause: 500, maxPause: 30_000, budget: 300_000 }, options.retry, "retry"),
    cache: options.cache,
    signal: options.signal,
    onProgress: options.onProgress,
    warn,
  };
}

function filled<T extends object>(defaults: T, given: Partial<T> | undefined, where: string): T {
  if (given === undefined) return defaults;
  refuseUnknown(given, Object.keys(defaults), `connect({ ${where} })`);
  const result = { ...defaults };
  for (const [name, value] of Object.entries(given) as [keyof T & string, T[keyof T & string] | undefined][]) {
    if (value === undefined) continue;
    if (typeof defaults[name] === "number" && (typeof value !== "number" || !(value >= 0))) {
      throw new InputError(`${where}.${name} is ${JSON.stringify(value)}.`, {
        code: "BadArgument",
        hint: "Give a number of 0 or more.",
      });
    }
    result[name] = value;
  }
  return result;
}

function baseAddress(text: string | undefined): string {
  if (!text) {
    throw new InputError("There is no service address.", {
      code: "NoAddress",
      hint: "Pass url to connect() or set ARROWBOOK_URL; connect.sample() starts a service with sample data.",
    });
  }
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || (url.protocol !== "http:" && url.protocol !== "https:") || url.search || url.hash || url.username) {
    throw new InputError(`${JSON.stringify(text)} is not the base address of a service.`, {
      code: "BadAddress",
      hint: "Give http(s)://host or http(s)://host/path, without a query; the key goes into apiKey.",
    });
  }
  const path = url.pathname.replace(/\/+$/, "");
  return url.origin + (path.endsWith(API_PREFIX) ? path.slice(0, -API_PREFIX.length) : path);
}

const LOCAL = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Whether an address is one of this machine. */
export function isLocal(address: string): boolean {
  return LOCAL.test(new URL(address).hostname);
}

function onceEach(warn: (message: string) => void): (message: string) => void {
  const said = new Set<string>();
  return (message) => {
    if (said.has(message)) return;
    said.add(message);
    warn(message);
  };
}
