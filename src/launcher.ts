/**
 * The command that a kernelspec names: `launcher.js kernel <connection file> [--prelude file] [--strict] [--bundler]`.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { workerData } from "node:worker_threads";
import { launchKernel } from "./kernel/own/launch.js";
import { runSocketThread } from "./kernel/own/socket-thread.js";

if ((workerData as { role?: string } | null)?.role === "sockets") void runSocketThread();
else launch();

function launch(): void {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      prelude: { type: "string" },
      strict: { type: "boolean" },
      bundler: { type: "boolean" },
    },
  });
  const connectionFile = positionals.at(1);
  if (positionals[0] !== "kernel" || connectionFile === undefined) {
    process.stderr.write("usage: launcher.js kernel <connection file> [--prelude file] [--strict] [--bundler]\n");
    process.exit(2);
  }
  launchKernel({ connectionFile, ...values }, fileURLToPath(import.meta.url));
}
