import { rmSync, watch } from "node:fs";
import { temporaryFolder } from "../../disk/temporary-folder.js";
import type { Content } from "../protocol/message.js";
import type { Sender } from "./remote.js";
import type { SocketCalls } from "./thread-messages.js";

const REPORT = "fatal.json";
const FULL = "the memory of the kernel is full, and it ends";

/** The error of the cell that filled the memory. */
export const OUT_OF_MEMORY: Content = {
  ename: "OutOfMemory",
  evalue: FULL,
  traceback: [
    `${FULL}: the values of all cells are lost.`,
    "Keep less at a time, or start Jupyter with a larger limit, in MB: NODE_OPTIONS=--max-old-space-size=8192",
  ],
};

/**
 * Has Node write a report when the process ends because its memory is full, which no code of this thread survives.
 * While the report is written, some 20 ms, the other threads still run.
 */
export async function writeFatalReports(sockets: Sender<SocketCalls>): Promise<void> {
  // Reports that the user asked for stay theirs.
  if (process.report.reportOnFatalError) return;
  const folder = await temporaryFolder("kernel").catch(() => undefined);
  if (folder === undefined) return;
  const { path: directory } = folder;
  Object.assign(process.report, { directory, filename: REPORT, compact: true, excludeNetwork: true });
  sockets("watchFatalReport", directory);
  process.report.reportOnFatalError = true;
}

/** Calls `onReport` as soon as the report is begun. It is not kept: it has the variables of the environment. */
export function watchFatalReport(folder: string, onReport: () => void): void {
  const watcher = watch(folder, (_, name) => {
    // At the end of the kernel the folder itself goes.
    if (name !== REPORT) return;
    watcher.close();
    onReport();
    rmSync(folder, { recursive: true, force: true });
  });
}
