import type { Bundle } from "../../display/base/show.js";

export interface KernelHooks {
  /** Clears the outputs of the running cell; with `wait`, only when the next output arrives. */
  clearOutput(wait: boolean): void;
  /** Shows a MIME bundle in the front end's pager when the cell is done. */
  page(bundle: Readonly<Record<string, string>>): void;
  /**
   * Asks the front end for a line and waits for it, blocking the cells; undefined if the front end takes no input.
   * Throws if the cell is interrupted meanwhile.
   */
  input(question: string, isSecret: boolean): string | undefined;
  /** The MIME bundle of a value, as of a cell's result. */
  bundle(value: unknown): Promise<Bundle>;
  /** An error as the kernel reports it: the lines of the trace have terminal colours. */
  errorOf(error: unknown): { readonly traceback: readonly string[] };
}

const HOOKS = Symbol.for("arrowbook.kernel");

type Global = { [HOOKS]?: KernelHooks };

/** Makes `hooks` available to cells, which may load another copy of this package. */
export function offerKernelHooks(hooks: KernelHooks): void {
  (globalThis as Global)[HOOKS] = hooks;
}

/** The hooks of the kernel that runs in this process, if any. */
export function kernelHooks(): KernelHooks | undefined {
  return (globalThis as Global)[HOOKS];
}

/** Whether a value of a cell can be awaited. */
export const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof (value as { then?: unknown } | null | undefined)?.then === "function";
