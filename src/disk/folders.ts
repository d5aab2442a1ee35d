import { homedir } from "node:os";
import { join } from "node:path";
import { builtin } from "../package/builtin.js";

/** The folder for state that outlives a process: ARROWBOOK_STATE, or the system's default. */
export function stateFolder(): string {
  const { ARROWBOOK_STATE: own, XDG_STATE_HOME, LOCALAPPDATA } = process.env;
  if (own) return own;
  if (process.platform === "win32" && LOCALAPPDATA) return join(LOCALAPPDATA, "arrowbook");
  return join(XDG_STATE_HOME || join(homedir(), ".local", "state"), "arrowbook");
}

/** The folder for files that can be fetched again: ARROWBOOK_CACHE, or the system's default. */
export function cacheFolder(): string {
  const { ARROWBOOK_CACHE: own, XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  if (own) return own;
  if (process.platform === "win32" && LOCALAPPDATA) return join(LOCALAPPDATA, "arrowbook", "cache");
  return join(XDG_CACHE_HOME || join(homedir(), ".cache"), "arrowbook");
}

/**
 * A name for a file, made of a digest of what it belongs to: 32 hexadecimal digits that reveal neither the query nor a
 * key.
 */
export function digestName(...parts: readonly string[]): string {
  return builtin("node:crypto").createHash("sha256").update(parts.join("\n")).digest("hex").slice(0, 32);
}
