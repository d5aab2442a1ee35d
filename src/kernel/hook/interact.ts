import { escapeHtml } from "../../display/base/escape.js";
import { notebookHost } from "../../display/base/host.js";
import { type LiveView, liveHost } from "../../display/base/live-view.js";
import { newestOnly } from "../../display/base/newest-only.js";
import { type Bundle, JUPYTER_DISPLAY } from "../../display/base/show.js";
import { bundleOfAny } from "../../display/display.js";
import { InputError } from "../../errors/errors.js";
import { shown } from "../../errors/shown.js";
import {
  type Control,
  type ControlValues,
  checkedValues,
  namedValues,
  type PageControl,
  type PageValues,
  pageControls,
} from "./controls.js";
import { CONTROLS_MODULE } from "./controls-module.js";
import { isPromise, kernelHooks } from "./kernel-hooks.js";

/** Controls and the output of their function. */
export interface Interaction<Values> {
  /** The values of the last call. */
  readonly values: Values;
  /** Ends it: the last output stays. */
  close(): void;
}

/**
 * Shows controls, and below them what a function returns for their values: a chart, a frame, anything that a cell can
 * show. When a control changes, the function runs again in the kernel, one call at a time and with the newest values;
 * promises are awaited, errors are shown in place. The controls work in arrowbook's kernel where the notebook has
 * anywidget; elsewhere the values at the start are shown.
 *
 * @param controls by name: `range(min, max)` is a slider, a list a choice, `true` or `false` a check box, a string a
 *   text field, a number a number field
 * @throws {InputError} BadArgument
 *
 * @example
 * ```ts no-run
 * interact({ span: range(5, 60), kind: ["line", "area"] }, ({ span, kind }) =>
 *   prices.rolling(span, "mean").plot({ y: "close", mark: kind }),
 * );
 * ```
 */
export function interact<const Controls extends Readonly<Record<string, Control>>>(
  controls: Controls,
  show: (values: ControlValues<Controls>) => unknown,
): Interaction<ControlValues<Controls>> {
  const fields = pageControls(controls);
  if (typeof show !== "function") {
    throw new InputError(`interact() expects a function; got ${shown(show)}.`, {
      code: "BadArgument",
      hint: "Pass controls and a function of their values: interact({ span: range(5, 60) }, ({ span }) => …).",
    });
  }
  const given = { ...controls };
  const call = (values: PageValues): unknown => show(namedValues(given, fields, values) as ControlValues<Controls>);
  const running = new Running(fields, call);
  const interaction: Interaction<ControlValues<Controls>> = {
    get values() {
      return namedValues(given, fields, running.values) as ControlValues<Controls>;
    },
    close: () => running.close(),
  };
  // As the last expression of a cell it ends when the first output is there, and shows nothing more.
  return Object.defineProperty(interaction, JUPYTER_DISPLAY, { value: () => running.first });
}

const NOTHING: Bundle = {};

class Running {
  values: PageValues;
  /** An empty bundle, promised until the first output is there. */
  first: Bundle | Promise<Bundle> = NOTHING;
  readonly #output: (bundle: Bundle) => void;
  readonly #calls;
  #view?: LiveView;
  #seq = 0;

