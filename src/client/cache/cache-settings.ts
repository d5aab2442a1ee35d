import { resolve } from "node:path";
import type { FolderBounds } from "../../disk/bounded-folder.js";
import { cacheFolder } from "../../disk/folders.js";
import { InputError } from "../../errors/errors.js";
import { refuseUnknown } from "../../errors/options.js";
import { shown } from "../../errors/shown.js";

/** Where a cache is, and what its replies may take; archives of bulk files stay until they are removed. */
export interface CacheOptions {
  /** The folder. Default: ARROWBOOK_CACHE, or `arrowbook` in the user's folder for caches. */
  readonly path?: string;
  /** The most bytes of replies; those used longest ago are removed. Default 256 MB. */
  readonly bytes?: number;
  /** Milliseconds after which a reply that is not used is removed. Default 30 days. */
  readonly age?: number;
  /**
   * Milliseconds for which metadata is taken from the disk once it has been requested; 0 for never, `Infinity` for as
   * long as it is there, also without a connection. Default 10 minutes.
   */
  readonly metadata?: number;
}

export interface CacheSettings extends FolderBounds {
  readonly path: string;
  readonly metadata: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const METADATA_MS = 10 * 60 * 1000;

/**
 * Applies the defaults; undefined for no cache.
 *
 * @throws {InputError} BadArgument, UnknownOption
 */
export function cacheSettings(option: boolean | string | CacheOptions | undefined): CacheSettings | undefined {
  if (option === undefined || option === false) return undefined;
  const given = option === true ? {} : typeof option === "string" ? { path: option } : option;
  if (typeof given !== "object" || given === null || given.path === "") throw bad("cache", option, EXPECTED);
  refuseUnknown(given, ["path", "bytes", "age", "metadata"], "connect({ cache })");
  const { path = cacheFolder(), bytes = 256 << 20, age = 30 * DAY_MS, metadata = METADATA_MS } = given;
  if (typeof path !== "string") throw bad("cache.path", path, "Pass the path of a folder.");
  if (!(bytes >= 0)) throw bad("cache.bytes", bytes, "Pass a number of bytes of 0 or more.");
  if (!(age >= 0)) throw bad("cache.age", age, "Pass a number of milliseconds of 0 or more.");
  if (!(metadata >= 0)) throw bad("cache.metadata", metadata, "Pass a number of milliseconds of 0 or more.");
  return { path: resolve(path), bytes, age, metadata };
}

const EXPECTED = "Pass true, the path of a folder, or { path, bytes, age, metadata }.";

function bad(name: string, value: unknown, hint: string): InputError {
  return new InputError(`${name} of connect() is ${shown(value)}.`, { code: "BadArgument", hint });
}
