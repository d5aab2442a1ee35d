import { scrub } from "../errors/secrets.js";
import { inspect, print } from "../platform/node/process.js";
import { notebookHost } from "./base/host.js";
import { type Bundle, JUPYTER_DISPLAY } from "./base/show.js";
import { bundleOf } from "./table/foreign.js";

/** Identifies and replaces displays. */
export interface DisplayOptions {
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
 * Supports values with `Symbol.for("Jupyter.display")`, Arrow tables, Danfo frames and arrays of rows; other values are
 * shown as text.
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
  send(value, id, options.update ?? again);
  const handle: Displayed = { id, update: (next) => send(next, id, true) };
  // As the last expression of a cell the handle shows nothing: the value is shown already.
  return Object.defineProperty(handle, JUPYTER_DISPLAY, { value: (): Bundle => ({}) });
}

function send(value: unknown, id: string, update: boolean): void {
  const host = notebookHost();
  const bundle = bundleOfAny(value);
  if (host === undefined) {
    print(textOf(value));
  } else if (bundle instanceof Promise) {
    void bundle.then((data) => host.send(data, id, update));
  } else {
    void host.send(bundle, id, update);
  }
}

export function bundleOfAny(value: unknown): Bundle | Promise<Bundle> {
  return bundleOf(value) ?? { "text/plain": textOf(value) };
}

function textOf(value: unknown): string {
  const bundle = bundleOf(value);
  const text = bundle === undefined || bundle instanceof Promise ? undefined : (bundle as Bundle)["text/plain"];
  if (typeof text === "string") return scrub(text);
  return scrub(typeof value === "string" ? value : inspect(value, { depth: 2 }));
}
