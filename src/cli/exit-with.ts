import { fileError } from "../errors/file-error.js";
import { reportError } from "./output/report-error.js";

/**
 * Makes the status of a command the exit status of the process. The status is a failure until the command is done: if
 * the event loop empties before the command has settled, Node would otherwise exit with status 0.
 */
export function exitWith(command: Promise<number>): void {
  let settled = false;
  process.once("exit", () => {
    if (settled) return;
    process.stderr.write(
      "arrowbook: the command ended before it was complete; please report this with the command line.\n",
    );
    process.exitCode = 1;
  });
  // A reader that closes the pipe early, such as `head`, makes the rest of the output useless; it is not an error.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    settled = true;
    if (error.code === "EPIPE") process.exit(0);
    reportError(fileError("the output", "write", error));
    process.exit(1);
  });
  // Without a reader of progress and messages the command continues: its file must not be missing behind status 0.
  process.stderr.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
  void command.then((status) => {
    settled = true;
    process.exitCode = status;
    // A command ended by a signal has cleaned up; what cannot be aborted ends here.
    if (status > 128) process.exit();
  });
}
