import { isPromise } from "../hook/kernel-hooks.js";
import type { InterruptState } from "./interrupt-state.js";

/** Code of a cell was interrupted. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
}

/**
 * Runs code of cells in tasks of their own: if code is terminated from outside, only its task is lost, and the
 * interrupt that follows ends the wait for it.
 */
export class CellTasks {
  #isInterrupted = false;
  /** The cells that have begun and are not answered; more than one with subshells. */
  #cells = 0;
  readonly #stops = new Set<() => void>();

  constructor(private readonly state: InterruptState) {}

  /** Whether a cell has begun and is not answered. */
  get isRunning(): boolean {
    return this.#cells > 0;
  }

  /** A cell begins: an interrupt before its code runs keeps it from running. */
  begin(): void {
    this.#cells++;
    this.state.set("kernel");
    this.#isInterrupted = false;
  }

  /** The cell was answered. */
  end(): void {
    this.state.set(--this.#cells === 0 ? "idle" : "cell");
  }

  /** Runs code of the cell and waits for the promise that it returns. @throws {Interrupted} */
  run<T>(code: () => T | PromiseLike<T>): Promise<T> {
    return new Promise((done, fail) => {
      let isOpen = true;
      const settle = (how: () => void): void => {
        if (!isOpen) return;
        isOpen = false;
        this.#stops.delete(stop);
        this.state.set("kernel");
        if (this.#isInterrupted) fail(new Interrupted());
        else how();
      };
      const failWith = (error: unknown): void => settle(() => fail(error));
      const stop = (): void => settle(() => undefined);
      this.#stops.add(stop);
      if (this.#isInterrupted) stop();
      setImmediate(() => {
        if (!isOpen) return;
        this.state.set("cell");
        try {
          const value = code();
          if (isPromise(value)) value.then((result) => settle(() => done(result as T)), failWith);
          else settle(() => done(value));
        } catch (error) {
          failWith(error);
        }
      });
    });
  }

  /** What the cell runs ends as interrupted. */
  interrupt(): void {
    this.#isInterrupted = true;
    for (const stop of this.#stops) stop();
  }

  /** However the code that runs now ends, it was interrupted. */
  expectInterrupt(): void {
    this.#isInterrupted = true;
  }

  /** Handles an interrupt of the socket thread. */
  acknowledge(id: number, interrupt: () => void): void {
    const before = this.state.set("kernel");
    const isNew = this.state.acknowledge(id);
    if (isNew) interrupt();
    // A cell continues to its reply.
    if (before === "idle") this.state.set("idle");
  }

  /** Runs a part of the kernel that must not be terminated. */
  protect<T>(work: () => T): T {
    return this.state.during(work);
  }
}
