import Module from "node:module";
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { memoryReleaser } from "../../package/garbage.js";
import { CellCompiler, type CellCompilerOptions } from "../compiler/cell-compiler.js";
import { loadTypeScript } from "../install/installed-typescript.js";
import { InterruptState } from "./interrupt-state.js";
import { type CellHints, Language } from "./language.js";
import { remote, serve } from "./remote.js";

export interface LanguageThreadData extends CellCompilerOptions {
  readonly role: "language";
  /** The folder of the package `typescript`. */
  readonly typescript: string;
  /** What the thread that runs cells runs. */
  readonly interrupts: SharedArrayBuffer;
  /** The ends of the channels to the thread that runs cells, for its hints, and to the socket thread. */
  readonly hints: MessagePort;
  readonly requests: MessagePort;
}

/** After this time without a request the thread returns memory to the system. */
const IDLE_MS = 1200;

/** The thread of the compiler: compiles cells, and completes and inspects code also while a cell runs. */
export function runLanguageThread(): void {
  // Node 22 and later cache compiled code between starts; the compiler is large.
  (Module as { enableCompileCache?: () => unknown }).enableCompileCache?.();
  const data = workerData as LanguageThreadData;
  const compiler = new CellCompiler(loadTypeScript(data.typescript), data);
  serve(parentPort!, compiler);
  const language = new Language(compiler, remote<CellHints>(data.hints), new InterruptState(data.interrupts));
  serve(data.requests, language);
  const release = memoryReleaser();
  let idle: NodeJS.Timeout | undefined;
  for (const port of [parentPort!, data.requests]) {
    port.on("message", () => {
      clearTimeout(idle);
      idle = setTimeout(release, IDLE_MS).unref();
    });
  }
}
