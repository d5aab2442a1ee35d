import type { DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { FileError, missingPackage } from "../../errors/errors.js";
import { engineReason } from "./error.js";

type Api = typeof import("@duckdb/node-api");

/** Limits of the embedded engine; by default it uses all cores and most of the memory. */
interface Limits {
  readonly threads?: number;
  readonly memoryLimit?: string;
}

/** The package is an optional dependency: an install with `--omit=optional`, or for a platform without it, lacks it. */
export function loadApi(): Promise<Api> {
  return import("@duckdb/node-api").catch((cause: unknown) => {
    const what = "SQL, the embedded service and DuckDB files require the package @duckdb/node-api.";
    throw missingPackage(what, "@duckdb/node-api", cause);
  });
}

/** What the engine says of a file that another process has open; on Windows the system says it. */
const IN_USE =
  /Conflicting lock is held in (?<program>.+?) \(PID (?<pid>\d+)\)|Conflicting lock is held|being used by another process/;

/** @throws {FileError} DatabaseNotOpened, which can be retried if another process has the file open */
export async function openInstance(api: Api, path: string | undefined, options: Limits): Promise<DuckDBInstance> {
  const config: Record<string, string> = {};
  if (options.threads !== undefined) config["threads"] = String(options.threads);
  if (options.memoryLimit !== undefined) config["memory_limit"] = options.memoryLimit;
  try {
    return await api.DuckDBInstance.create(path ?? ":memory:", config);
  } catch (cause) {
    const file = JSON.stringify(path ?? ":memory:");
    const reason = engineReason(cause);
    const use = IN_USE.exec(reason);
    const { pid, program } = use?.groups ?? {};
    const holder = pid === undefined ? "another process" : `process ${pid} (${program})`;
    throw new FileError(
      use === null
        ? `The database ${file} could not be opened: ${reason}`
        : `The database ${file} is open in ${holder}.`,
      {
        code: "DatabaseNotOpened",
        hint: "Close the other process that has it open, or pass another path.",
        retry: { retryable: use !== null },
        cause,
      },
    );
  }
}

/** An interrupt has no effect on a statement that has been sent and has not started. */
const AGAIN_MS = 20;

/** Interrupts what a connection runs when the signal aborts; returns a function that ends this. */
export function interruptOnAbort(own: DuckDBConnection, signal: AbortSignal | undefined): () => void {
  let again: NodeJS.Timeout | undefined;
  const interrupt = (): void => {
    own.interrupt();
    again = setInterval(() => own.interrupt(), AGAIN_MS);
  };
  signal?.addEventListener("abort", interrupt, { once: true });
  return () => {
    signal?.removeEventListener("abort", interrupt);
    clearInterval(again);
  };
}

/** Runs statements of a connection, which an abort of the signal interrupts; rejects with its reason. */
export async function interruptible<T>(
  own: DuckDBConnection,
  signal: AbortSignal | undefined,
  run: () => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const settled = interruptOnAbort(own, signal);
  try {
    return await run();
  } catch (error) {
    throw signal?.aborted ? signal.reason : error;
  } finally {
    settled();
  }
}
