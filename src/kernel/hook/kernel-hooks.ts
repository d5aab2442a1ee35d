/** What our kernel offers to code in cells. */
export interface KernelHooks {
  /** Empties the outputs of the running cell; with `wait`, only when the next output comes. */
  clearOutput(wait: boolean): void;
  /** Shows a MIME bundle in the front end's pager when the cell is done. */
  page(bundle: Readonly<Record<string, string>>): void;
}

const HOOKS = Symbol.for("arrowbook.kernel");

type Global = { [HOOKS]?: KernelHooks };

/** Makes `hooks` reachable from cells, which may load another copy of this package. */
export function offerKernelHooks(hooks: KernelHooks): void {
  (globalThis as Global)[HOOKS] = hooks;
}

/** The hooks of the kernel this process is, or undefined elsewhere. */
export function kernelHooks(): KernelHooks | undefined {
  return (globalThis as Global)[HOOKS];
}
