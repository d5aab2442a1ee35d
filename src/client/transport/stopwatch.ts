import { unlessAborted } from "../../errors/unless-aborted.js";
import { after } from "./timer.js";

/** One abort signal for the caller's signal and all time limits of an exchange. */
export class Stopwatch {
  readonly #controller = new AbortController();
  readonly #limits: (() => void)[] = [];
  readonly #outer: AbortSignal | undefined;
  readonly #onOuter = (): void => this.stop(this.#outer?.reason);

  constructor(outer: AbortSignal | undefined) {
    this.#outer = outer;
    if (outer?.aborted) this.#onOuter();
    else outer?.addEventListener("abort", this.#onOuter, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  stop(reason: unknown): void {
    this.#controller.abort(reason);
  }

  /** Stops after `ms` unless the returned function is called first. */
  limit(ms: number, reason: () => unknown): () => void {
    const cancel = after(ms, () => this.stop(reason()));
    this.#limits.push(cancel);
    return cancel;
  }

  /**
   * Settles as `work` does, or rejects with the reason as soon as the watch stops: a promise that a transport never
   * settles cannot block a caller.
   */
  race<T>(work: Promise<T>): Promise<T> {
    return unlessAborted(work, this.signal);
  }

  end(): void {
    for (const cancel of this.#limits) cancel();
    this.#outer?.removeEventListener("abort", this.#onOuter);
  }
}
