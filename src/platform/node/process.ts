import { setMaxListeners } from "node:events";
import { setImmediate } from "node:timers/promises";
import { inspect } from "node:util";
import { builtin } from "../../package/builtin.js";

export { garbageCollector } from "../../package/garbage.js";
export { inspect, setMaxListeners };

/** The variables of the environment. */
export const environment: Readonly<Record<string, string | undefined>> = process.env;

/** The `fetch` with which `connect` sends where there is nothing better. */
export const pageFetch: typeof fetch | undefined = undefined;

/** Resolves after other work that is due has had its turn. */
export const nextTurn = (): Promise<void> => setImmediate();

/** Emits a warning. */
export const emitWarning = (message: string, options: { readonly type?: string; readonly code?: string } = {}): void =>
  process.emitWarning(message, options);

/** Writes text to the standard output. */
export const print = (text: string): void => void process.stdout.write(`${text}\n`);

/** Columns of the terminal behind the standard output; 0 if there is none. */
export const outputColumns = (): number => process.stdout?.columns ?? 0;

/** Whether the standard error is a terminal that can redraw a line. */
export const hasTerminal = (): boolean => process.stderr.isTTY && process.env["TERM"] !== "dumb";

/** A text in hexadecimal that is another one for other bytes, as good as always. */
export const digestOf = (bytes: Uint8Array | string, algorithm: "sha1" | "sha256"): string =>
  builtin("node:crypto").createHash(algorithm).update(bytes).digest("hex");
