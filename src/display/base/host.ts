import { loadedModules } from "../../platform/node/packages.js";
import { bundleMetadata } from "./picture-size.js";
import type { Bundle } from "./show.js";

/** The target of displays: a notebook that takes MIME bundles and updates them in place, or a text stream. */
export interface NotebookHost {
  readonly kind: "tslab" | "deno";
  /** Sends a display; with `update` it replaces the one with the same id. */
  readonly send: (bundle: Bundle, id: string | undefined, update: boolean) => void | Promise<void>;
  /**
   * Changes with every cell, if the host provides it: an id shown earlier in the same cell is updated instead of shown
   * again.
   */
  readonly cell: unknown;
}

/**
 * The notebook whose kernel this process is; undefined in a script or terminal. Looked up on each call because kernels
 * start late.
 */
export function notebookHost(): NotebookHost | undefined {
  return denoHost() ?? ownHost() ?? tslabHost();
}

type DenoDisplay = (value: unknown, options: object) => Promise<void>;

function denoHost(): NotebookHost | undefined {
  const deno = (globalThis as { Deno?: { jupyter?: { display?: unknown } } }).Deno;
  const display = jupyterOf(deno)?.display;
  if (typeof display !== "function") return undefined;
  return {
    kind: "deno",
    cell: undefined,
    send: (bundle, id, update) =>
      (display as DenoDisplay)(bundle, { raw: true, ...(id !== undefined && { display_id: id, update }) }),
  };
}

/** Outside of its kernel, Deno throws when `Deno.jupyter` is accessed. */
function jupyterOf(deno: { jupyter?: { display?: unknown } } | undefined): { display?: unknown } | undefined {
  try {
    return deno?.jupyter;
  } catch {
    return undefined;
  }
}

const DISPLAY = Symbol.for("arrowbook.display");

type Global = { [DISPLAY]?: TslabWrite };

/** Makes arrowbook's kernel the notebook of this process, also for other copies of this package. */
export function offerDisplay(write: TslabWrite): void {
  (globalThis as Global)[DISPLAY] = write;
}

function ownHost(): NotebookHost | undefined {
  return hostOf((globalThis as Global)[DISPLAY]);
}

interface TslabContent {
  readonly data: Bundle;
  readonly metadata: Bundle;
  readonly transient: { readonly display_id?: string };
}

type TslabWrite = (content: TslabContent, update?: boolean) => void;

/**
 * Stock tslab: found among the loaded modules, so that a global and a local installation
 * both work.
 */
function tslabHost(): NotebookHost | undefined {
  const loaded = loadedModules();
  const path = Object.keys(loaded).find((name) => /[\\/]tslab[\\/]dist[\\/]jupyter\.js$/.test(name));
  const jupyter = path === undefined ? undefined : (loaded[path]?.exports as { lastWriteDisplayData?: unknown });
  return hostOf(jupyter?.lastWriteDisplayData);
}

function hostOf(write: unknown): NotebookHost | undefined {
  if (typeof write !== "function") return undefined;
  return {
    kind: "tslab",
    cell: write,
    send: (data, id, update) =>
      (write as TslabWrite)(
        { data, metadata: bundleMetadata(data), transient: id === undefined ? {} : { display_id: id } },
        update,
      ),
  };
}
