/**
 * The command that a kernelspec names: `launcher.js kernel <connection file> [--prelude file] [--strict] [--bundler]`.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { workerData } from "node:worker_threads";

// Each thread loads only what it runs.
if ((workerData as { role?: string } | null)?.role === "sockets") void sockets();
else void cells();

async function sockets(): Promise<void> {
  const { runSocketThread } = await import("./kernel/runtime/socket-thread.js");
  await runSocketThread();
}

async function cells(): Promise<void> {
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
  const { launchKernel } = await import("./kernel/runtime/launch.js");
  launchKernel({ connectionFile, ...values }, fileURLToPath(import.meta.url));
}
