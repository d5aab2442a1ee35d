/**
 * What the thread of the cells runs, in memory shared with the socket thread: that thread terminates the code of cells,
 * never the compiler or the reply to a request, which would be lost.
 */
export type Running = "idle" | "cell" | "kernel";

const STATES: readonly Running[] = ["idle", "cell", "kernel"];
const TERMINATING = STATES.length;

const STATE = 0;
const ACKNOWLEDGED = 1;

/** Creates the memory that both threads share. */
export function interruptMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT);
}

export class InterruptState {
  readonly #memory: Int32Array;

  constructor(memory: SharedArrayBuffer) {
    this.#memory = new Int32Array(memory);
  }

  /** What the cells' thread runs now. */
  running(): Running {
    return STATES[Atomics.load(this.#memory, STATE)] ?? "cell";
  }

  /** Sets what the cells' thread runs, and returns what ran before. A termination under way hits the caller. */
  set(next: Running): Running {
    const value = STATES.indexOf(next);
    for (;;) {
      const now = Atomics.load(this.#memory, STATE);
      if (now === TERMINATING) continue;
      if (Atomics.compareExchange(this.#memory, STATE, now, value) === now) return STATES[now];
    }
  }

  /** Runs `work` in the cells' thread without termination. */
  during<T>(work: () => T): T {
    const before = this.set("kernel");
    try {
      return work();
    } finally {
      this.set(before);
    }
  }

  /** Whether this interrupt is new to the cells' thread. From now on it needs no termination. */
  acknowledge(id: number): boolean {
    return Atomics.exchange(this.#memory, ACKNOWLEDGED, id) < id;
  }

  isAcknowledged(id: number): boolean {
    return Atomics.load(this.#memory, ACKNOWLEDGED) >= id;
  }

  /** Terminates the code of a cell, or with `idle` that of a callback after its cell; returns whether it did. */
  async terminate(id: number, idle: boolean, terminate: () => Promise<void>): Promise<boolean> {
    const from = Atomics.load(this.#memory, STATE);
    if (STATES[from] !== "cell" && !(idle && STATES[from] === "idle")) return false;
    if (Atomics.compareExchange(this.#memory, STATE, from, TERMINATING) !== from) return false;
    try {
      if (this.isAcknowledged(id)) return false;
      await terminate();
      return true;
    } finally {
      Atomics.store(this.#memory, STATE, from);
    }
  }
}
