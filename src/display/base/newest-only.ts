/**
 * Passes values to a function, one call at a time; values that arrive during a call replace each other.
 *
 * @param work must not throw or reject; `isCurrent` is false once the call has been forgotten
 */
export function newestOnly<T>(work: (value: T, isCurrent: () => boolean) => void | Promise<void>) {
  let waiting: { readonly value: T } | undefined;
  let running: symbol | undefined;

  const next = (): void => {
    const call = Symbol("call");
    running = call;
    // In a task of its own: values that have arrived already are seen first, and an interrupt ends nothing else.
    setImmediate(() => {
      if (running !== call) return;
      const { value } = waiting as { readonly value: T };
      waiting = undefined;
      const done = (): void => {
        if (running !== call) return;
        running = undefined;
        if (waiting !== undefined) next();
      };
      const ended = work(value, () => running === call);
      if (ended instanceof Promise) void ended.then(done);
      else done();
    });
  };

  return {
    push(value: T): void {
      waiting = { value };
      if (running === undefined) next();
    },
    /** Forgets the running call, whose code may have been terminated, and continues with the newest value. */
    restart(): void {
      running = undefined;
      if (waiting !== undefined) next();
    },
    get isBusy(): boolean {
      return running !== undefined;
    },
  };
}
