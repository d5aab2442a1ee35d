import { inspect } from "node:util";

/** What a notebook receives: one value for each MIME type, the richest it knows is drawn. */
export type Bundle = Readonly<Record<string, unknown>>;

/** The symbol that Deno, arrowbook's kernel and its tslab hook ask first (a method that returns a {@link Bundle}). */
export const JUPYTER_DISPLAY = Symbol.for("Jupyter.display");

/** How objects of a kind show themselves. */
export interface Shown<T> {
  /** For notebooks; must hold `text/plain`. */
  readonly bundle: (value: T) => Bundle;
  /** For a terminal of `width` columns (`util.inspect`, `console.log`). */
  readonly text: (value: T, width: number) => string;
  /** A few words for a terminal, where the value stands inside another one; default the name of its class. */
  readonly brief?: (value: T) => string;
}

/** Width of the plain-text twin in a notebook. */
export const NOTEBOOK_WIDTH = 120;

/**
 * Gives a prototype, or one object, the two faces of every public object: `Symbol.for("Jupyter.display")` and
 * `util.inspect.custom`. Neither is enumerable.
 */
export function showAs<T extends object>(target: T, { bundle, text, brief = className }: Shown<T>): void {
  Object.defineProperty(target, JUPYTER_DISPLAY, {
    configurable: true,
    value(this: T): Bundle {
      return bundle(this);
    },
  });
  Object.defineProperty(target, inspect.custom, {
    configurable: true,
    value(
      this: T,
      depth: number,
      options: { readonly breakLength?: number; readonly depth?: number | null } = {},
    ): string {
      const inside = typeof options.depth === "number" && depth < options.depth;
      return inside ? `[${brief(this)}]` : text(this, terminalWidth(options.breakLength));
    },
  });
}

const className = (value: object): string => value.constructor?.name ?? "Object";

function terminalWidth(breakLength: number | undefined): number {
  const columns = process.stdout?.columns ?? 0;
  if (columns > 20) return columns;
  return breakLength !== undefined && Number.isFinite(breakLength) && breakLength > 80 ? breakLength : NOTEBOOK_WIDTH;
}
