/**
 * The command that a kernelspec names: `launcher.js kernel <connection file> [--prelude file] [--strict]`.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { workerData } from "node:worker_threads";

// Each thread loads only what it runs.
const role = (workerData as { role?: string } | null)?.role;
if (role === "sockets") void sockets();
else if (role === "language") void language();
else void cells();

async function sockets(): Promise<void> {
  const { runSocketThread } = await import("./kernel/runtime/socket-thread.js");
  await runSocketThread();
}

async function language(): Promise<void> {
  const { runLanguageThread } = await import("./kernel/runtime/language-thread.js");
  runLanguageThread();
}

async function cells(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      prelude: { type: "string" },
      strict: { type: "boolean" },
      // Of kernelspecs that were installed earlier: modules are always resolved so.
      bundler: { type: "boolean" },
    },
  });
  const connectionFile = positionals.at(1);
  if (positionals[0] !== "kernel" || connectionFile === undefined) {
    process.stderr.write("usage: launcher.js kernel <connection file> [--prelude file] [--strict]\n");
    process.exit(2);
  }
  const { launchKernel } = await import("./kernel/runtime/launch.js");
  launchKernel({ connectionFile, ...values }, fileURLToPath(import.meta.url));
}
