/**
 * `import "arrowbook/notebook"` in a cell of stock tslab: results are then rendered as tables and charts. Has no effect
 * in the kernel of this package, in Deno (both render results anyway) and outside of notebooks.
 *
 * @module
 */
import { kernelHooks } from "./kernel/hook/kernel-hooks.js";
import { hookStockTslab } from "./kernel/hook/stock-hook.js";

export { confirm, password, prompt } from "./kernel/hook/ask.js";
export { type Control, type ControlValue, type ControlValues, Range, range } from "./kernel/hook/controls.js";
export { type Interaction, interact } from "./kernel/hook/interact.js";
export { html, type Markup, md } from "./kernel/hook/markup.js";
export { type ShellOptions, sh } from "./kernel/hook/shell.js";
export { Timing, timeit } from "./kernel/hook/timeit.js";

/** Whether this import made results render: true in stock tslab only. */
export const active: boolean = hookStockTslab();

/**
 * Clears the outputs of the running cell; with `wait`, only when its next output arrives. Returns false, without
 * effect, in other kernels than that of this package.
 */
export function clearOutput(options: { readonly wait?: boolean } = {}): boolean {
  const hooks = kernelHooks();
  hooks?.clearOutput(options.wait ?? false);
  return hooks !== undefined;
}

/**
 * Shows text in the front end's pager after the cell. Returns false, without effect, in other kernels than that of this
 * package.
 */
export function page(text: string): boolean {
  const hooks = kernelHooks();
  hooks?.page({ "text/plain": text });
  return hooks !== undefined;
}
