import Module, { createRequire } from "node:module";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { packageRoot } from "../../package/package-root.js";
import { version } from "../../package/version.js";
import { type Content, PROTOCOL_VERSION } from "../protocol/message.js";
import { CellSession } from "./cell-session.js";
import { type CompilerState, prepareTypeScript } from "./compiler.js";
import { createExecutor } from "./executor.js";
import { preludeLoader } from "./prelude.js";
import type { SocketThreadData } from "./thread-messages.js";
import { loadTslab, TslabDiffers, type TslabParts } from "./tslab-parts.js";

/** What the command line of the launcher says. */
export interface LaunchOptions {
  readonly connectionFile: string;
  /** A TypeScript file whose declarations every notebook starts with. */
  readonly prelude?: string;
  readonly strict?: boolean;
  readonly bundler?: boolean;
}

/**
 * Starts our kernel in this process. Where tslab's inside is not the one known here, says so and starts stock tslab
 * with the hook that shows results.
 *
 * @param entry path of the file that starts the thread with the sockets.
 */
export function launchKernel(options: LaunchOptions, entry: string): void {
  // Node 22 and later keep compiled code between starts; the compiler is large.
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
  const data: SocketThreadData = { role: "sockets", connectionFile: options.connectionFile, kernelInfo };
  const sockets = new Worker(entry, { workerData: data, execArgv: [] });
  const executor = createExecutor(tslab, state, folder);
  const session = new CellSession({
    port: sockets,
    executor,
    tslab,
    state,
    kernelInfo,
    prelude: preludeLoader(executor, options.prelude),
  });
  sockets.on("error", (error) => {
    throw error;
  });
  void session;
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
    debugger: false,
    help_links: [],
  };
}

async function startStock(reason: TslabDiffers, options: LaunchOptions): Promise<void> {
  const place = reason.folder;
  process.stderr.write(`arrowbook: ${reason.message}\n`);
  if (place === undefined) process.exit(1);
  process.stderr.write("arrowbook: starting stock tslab with results that show themselves\n");
  const main = createRequire(join(place, "package.json"))(join(place, "dist", "main.js")) as {
    startKernel(options: {
      configPath: string;
      enableFindLocal: boolean;
      jsKernel: boolean;
      globalVersion: string;
    }): void;
  };
  main.startKernel({ configPath: options.connectionFile, enableFindLocal: false, jsKernel: false, globalVersion: "" });
  // Loaded here only: it draws tables, which our kernel does when it first has one.
  const { hookStockTslab } = await import("../hook/stock-hook.js");
  hookStockTslab();
}
