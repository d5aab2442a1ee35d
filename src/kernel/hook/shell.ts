import { spawn } from "node:child_process";
import { InputError } from "../../errors/errors.js";
import { refuseUnknown } from "../../errors/options.js";
import { shown } from "../../errors/shown.js";

/** Options of {@link sh}. */
export interface ShellOptions {
  /** Return the standard output as a string instead of printing it; default false. */
  readonly capture?: boolean;
  /** Working folder; default: that of the notebook. */
  readonly cwd?: string;
  /** Environment variables in addition to the current ones. */
  readonly env?: Readonly<Record<string, string>>;
}

/** The key of the signal that is aborted when the running cell is interrupted. */
const SIGNAL = Symbol.for("arrowbook.signal");

/**
 * Runs a command line in the system's shell and prints its output as it comes; an interrupt ends it. With `capture`
 * the standard output is returned without its last line break.
 *
 * @throws {InputError} CommandFailed if the command ends with another exit code than 0
 *
 * @example
 * ```ts no-run
 * await sh("npm ls --depth 0");
 * const files = (await sh("ls *.csv", { capture: true })).split("\n");
 * ```
 */
export function sh(command: string, options: ShellOptions & { readonly capture: true }): Promise<string>;
export function sh(command: string, options?: ShellOptions): Promise<undefined>;
export async function sh(command: string, options: ShellOptions = {}): Promise<string | undefined> {
  refuseUnknown(options, ["capture", "cwd", "env"], "sh()");
  if (typeof command !== "string" || command.trim() === "") {
    throw new InputError(`sh() expects a command line; got ${shown(command)}.`, {
      code: "BadArgument",
      hint: 'Pass the command as a string: await sh("ls -l").',
    });
  }
  const { cwd, env, capture = false } = options;
  // A process group of its own, so that an interrupt reaches the commands that the shell has started.
  const isGroup = process.platform !== "win32";
  const child = spawn(command, {
    shell: true,
    cwd,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    detached: isGroup,
  });
  const kill = (): void => {
    if (child.pid === undefined || child.exitCode !== null) return;
    if (isGroup) process.kill(-child.pid, "SIGTERM");
    else child.kill();
  };
  const signal = (globalThis as { [SIGNAL]?: AbortSignal })[SIGNAL];
  signal?.addEventListener("abort", kill, { once: true });
  const parts: string[] = [];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    if (capture) parts.push(text);
    else process.stdout.write(text);
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => process.stderr.write(text));
  try {
    const how = await new Promise<string | number>((done, fail) => {
      child.once("error", fail);
      child.once("close", (code, signalName) => done(code ?? signalName ?? "unknown"));
    });
    if (how === 0) return capture ? parts.join("").replace(/\r?\n$/, "") : undefined;
    throw new InputError(`The command ended with ${typeof how === "number" ? `exit code ${how}` : how}: ${command}`, {
      code: "CommandFailed",
      hint: "Its messages are above.",
    });
  } finally {
    signal?.removeEventListener("abort", kill);
  }
}
