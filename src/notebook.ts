/**
 * `import "arrowbook/notebook"` in a cell of stock tslab: from then on results show themselves as tables and charts.
 * It does nothing in the kernel of this package, in Deno and outside of notebooks, where nothing needs it.
 *
 * @module
 */
import { kernelHooks } from "./kernel/hook/kernel-hooks.js";
import { hookStockTslab } from "./kernel/hook/stock-hook.js";

/** Whether results show themselves through this import: true in stock tslab only. */
export const active: boolean = hookStockTslab();

/**
 * Empties the outputs of the running cell; with `wait`, only when its next output comes. Returns false where the kernel
 * is not the one of this package, and nothing happens.
 */
export function clearOutput(options: { readonly wait?: boolean } = {}): boolean {
  const hooks = kernelHooks();
  hooks?.clearOutput(options.wait ?? false);
  return hooks !== undefined;
}

/**
 * Shows a text in the front end's pager when the cell is done. Returns false where the kernel is not the one of this
 * package, and nothing happens.
 */
export function page(text: string): boolean {
  const hooks = kernelHooks();
  hooks?.page({ "text/plain": text });
  return hooks !== undefined;
}
