import { outputColumns } from "../../platform/node/process.js";

/** A MIME bundle: one value per MIME type. The front end renders the richest type it supports. */
export type Bundle = Readonly<Record<string, unknown>>;

/** The method that Deno, arrowbook's kernel and its tslab hook call first; it returns a {@link Bundle}. */
export const JUPYTER_DISPLAY = Symbol.for("Jupyter.display");

/** The method by which Node shows a value, `util.inspect.custom`. */
export const INSPECT = Symbol.for("nodejs.util.inspect.custom");

export interface Shown<T> {
  /** For notebooks; must hold `text/plain`. The options are those of `display()`. */
  readonly bundle: (value: T, options?: object) => Bundle;
  /** For a terminal of `width` columns, with colours or without (`util.inspect`, `console.log`). */
  readonly text: (value: T, width: number, colors: boolean) => string;
  /** A short form for a terminal, for values nested in another one; default: the class name. */
  readonly brief?: (value: T) => string;
}

/** Width of the plain-text representation in a notebook. */
export const NOTEBOOK_WIDTH = 120;

/**
 * Gives a prototype, or one object, the two methods of every public object: `Symbol.for("Jupyter.display")` and
 * `util.inspect.custom`. Neither is enumerable.
 */
export function showAs<T extends object>(target: T, { bundle, text, brief = className }: Shown<T>): void {
  Object.defineProperty(target, JUPYTER_DISPLAY, {
    configurable: true,
    value(this: T, options?: object): Bundle {
      return bundle(this, options);
    },
  });
  Object.defineProperty(target, INSPECT, {
    configurable: true,
    value(
      this: T,
      depth: number,
      options: { readonly breakLength?: number; readonly depth?: number | null; readonly colors?: boolean } = {},
    ): string {
      const inside = typeof options.depth === "number" && depth < options.depth;
      return inside ? `[${brief(this)}]` : text(this, terminalWidth(options.breakLength), options.colors === true);
    },
  });
}

/** An HTML or SVG element of any JavaScript DOM. */
export function elementBundle(value: unknown): Bundle | undefined {
  const html = (value as { readonly outerHTML?: unknown } | null)?.outerHTML;
  if (typeof html !== "string") return undefined;
  if (!html.startsWith("<svg")) return { "text/html": html };
  // Outside of a page a picture is only read with its namespace.
  const isNamed = /^<svg[^>]*\sxmlns=/.test(html);
  return { "image/svg+xml": isNamed ? html : html.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"') };
}

const className = (value: object): string => value.constructor?.name ?? "Object";

function terminalWidth(breakLength: number | undefined): number {
  const columns = outputColumns();
  if (columns > 20) return columns;
  return breakLength !== undefined && Number.isFinite(breakLength) && breakLength > 80 ? breakLength : NOTEBOOK_WIDTH;
}
