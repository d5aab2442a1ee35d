import { scrub } from "../errors/secrets.js";
import { inspect, print } from "../platform/node/process.js";
import { notebookHost } from "./base/host.js";
import { type Bundle, JUPYTER_DISPLAY } from "./base/show.js";
import { bundleOf } from "./table/foreign.js";
import type { TableOptions } from "./table/view.js";

/** Identifies and replaces displays, and says how tables are shown. */
export interface DisplayOptions extends Omit<TableOptions, "source"> {
  /** Identifies the display, so that a later one with the same id in the same cell replaces it. */
  readonly id?: string;
  /** Replaces the display with this id, also from another cell. */
  readonly update?: boolean;
}

/** A display that can be replaced. */
export interface Displayed {
  /** Identifies the display. */
  readonly id: string;
  /** Shows another value in the same place; in a terminal, below. */
  readonly update: (value: unknown) => void;
}

/** The cell in which each id was last shown. */
const shown = new Map<string, unknown>();

/**
 * Shows a value immediately, in the middle of a cell: as a table or chart in Deno and tslab, as text in a terminal.
 * Supports values with `Symbol.for("Jupyter.display")`, Arrow tables, Danfo frames, arrays of rows, elements of a DOM
 * and MIME bundles (`{ "text/html": "…" }`); other values are shown as text.
 *
 * @example
 * ```ts
 * import { display, Frame } from "arrowbook";
 * const shown = display(Frame.fromRows([{ step: 1 }]), { id: "steps" });
 * shown.update(Frame.fromRows([{ step: 1 }, { step: 2 }]));
 * ```
 */
export function display(value: unknown, options: DisplayOptions = {}): Displayed {
  const id = options.id ?? crypto.randomUUID();
  const host = notebookHost();
  const again = host?.cell !== undefined && shown.get(id) === host.cell;
  shown.set(id, host?.cell);
  send(value, id, options.update ?? again, options);
  const handle: Displayed = { id, update: (next) => send(next, id, true, options) };
  // As the last expression of a cell the handle shows nothing: the value is shown already.
  return Object.defineProperty(handle, JUPYTER_DISPLAY, { value: (): Bundle => ({}) });
}

function send(value: unknown, id: string, update: boolean, options: DisplayOptions): void {
  const host = notebookHost();
  const bundle = isMimeBundle(value) ? value : bundleOfAny(value, options);
  if (host === undefined) {
    print(textOf(value, bundle));
  } else if (bundle instanceof Promise) {
    void bundle.then((data) => host.send(data, id, update));
  } else {
    void host.send(bundle, id, update);
  }
}

const MIME = /^(?:application|audio|image|model|text|video)\/[\w.+-]+$/;

function isMimeBundle(value: unknown): value is Bundle {
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return false;
  const types = Object.keys(value);
  return types.length > 0 && types.every((type) => MIME.test(type));
}

export function bundleOfAny(value: unknown, options?: TableOptions): Bundle | Promise<Bundle> {
  return bundleOf(value, options) ?? { "text/plain": textOf(value) };
}

function textOf(value: unknown, bundle: Bundle | Promise<Bundle> = {}): string {
  const text = bundle instanceof Promise ? undefined : bundle["text/plain"];
  if (typeof text === "string") return scrub(text);
  return scrub(typeof value === "string" ? value : inspect(value, { depth: 2 }));
}
