import type * as node from "../node/packages.js";

/** More threads would hold more memory than they save time. */
const MOST_THREADS = 8;

export const availableParallelism: typeof node.availableParallelism = () =>
  Math.min(
    MOST_THREADS,
    (globalThis as { navigator?: { hardwareConcurrency?: number } }).navigator?.hardwareConcurrency ?? 1,
  );

/** Memory is shared only in pages that are isolated, and a page's own thread must not wait. */
export const sharesMemory: typeof node.sharesMemory = false;

type Listener = (value: unknown) => void;

/** The part of a Web Worker, or of the scope in one, that is in use. */
interface Scope {
  postMessage(value: unknown, transfer?: unknown): void;
  terminate?(): void;
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  onerror: ((event: { preventDefault?(): void }) => void) | null;
}

declare const Worker: (new (url: URL, options: { readonly type: "module" }) => Scope) | undefined;

/** A Web Worker, or the page that started one, with the methods of Node's threads. */
class Peer {
  private readonly listeners = new Map<string, Set<Listener>>();

  constructor(private readonly scope: Scope) {
    scope.onmessage = ({ data }) => this.emit("message", data);
  }

  on(event: string, listener: Listener): this {
    this.listeners.set(event, (this.listeners.get(event) ?? new Set()).add(listener));
    return this;
  }

  off(event: string, listener: Listener): this {
    this.listeners.get(event)?.delete(listener);
    return this;
  }

  emit(event: string, value: unknown): void {
    for (const listener of [...(this.listeners.get(event) ?? [])]) listener(value);
  }

  postMessage(value: unknown, transfer: unknown = []): void {
    this.scope.postMessage(value, transfer);
  }

  async terminate(): Promise<number> {
    this.scope.terminate?.();
    return 0;
  }

  ref(): void {}

  unref(): void {}
}

/** A worker could not load its program, or may not run here: none is started again. */
let isRefused = false;

export const threadProgram: typeof node.threadProgram = () =>
  typeof Worker === "undefined" || isRefused ? undefined : "worker";

export const startThread: typeof node.startThread = () => {
  // Bundlers find the program by this expression.
  const worker = new (Worker as NonNullable<typeof Worker>)(new URL("./worker.js", import.meta.url), {
    type: "module",
  });
  const thread = new Peer(worker);
  worker.onerror = (event) => {
    event.preventDefault?.();
    isRefused = true;
    thread.emit("error", event);
    thread.emit("exit", 1);
    void thread.terminate();
  };
  return thread as unknown as ReturnType<typeof node.startThread>;
};

export const parentThread: typeof node.parentThread = () =>
  new Peer(globalThis as unknown as Scope) as unknown as ReturnType<typeof node.parentThread>;

const noPorts = (): never => {
  throw new Error("Threads of a page share no memory.");
};
export const messageChannel: typeof node.messageChannel = noPorts;
export const receivedAt: typeof node.receivedAt = noPorts;

/** The globals by which the scripts of these packages are known. */
const GLOBALS = { vega: "vega", "vega-lite": "vegaLite" } as const;

export const loadPackage: typeof node.loadPackage = (name) => {
  const loaded: unknown = Reflect.get(globalThis, GLOBALS[name]);
  if (loaded === undefined) throw new Error(`globalThis.${GLOBALS[name]} is not set`);
  return loaded;
};

export const installHint: typeof node.installHint = (packages) => {
  const set = packages.split(" ").map((name) => name.split("@")[0] as keyof typeof GLOBALS);
  const sets = set.map((name) => `globalThis.${GLOBALS[name] ?? name} = await import("${name}")`);
  return `npm install ${packages}, then in the page: ${sets.join("; ")}`;
};

export const loadedModules: typeof node.loadedModules = () => ({});

export const filesLike: typeof node.filesLike = async () => [];

export const importDanfo: typeof node.importDanfo = async () => {
  throw Object.assign(new Error("danfojs-node needs Node: pass the module of danfojs"), { code: "NeedsNode" });
};
