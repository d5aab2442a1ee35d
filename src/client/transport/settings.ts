import type { OnProgress } from "../../columns/io/progress.js";
import { InputError } from "../../errors/errors.js";
import { fileError } from "../../errors/file-error.js";
import { refuseUnknown } from "../../errors/options.js";
import { rememberSecret } from "../../errors/secrets.js";
import { shown } from "../../errors/shown.js";
import { homedir, join, NO_DISK, readFileSync } from "../../platform/node/files.js";
import { emitWarning, environment, pageFetch } from "../../platform/node/process.js";
import { API_PREFIX } from "../../spec/endpoints.js";
import { defineProfile, type Profile, type ProfileName, profileOf, type RateWindow } from "../../spec/profile.js";
import { type Connections, sendByHTTP } from "../../transport/http.js";
import { proxyChooser } from "../../transport/proxy.js";
import type { Retry } from "../../transport/retry.js";
import { type Send, sendByFetch } from "../../transport/send.js";
import { withoutEnd } from "../../value/text.js";
import { type CacheOptions, type CacheSettings, cacheSettings } from "../cache/cache-settings.js";

/** Client-side limits; each default comes from the profile. */
export interface Limits {
  /** The most concurrent requests. */
  readonly concurrency?: number;
  /** The most requests per time window; every window applies. */
  readonly windows?: readonly RateWindow[];
  /** The most table exports per hour (spec 8: 60). */
  readonly exportsPerHour?: number;
  /** The most pages of one table query. Default 100,000. */
  readonly pages?: number;
  /** The most bytes of one reply, decompressed. Default 512 MB; does not apply to bulk files. */
  readonly replyBytes?: number;
}

/** Time limits in milliseconds. */
export interface Timeouts {
  /** From sending a request until the reply begins. Default 60,000. */
  readonly response?: number;
  /** Without a kilobyte arriving once a reply has begun. Default 30,000. */
  readonly idle?: number;
  /** For one reply, from sending to its last byte. Default 600,000. */
  readonly total?: number;
  /** For a bulk download including retries. Default 86,400,000 (a day). */
  readonly download?: number;
  /** For an export, from the request until its file is available. Default 1,800,000 (30 minutes). */
  readonly export?: number;
}

/** Options of `connect`. */
export interface ConnectOptions {
  /**
   * Base address of the service (spec 4); a trailing `/api/v3` is allowed. Default: environment variable ARROWBOOK_URL.
   */
  readonly url?: string;
  /**
   * Key of spec 5. Default: environment variable ARROWBOOK_API_KEY; in the profile `nasdaqDataLink` also
   * NASDAQ_DATA_LINK_API_KEY and the file `~/.nasdaq/data_link_apikey`.
   */
  readonly apiKey?: string;
  /** The header that carries the key, such as `X-Api-Token`; null for the query. Default: that of the profile. */
  readonly keyHeader?: string | null;
  /**
   * Address of a proxy, `http://user:password@host:port`; `false` for none. Default: the environment variables
   * HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY.
   */
  readonly proxy?: string | false;
  /** Certificates of authorities in PEM format, trusted besides those of Node. */
  readonly ca?: string | readonly string[];
  /** Sends the requests instead of the built-in transport over `node:http`; for tests and recordings. */
  readonly fetch?: typeof globalThis.fetch;
  /** What the specification leaves open: a profile or the name of a shipped one. Default `specification`. */
  readonly profile?: Profile | ProfileName;
  /** Client-side limits: concurrent requests, requests per time, exports per hour, bytes of a reply. */
  readonly limits?: Limits;
  /** Time limits in milliseconds. */
  readonly timeouts?: Timeouts;
  /** How failed requests are retried. */
  readonly retry?: Retry;
  /**
   * A folder for archives of bulk files, time series and metadata, so that the same data is not fetched twice: a path,
   * `true` for the user's folder for caches, or an object with bounds. Default: no cache.
   */
  readonly cache?: boolean | string | CacheOptions;
  /** Aborts all calls of this service. */
  readonly signal?: AbortSignal;
  /**
   * Receives the progress of long calls; `false` disables it. Default: calls of more than half a second show a bar in
   * notebooks and on terminals, unless `ARROWBOOK_PROGRESS=off` is set in the environment.
   */
  readonly onProgress?: OnProgress | false;
  /** Receives each distinct warning once. Default: `process.emitWarning`. */
  readonly warn?: (message: string) => void;
}

export interface Settings {
  /** Without `/api/v3` and without a trailing slash. */
  readonly url: string;
  readonly apiKey?: string;
  readonly send: Send;
  /** Whether `send` is a `fetch` that the caller passed. */
  readonly ownFetch: boolean;
  readonly profile: Profile;
  readonly limits: Required<Limits>;
  readonly timeouts: Required<Timeouts>;
  readonly retry: Required<Retry>;
  readonly cache?: CacheSettings;
  readonly signal?: AbortSignal;
  readonly onProgress?: OnProgress | false;
  readonly warn: (message: string) => void;
}