  constructor(
    private readonly fields: readonly PageControl[],
    private readonly call: (values: PageValues) => unknown,
  ) {
    this.values = fields.map(({ value }) => value);
    const id = `arrowbook-${crypto.randomUUID().slice(-12)}`;
    this.#calls = newestOnly<{ readonly seq: number; readonly values: PageValues }>(async (next, isCurrent) => {
      this.values = next.values;
      this.#view?.keep({ values: next.values });
      const bundle = await this.#bundle(next.values);
      if (!isCurrent()) return;
      this.#output(bundle);
      this.#view?.send({ kind: "done", seq: next.seq });
    });
    showControls(id, fields);
    this.#output = outputInPlace();
    this.#start();
    this.#view = liveHost()?.open({
      module: CONTROLS_MODULE,
      state: { target: id, controls: fields, values: this.values },
      onMessage: (message) => this.#receive(message),
      onInterrupt: () => this.#interrupt(),
    });
  }

  close(): void {
    this.#view?.close();
    this.#view = undefined;
  }

  /** The first call runs at once, so that its output is in the cell. */
  #start(): void {
    let result: unknown;
    try {
      result = this.call(this.values);
    } catch (error) {
      this.#output(errorBundle(error));
      return;
    }
    const bundle = isPromise(result) ? undefined : bundleNow(result);
    if (bundle !== undefined) {
      this.#output(bundle);
      return;
    }
    // Holds the place below the controls.
    this.#output({ "text/plain": "…" });
    this.first = eventualBundle(result).then((found) => {
      if (this.#seq === 0) this.#output(found);
      return NOTHING;
    });
  }

  #receive(message: unknown): void {
    const { kind, seq, values: sent } = (message ?? {}) as Readonly<Record<string, unknown>>;
    const values = checkedValues(this.fields, sent);
    if (kind !== "values" || typeof seq !== "number" || values === undefined) return;
    this.#seq = seq;
    this.#calls.push({ seq, values });
  }

  #interrupt(): void {
    if (!this.#calls.isBusy) return;
    this.#output(errorBundle(new DOMException("The call was interrupted.", "Interrupted")));
    this.#view?.send({ kind: "done", seq: this.#seq });
    this.#calls.restart();
  }

  async #bundle(values: PageValues): Promise<Bundle> {
    try {
      return await eventualBundle(this.call(values));
    } catch (error) {
      return errorBundle(error);
    }
  }
}

/** A bundle that is available without waiting. */
function bundleNow(value: unknown): Bundle | undefined {
  if (value === undefined || value === null) return { "text/plain": "" };
  const bundle = bundleOfAny(value);
  return bundle instanceof Promise ? undefined : bundle;
}

/** The bundle of a value, of the value a promise resolves to, or of an error. */
async function eventualBundle(result: unknown): Promise<Bundle> {
  try {
    const value = await result;
    if (value === undefined || value === null) return { "text/plain": "" };
    return await (kernelHooks()?.bundle(value) ?? bundleOfAny(value));
  } catch (error) {
    return errorBundle(error);
  }
}

/** An error as a kernel shows it, in an output that can be replaced. */
function errorBundle(error: unknown): Bundle {
  const lines = kernelHooks()?.errorOf(error).traceback ?? [
    error instanceof Error ? (error.stack ?? "") : String(error),
  ];
  const text = lines.join("\n").replace(/\u001b\[\d+m/g, "");
  const style =
    "margin:0;padding:6px 10px;white-space:pre-wrap;background:var(--jp-rendermime-error-background, rgba(255,80,80,0.15))";
  return { "text/html": `<pre style="${style}">${escapeHtml(text)}</pre>`, "text/plain": text };
}

/** The controls with their values, as shown where nothing makes them live. */
function showControls(id: string, fields: readonly PageControl[]): void {
  const texts = fields.map((field): [string, string] => [
    field.name,
    field.kind === "choice" ? field.labels[field.value] : String(field.value),
  ]);
  const rows = texts.map(
    ([name, value]) =>
      `<tr><th style="text-align:left">${escapeHtml(name)}</th><td style="text-align:left">${escapeHtml(value)}</td></tr>`,
  );
  const html = [
    `<div id="${id}"><div><table class="dataframe" border="1"><tbody>${rows.join("")}</tbody></table>`,
    "<small>The controls work with arrowbook&#39;s kernel in a JupyterLab that has anywidget (pip install anywidget).</small>",
    "</div></div>",
  ].join("");
  const text = texts.map(([name, value]) => `${name} = ${value}`).join(" · ");
  void notebookHost()?.send({ "text/html": html, "text/plain": text }, undefined, false);
}

/** A display that each call replaces; in a terminal the results are below each other. */
function outputInPlace(): (bundle: Bundle) => void {
  const host = notebookHost();
  const id = crypto.randomUUID();
  let isShown = false;
  return (bundle) => {
    if (host === undefined) {
      const text = String(bundle["text/plain"] ?? "");
      if (text !== "…") process.stdout.write(`${text}\n`);
    } else void host.send(bundle, id, isShown);
    isShown = true;
  };
}
