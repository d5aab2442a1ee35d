import Module, { createRequire } from "node:module";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { ArrowbookError } from "../../errors/errors.js";
import { packageRoot, version } from "../../package/package-root.js";
import { prepareTypeScript } from "../compiler/compiler.js";
import type { CompilerState } from "../compiler/compiler-state.js";
import { loadTslab, TslabDiffers, type TslabParts } from "../compiler/tslab-parts.js";
import { type Content, PROTOCOL_VERSION } from "../protocol/message.js";
import { CellSession } from "./cell-session.js";
import { CellTasks } from "./cell-tasks.js";
import { Executor } from "./executor.js";
import { InterruptState, interruptMemory } from "./interrupt-state.js";
import { Prelude } from "./prelude.js";
import { inputBuffer, type SocketThreadData } from "./thread-messages.js";

export interface LaunchOptions {
  readonly connectionFile: string;
  /** A TypeScript file that runs at the start of every notebook. */
  readonly prelude?: string;
  readonly strict?: boolean;
  readonly bundler?: boolean;
}

/**
 * Starts arrowbook's kernel in this process. If the internals of tslab differ from the supported ones, reports it and
 * starts stock tslab with the hook that renders results.
 *
 * @param entry path of the file that starts the thread with the sockets
 */
export function launchKernel(options: LaunchOptions, entry: string): void {
  // Node 22 and later cache compiled code between starts; the compiler is large.
  (Module as { enableCompileCache?: () => unknown }).enableCompileCache?.();
  const folder = process.cwd();
  const state: CompilerState = {};
  let tslab: TslabParts;
  try {
    const home = seesPackage(folder) ? undefined : packageRoot();
    tslab = loadTslab(folder, (typescript) => prepareTypeScript(typescript, options, state, folder, home));
  } catch (error) {
    if (!(error instanceof TslabDiffers)) throw error;
    void startStock(error, options);
    return;
  }
  const kernelInfo = kernelInfoOf(tslab);
  const input = inputBuffer();
  const interrupts = interruptMemory();
  const { connectionFile } = options;
  const data: SocketThreadData = { role: "sockets", connectionFile, kernelInfo, input, interrupts };
  const sockets = new Worker(entry, { workerData: data, execArgv: [] });
  const exit = process.exit.bind(process);
  process.exit = refuseToExit;
  const tasks = new CellTasks(new InterruptState(interrupts));
  const executor = new Executor(tslab, state, folder, tasks);
  const session = new CellSession({
    port: sockets,
    executor,
    tasks,
    tslab,
    state,
    kernelInfo,
    input,
    prelude: new Prelude(executor, options.prelude),
    exit: () => exit(0),
  });
  sockets.on("error", (error) => {
    throw error;
  });
  void session;
}

/** What `process.exit()` does in cells: the kernel and all that the notebook holds stay. */
function refuseToExit(): never {
  throw new ArrowbookError("process.exit() would end the kernel, and with it every value of the notebook.", {
    code: "KernelExit",
    hint: "To end a cell early, throw an error or return from a function. To end the kernel, shut it down in the front end.",
  });
}

function seesPackage(folder: string): boolean {
  try {
    createRequire(join(folder, "cell.js")).resolve("arrowbook/package.json");
    return true;
  } catch {
    return false;
  }
}

function kernelInfoOf(tslab: TslabParts): Content {
  return {
    status: "ok",
    protocol_version: PROTOCOL_VERSION,
    implementation: "arrowbook",
    implementation_version: version(),
    language_info: {
      name: "typescript",
      version: tslab.typescript.version,
      mimetype: "text/typescript",
      file_extension: ".ts",
      pygments_lexer: "typescript",
      // This combination colours TypeScript in Notebook 6 and in JupyterLab.
      codemirror_mode: { mode: "typescript", name: "javascript", typescript: true },
      nbconvert_exporter: "script",
    },
    banner: `arrowbook ${version()}: TypeScript ${tslab.typescript.version} on Node ${process.versions.node}`,
    // There are no breakpoints: JupyterLab then offers none beside the lines.
    debugger: false,
    supported_features: ["kernel subshells"],
    help_links: [],
  };
}

async function startStock(reason: TslabDiffers, options: LaunchOptions): Promise<void> {
  const place = reason.folder;
  process.stderr.write(`arrowbook: ${reason.message}\n`);
  if (place === undefined) process.exit(1);
  process.stderr.write("arrowbook: starting stock tslab with rendered results\n");
  const main = createRequire(join(place, "package.json"))(join(place, "dist", "main.js")) as {
    startKernel(options: {
      configPath: string;
      enableFindLocal: boolean;
      jsKernel: boolean;
      globalVersion: string;
    }): void;
  };
  main.startKernel({ configPath: options.connectionFile, enableFindLocal: false, jsKernel: false, globalVersion: "" });
  // Loaded only here: it renders tables, which arrowbook's kernel loads with the first table.
  const { hookStockTslab } = await import("../hook/stock-hook.js");
  hookStockTslab();
}
