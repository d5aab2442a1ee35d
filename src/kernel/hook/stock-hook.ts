import { notebookHost } from "../../display/base/host.js";
import type { Bundle } from "../../display/base/show.js";
import { bundleOf } from "../../display/table/foreign.js";

/**
 * The variables in which tslab stores the last expression of a cell: the first one that the cell does not declare
 * itself.
 */
const RESULT_NAMES = ["tsLastExpr", ...Array.from({ length: 10 }, (_, i) => `tsLastExpr${i}`)];
const ACTIVE = Symbol.for("arrowbook.hook");

/**
 * Makes results render themselves in stock tslab, in the importing cell and later ones: a last expression with a MIME
 * bundle is sent as one display instead of being printed. Does nothing outside of stock tslab or on repeated calls.
 * Returns whether results render themselves.
 */
export function hookStockTslab(): boolean {
  const exports = tslabExports();
  if (exports === undefined) return false;
  if (ACTIVE in exports) return true;
  let pending: unknown;
  const results = Object.create(Object.getPrototypeOf(exports)) as object;
  Object.defineProperty(results, ACTIVE, { value: true });
  for (const name of RESULT_NAMES) {
    // The importing cell has already defined its own property; deleting it makes the assignment reach the setter.
    delete (exports as Record<string, unknown>)[name];
    Object.defineProperty(results, name, {
      configurable: true,
      get: () => pending,
      set: (value: unknown) => {
        pending = shown(value) ? undefined : value;
      },
    });
  }
  Object.setPrototypeOf(exports, results);
  return true;
}

/** The values of cells as stock tslab stores them; undefined elsewhere. */
function tslabExports(): object | undefined {
  const tslab = (globalThis as { __tslab__?: { exports?: unknown } }).__tslab__;
  return typeof tslab?.exports === "object" && tslab.exports !== null ? tslab.exports : undefined;
}

function shown(value: unknown): boolean {
  const bundle = bundleOf(value);
  const host = notebookHost();
  if (bundle === undefined || host === undefined) return false;
  if (!(bundle instanceof Promise) && Object.keys(bundle).length === 0) return true;
  if (bundle instanceof Promise) void bundle.then((data: Bundle) => host.send(data, undefined, false));
  else void host.send(bundle, undefined, false);
  return true;
}
