import { createRequire } from "node:module";
import { availableParallelism } from "node:os";
import type { MessageChannel, MessagePort, Worker } from "node:worker_threads";
import { builtin } from "../../package/builtin.js";
import { packageRoot } from "../../package/package-root.js";
import { existsSync, join } from "./files.js";

export type { MessagePort, TransferListItem, Worker } from "node:worker_threads";
export { availableParallelism };

/** Whether threads can share memory, and wait for each other. */
export const sharesMemory: boolean = true;

/** What a worker thread receives messages from and replies to. */
export const parentThread = (): MessagePort | null => builtin("node:worker_threads").parentPort;

/** The program of worker threads; undefined in a source tree that has not been built. */
export function threadProgram(): string | undefined {
  const path = join(packageRoot(), "dist/cjs/worker.js");
  return existsSync(path) ? path : undefined;
}

export const startThread = (program: string): Worker => new (builtin("node:worker_threads").Worker)(program);

export const messageChannel = (): MessageChannel => new (builtin("node:worker_threads").MessageChannel)();

/** The next message that has arrived at a port, without a turn of the event loop. */
export const receivedAt = (port: MessagePort): { readonly message: unknown } | undefined =>
  builtin("node:worker_threads").receiveMessageOnPort(port);

const require = createRequire(import.meta.url);

/** An optional package. Throws if it is not installed. */
export const loadPackage = (name: "vega" | "vega-lite"): unknown => require(name);

/** How optional packages are installed, as a hint. */
export const installHint = (packages: string): string => `npm install ${packages}`;

/** The modules that were loaded by `require`, by path. */
export const loadedModules = (): Readonly<Record<string, { readonly exports: unknown } | undefined>> =>
  require.cache ?? {};

/** The paths of the files that match a pattern, below `cwd` where it is passed. */
export async function filesLike(pattern: string, cwd?: string): Promise<readonly string[]> {
  const { glob } = await import("tinyglobby");
  return glob(pattern, { ...(cwd !== undefined && { cwd }), absolute: true, expandDirectories: false });
}

/** The optional package danfojs-node; by a variable, for it has types of other packages that may be missing. */
export function importDanfo(): Promise<unknown> {
  const name = "danfojs-node";
  return import(name);
}
