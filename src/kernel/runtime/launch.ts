import { writeSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { inspect } from "node:util";
import { MessageChannel, Worker } from "node:worker_threads";
import { notebookHost } from "../../display/base/host.js";
import type { Bundle } from "../../display/base/show.js";
import { ArrowbookError } from "../../errors/errors.js";
import { packageRoot, version } from "../../package/package-root.js";
import { findTypeScript } from "../install/installed-typescript.js";
import { resolveTslab } from "../install/kernelspec.js";
import { type Content, PROTOCOL_VERSION } from "../protocol/message.js";
import { CellSession } from "./cell-session.js";
import { CellTasks } from "./cell-tasks.js";
import { Executor } from "./executor.js";
import { writeFatalReports } from "./fatal-report.js";
import { InterruptState, interruptMemory } from "./interrupt-state.js";
import type { LanguageThreadData } from "./language-thread.js";
import { Prelude } from "./prelude.js";
import { remote, sender, serve } from "./remote.js";
import { inputBuffer, type SocketThreadData } from "./thread-messages.js";

export interface LaunchOptions {
  readonly connectionFile: string;
  /** A TypeScript file that runs at the start of every notebook. */
  readonly prelude?: string;
  readonly strict?: boolean;
}

/**
 * Starts arrowbook's kernel in this process: this thread runs cells, another one has the sockets and a third one the
 * compiler.
 *
 * @param entry path of the file that starts the other threads
 */
export function launchKernel(options: LaunchOptions, entry: string): void {
  const folder = process.cwd();
  const typescript = findTypeScript(folder);
  const kernelInfo = kernelInfoOf(typescript.version);
  const input = inputBuffer();
  const interrupts = interruptMemory();
  const { connectionFile, strict = false } = options;
  const requests = new MessageChannel();
  const hints = new MessageChannel();
  const languageData: LanguageThreadData = {
    role: "language",
    typescript: typescript.folder,
    folder,
    home: packageRoot(),
    seesHome: seesPackage(folder),
    strict,
    interrupts,
    hints: hints.port2,
    requests: requests.port2,
  };
  const language = new Worker(entry, {
    workerData: languageData,
    transferList: [hints.port2, requests.port2],
    execArgv: [],
  });
  const data: SocketThreadData = {
    role: "sockets",
    connectionFile,
    kernelInfo,
    input,
    interrupts,
    language: requests.port1,
  };
  const sockets = new Worker(entry, { workerData: data, transferList: [requests.port1], execArgv: [] });
  const exit = process.exit.bind(process);
  process.exit = refuseToExit;
  const tasks = new CellTasks(new InterruptState(interrupts));
  const executor = new Executor(remote(language), folder, tasks, () => loadTslab(folder));
  const session = new CellSession({
    sockets: sender(sockets),
    executor,
    tasks,
    kernelInfo,
    input,
    prelude: new Prelude(executor, options.prelude),
    exit: () => exit(0),
  });
  serve(sockets, session);
  serve(hints.port1, session);
  void writeFatalReports(sender(sockets));
  for (const thread of [sockets, language]) {
    // Without one of its threads the kernel would never reply; a front end restarts it.
    thread.on("error", (error) => {
      writeSync(process.stderr.fd, `${inspect(error)}\n`);
      exit(1);
    });
  }
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

function kernelInfoOf(typescript: string): Content {
  return {
    status: "ok",
    protocol_version: PROTOCOL_VERSION,
    implementation: "arrowbook",
    implementation_version: version(),
    language_info: {
      name: "typescript",
      version: typescript,
      mimetype: "text/typescript",
      file_extension: ".ts",
      pygments_lexer: "typescript",
      // This combination colours TypeScript in Notebook 6 and in JupyterLab.
      codemirror_mode: { mode: "typescript", name: "javascript", typescript: true },
      nbconvert_exporter: "script",
    },
    banner: `arrowbook ${version()}: TypeScript ${typescript} on Node ${process.versions.node}`,
    debugger: true,
    supported_features: ["debugger", "kernel subshells"],
    help_links: [],
  };
}

/** The module for `import "tslab"` in cells, whose displays are shown as those of this package. */
function loadTslab(folder: string): unknown {
  const place = resolveTslab(folder);
  if (place === undefined) {
    throw new ArrowbookError("The package tslab is not installed.", {
      code: "MissingPackage",
      hint: "Run npm install tslab@1.0.22 here, or use display() of arrowbook.",
    });
  }
  const load = createRequire(join(place, "package.json"));
  const jupyter = load("./dist/jupyter.js") as { lastWriteDisplayData: unknown };
  jupyter.lastWriteDisplayData = ({ data, transient }: TslabDisplay, update = false) =>
    notebookHost()?.send(data, transient?.display_id, update);
  return load("./dist/public.js");
}

interface TslabDisplay {
  readonly data: Bundle;
  readonly transient?: { readonly display_id?: string };
}
