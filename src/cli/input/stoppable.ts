import { ArrowbookError } from "../../errors/errors.js";

/** Exit statuses after a signal: 128 plus the number of the signal, as in shells. */
const STOPPED = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Runs `work`. Ctrl-C aborts its signal with an error whose hint is `onStop`, and the process exits with status 130.
 */
export async function stoppable(onStop: string, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const stop = new AbortController();
  const interrupt = (name: keyof typeof STOPPED): void => {
    process.exitCode = STOPPED[name];
    stop.abort(new ArrowbookError("Stopped.", { code: "Stopped", hint: onStop }));
  };
  process.once("SIGINT", interrupt);
  process.once("SIGTERM", interrupt);
  try {
    await work(stop.signal);
  } finally {
    process.off("SIGINT", interrupt);
    process.off("SIGTERM", interrupt);
  }
}
