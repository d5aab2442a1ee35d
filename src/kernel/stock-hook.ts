import { type DisplayContent, tslabExports, writeTslabDisplay } from "./stock-tslab.js";

/** The names tslab gives to the last expression of a cell: the first one that the cell does not declare itself. */
const RESULT_NAMES = ["tsLastExpr", ...Array.from({ length: 10 }, (_, i) => `tsLastExpr${i}`)];
const ACTIVE = Symbol.for("arrowbook.hook");
const DISPLAY = Symbol.for("Jupyter.display");

/** Makes the MIME bundle of a value, or undefined for a value that only has text. */
export type ToBundle = (value: unknown) => unknown;

/**
 * Makes results show themselves in stock tslab, in the importing cell and in those after it: a last expression for which
 * `toBundle` gives a MIME bundle is sent as one display instead of being printed. Does nothing outside of stock tslab,
 * and nothing the second time. Returns whether results show themselves now.
 */
export function hookStockTslab(toBundle: ToBundle = ownBundle): boolean {
  const exports = tslabExports();
  if (exports === undefined) return false;
  if (ACTIVE in exports) return true;
  let pending: unknown;
  const results = Object.create(Object.getPrototypeOf(exports)) as object;
  Object.defineProperty(results, ACTIVE, { value: true });
  for (const name of RESULT_NAMES) {
    // The importing cell has made its own key already; without it the assignment reaches the setter.
    delete (exports as Record<string, unknown>)[name];
    Object.defineProperty(results, name, {
      configurable: true,
      get: () => pending,
      set: (value: unknown) => {
        pending = shown(value, toBundle) ? undefined : value;
      },
    });
  }
  Object.setPrototypeOf(exports, results);
  return true;
}

/** The bundle that a value gives of itself through `Symbol.for("Jupyter.display")`. */
export function ownBundle(value: unknown): unknown {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return undefined;
  const display = (value as { [DISPLAY]?: unknown })[DISPLAY];
  return typeof display === "function" ? (display.call(value) as unknown) : undefined;
}

function shown(value: unknown, toBundle: ToBundle): boolean {
  const bundle = toBundle(value);
  if (typeof bundle !== "object" || bundle === null) return false;
  if (bundle instanceof Promise) {
    void bundle.then((data: DisplayContent["data"]) => writeTslabDisplay(contentOf(data)));
    return true;
  }
  return writeTslabDisplay(contentOf(bundle as DisplayContent["data"]));
}

function contentOf(data: DisplayContent["data"]): DisplayContent {
  return { data, metadata: {}, transient: {} };
}
