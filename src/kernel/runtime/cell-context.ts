import { AsyncLocalStorage } from "node:async_hooks";

/** Follows which cell the code that runs now belongs to. */
export interface CellContext<Cell> {
  run<T>(cell: Cell, code: () => T): T;
  /** The cell of the code that runs now, also of code that continues after its reply; undefined if that is unknown. */
  current(): Cell | undefined;
  /** Returns what calls code as that of the cell that runs now. */
  snapshot(): <T>(code: () => T) => T;
}

/** From this version of Node on, storages work without hooks of promises. */
const WITHOUT_HOOKS = 24;

/**
 * The context of cells. Before Node 24 a storage installs hooks of promises, which end the process when running code is
 * terminated from outside: there, only timers are followed.
 */
export function cellContext<Cell extends object>(running: () => Cell | undefined): CellContext<Cell> {
  if (Number(process.versions.node.split(".")[0]) < WITHOUT_HOOKS) return new TimerContext(running);
  const storage = new AsyncLocalStorage<Cell>();
  return {
    run: (cell, code) => storage.run(cell, code),
    current: () => storage.getStore(),
    snapshot: () => AsyncLocalStorage.snapshot(),
  };
}

class TimerContext<Cell> implements CellContext<Cell> {
  /** The cell of the callback that runs now. */
  #inCallback: Cell | undefined;

  /** @param cell the cell of code that is not in a callback */
  constructor(private readonly cell: () => Cell | undefined) {
    for (const name of ["setTimeout", "setInterval"] as const) {
      const start = globalThis[name] as (callback: (...values: unknown[]) => void, ...rest: unknown[]) => unknown;
      const followed = (callback: (...values: unknown[]) => void, ...rest: unknown[]): unknown => {
        if (typeof callback !== "function") return start(callback, ...rest);
        const inCell = this.snapshot();
        return start((...values) => inCell(() => callback(...values)), ...rest);
      };
      // With the form of the function that `util.promisify` returns.
      Object.defineProperties(followed, Object.getOwnPropertyDescriptors(start));
      Object.defineProperty(globalThis, name, {
        value: followed,
        writable: true,
        configurable: true,
        enumerable: true,
      });
    }
  }

  run<T>(_: Cell, code: () => T): T {
    // Set still if a callback was terminated from outside.
    this.#inCallback = undefined;
    return code();
  }

  current(): Cell | undefined {
    return this.#inCallback;
  }

  snapshot(): <T>(code: () => T) => T {
    const cell = this.#inCallback ?? this.cell();
    return (code) => {
      const before = this.#inCallback;
      this.#inCallback = cell;
      try {
        return code();
      } finally {
        this.#inCallback = before;
      }
    };
  }
}
