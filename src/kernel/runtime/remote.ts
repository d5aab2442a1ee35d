import type { MessagePort, Worker } from "node:worker_threads";

/** An object whose methods are called in another thread, or as if. */
export interface Remote<T> {
  call<Name extends Methods<T>>(name: Name, ...given: Given<T[Name]>): Promise<Awaited<Returned<T[Name]>>>;
  /** The same without a reply: a message less wakes a thread less. */
  readonly send: Sender<T>;
}

type Methods<T> = { [Name in keyof T]: T[Name] extends (...given: never[]) => unknown ? Name : never }[keyof T] &
  string;
type Given<F> = F extends (...given: infer Values) => unknown ? Values : never;
type Returned<F> = F extends (...given: never[]) => infer Value ? Value : never;

/** Calls such a method without waiting for it. */
export type Sender<T> = <Name extends Methods<T>>(name: Name, ...given: Given<T[Name]>) => void;

interface Call {
  /** Undefined if no reply is expected. */
  readonly id?: number;
  readonly name: string;
  readonly given: readonly unknown[];
}

interface Answer {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: Error;
}

type Port = MessagePort | Worker;

/** Calls the methods of the object that {@link serve} provides at the other end of a port, in order. */
export function remote<T>(port: Port): Remote<T> {
  const waiting = new Map<number, (answer: Answer) => void>();
  let last = 0;
  (port as MessagePort).on("message", (answer: Answer) => {
    waiting.get(answer.id)?.(answer);
    waiting.delete(answer.id);
  });
  return {
    call: (name, ...given) =>
      new Promise((done, fail) => {
        const id = ++last;
        waiting.set(id, ({ value, error }) => (error === undefined ? done(value as never) : fail(error)));
        port.postMessage({ id, name, given } satisfies Call);
      }),
    send: sender(port),
  };
}

/** The same without replies. */
export function sender<T>(port: Port): Sender<T> {
  return (name, ...given) => port.postMessage({ name, given } satisfies Call);
}

/** Provides the methods of an object to the other end of a port. */
export function serve(port: Port, target: object): void {
  const methods = target as Readonly<Record<string, (...values: readonly unknown[]) => unknown>>;
  (port as MessagePort).on("message", async ({ id, name, given }: Call) => {
    try {
      const value = await methods[name](...given);
      if (id !== undefined) port.postMessage({ id, value } satisfies Answer);
    } catch (error) {
      if (id === undefined) console.error("The kernel failed:", error);
      else port.postMessage({ id, error: error instanceof Error ? error : new Error(String(error)) } satisfies Answer);
    }
  });
}

/** The same for an object of this thread. */
export function local<T extends object>(target: T): Remote<T> {
  const methods = target as Readonly<Record<string, (...values: readonly unknown[]) => never>>;
  return {
    call: async (name, ...given) => methods[name](...given),
    send: (name, ...given) => void methods[name](...given),
  };
}
