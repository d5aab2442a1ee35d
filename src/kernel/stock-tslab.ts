import { createRequire } from "node:module";

/** What tslab sends as one `display_data` or `update_display_data`. */
export interface DisplayContent {
  readonly data: Readonly<Record<string, unknown>>;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly transient?: { readonly display_id?: string };
}

type WriteDisplayData = (content: DisplayContent, update?: boolean) => void;

/** The values of cells as tslab keeps them, or undefined outside of a stock tslab kernel. */
export function tslabExports(): object | undefined {
  const tslab = (globalThis as { __tslab__?: { exports?: unknown } }).__tslab__;
  return typeof tslab?.exports === "object" && tslab.exports !== null ? tslab.exports : undefined;
}

/**
 * Sends a display through the tslab kernel this process is; false when there is none or no cell has run yet.
 * tslab is found among the loaded modules, so that a global and a local installation both work.
 */
export function writeTslabDisplay(content: DisplayContent, update = false): boolean {
  const loaded = createRequire(import.meta.url).cache;
  const path = Object.keys(loaded).find((name) => /[\\/]tslab[\\/]dist[\\/]jupyter\.js$/.test(name));
  const jupyter = path === undefined ? undefined : (loaded[path]?.exports as { lastWriteDisplayData?: unknown });
  const write = jupyter?.lastWriteDisplayData;
  if (typeof write !== "function") return false;
  (write as WriteDisplayData)(content, update);
  return true;
}
