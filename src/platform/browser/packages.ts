import type * as node from "../node/packages.js";

/** Everything runs in the page's own thread. */
export const availableParallelism: typeof node.availableParallelism = () => 1;
export const threadProgram: typeof node.threadProgram = () => undefined;
const noThreads = (): never => {
  throw new Error("A page reads in its own thread.");
};
export const startThread: typeof node.startThread = noThreads;
export const messageChannel: typeof node.messageChannel = noThreads;
export const receivedAt: typeof node.receivedAt = noThreads;

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