const NAMES: Readonly<Record<keyof ConnectOptions, true>> = {
  url: true,
  apiKey: true,
  keyHeader: true,
  proxy: true,
  ca: true,
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

const TIMEOUTS = { response: 60_000, idle: 30_000, total: 600_000, download: 86_400_000, export: 1_800_000 };
const RETRY = { attempts: 5, pause: 500, maxPause: 30_000, budget: 300_000 };

/**
 * Applies the defaults.
 *
 * @throws {InputError} UnknownOption, BadAddress, NoAddress, BadArgument
 */
export function settingsOf(options: ConnectOptions = {}): Settings {
  refuseUnknown(options, Object.keys(NAMES), "connect()");
  const named = profileOf(options.profile);
  const { keyHeader } = options;
  const profile = keyHeader === undefined ? named : defineProfile(named, { name: named.name, keyHeader });
  const apiKey = options.apiKey ?? environmentKey(profile);
  if (apiKey !== undefined && typeof apiKey !== "string") {
    throw new InputError("connect() expects apiKey to be a string.", {
      code: "BadArgument",
      hint: "Pass the key as text: apiKey: process.env.MY_KEY.",
    });
  }
  if (apiKey) rememberSecret(apiKey);
  const limits = {
    concurrency: profile.concurrency.value,
    windows: profile.windows.value,
    exportsPerHour: profile.exportsPerHour.value,
    pages: 100_000,
    replyBytes: 512 << 20,
  };
  checkWindows(options.limits?.windows);
  const url = baseAddress(options.url ?? environmentUrl(profile));
  const warn = onceEach(options.warn ?? ((message) => emitWarning(message, { type: "ArrowbookWarning" })));
  if (apiKey && url.startsWith("http:") && !isLocal(url)) {
    warn(`The key is sent to ${new URL(url).host} unencrypted: use https if the service supports it.`);
  }
  return {
    url,
    apiKey: apiKey || undefined,
    ownFetch: options.fetch !== undefined,
    send: sendWith(options, url),
    profile,
    limits: filled(limits, options.limits, "limits"),
    timeouts: filled(TIMEOUTS, options.timeouts, "timeouts"),
    retry: filled(RETRY, options.retry, "retry"),
    cache: (options.cache ?? false) === false ? undefined : cacheSettings(options.cache),
    signal: options.signal,
    onProgress: options.onProgress,
    warn,
  };
}

function sendWith(options: ConnectOptions, url: string): Send {
  const fetch = options.fetch ?? (options.proxy || options.ca ? undefined : pageFetch);
  return fetch === undefined ? sendByHTTP(connectionsOf(options, url)) : sendByFetch(fetch);
}

function connectionsOf({ proxy, ca }: ConnectOptions, url: string): Connections {
  const chooser = proxyChooser(proxy);
  // A wrong address of the proxy is an error of connect(), not of the first request.
  chooser(new URL(url));
  if (ca === undefined) return { proxy: chooser };
  const certificates = [ca].flat();
  if (!certificates.every((text) => typeof text === "string" && text.includes("-----BEGIN CERTIFICATE-----"))) {
    throw new InputError("ca is not a certificate in PEM format.", {
      code: "BadArgument",
      hint: 'Pass the text of the file: ca: readFileSync("ca.pem", "utf8").',
    });
  }
  return { proxy: chooser, ca: certificates };
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
        hint: "Pass a number of 0 or more.",
      });
    }
    result[name] = value;
  }
  return result;
}

function checkWindows(windows: unknown): void {
  const isWindow = (each: Partial<RateWindow> | null | undefined): boolean =>
    Number.isInteger(each?.requests) && Number(each?.requests) >= 1 && Number(each?.perMs) >= 0;
  if (windows === undefined || (Array.isArray(windows) && windows.every(isWindow))) return;
  throw new InputError(`limits.windows is ${shown(windows)}.`, {
    code: "BadArgument",
    hint: "Pass an array of { requests, perMs }: at least 1 request in so many milliseconds; [] for no limit.",
  });
}

function baseAddress(text: string | undefined): string {
  if (!text) {
    throw new InputError("No service address is set.", {
      code: "NoAddress",
      hint: "Pass url to connect() or set ARROWBOOK_URL; connect.sample() starts a service with sample data.",
    });
  }
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || (url.protocol !== "http:" && url.protocol !== "https:") || url.search || url.hash || url.username) {
    throw new InputError(`${JSON.stringify(text)} is not the base address of a service.`, {
      code: "BadAddress",
      hint: "Pass http(s)://host or http(s)://host/path, without a query; pass the key as apiKey.",
    });
  }
  const path = withoutEnd(url.pathname, "/");
  return url.origin + (path.endsWith(API_PREFIX) ? path.slice(0, -API_PREFIX.length) : path);
}

const LOCAL = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

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

/** The key that is used if none is passed: ARROWBOOK_API_KEY, else where clients of the profile's service look. */
function environmentKey({ surroundings }: Profile): string | undefined {
  if (environment["ARROWBOOK_API_KEY"]) return environment["ARROWBOOK_API_KEY"];
  if (surroundings.value === null) return undefined;
  const { keyVariable, keyFile } = surroundings.value;
  return environment[keyVariable] || firstLine(join(homedir(), keyFile), true);
}

/** The address that is used if none is passed: ARROWBOOK_URL, else that of the profile's service. */
function environmentUrl({ surroundings }: Profile): string | undefined {
  if (environment["ARROWBOOK_URL"]) return environment["ARROWBOOK_URL"];
  if (surroundings.value === null) return undefined;
  const { domainVariable, domain } = surroundings.value;
  return `https://${environment[domainVariable] || domain}`;
}

/** The first line of a file that is not blank, if any; undefined also for a missing file that `mayBeMissing`. */
export function firstLine(path: string, mayBeMissing = false): string | undefined {
  try {
    const lines = readFileSync(path, "utf8").split("\n");
    return lines.map((line) => line.trim()).find((line) => line !== "");
  } catch (error) {
    if (mayBeMissing && ["ENOENT", NO_DISK].includes((error as NodeJS.ErrnoException).code as string)) return undefined;
    throw fileError(path, "read", error);
  }
}
