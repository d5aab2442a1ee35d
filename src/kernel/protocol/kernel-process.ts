import { type ChildProcess, spawn } from "node:child_process";
import { randomInt, randomUUID } from "node:crypto";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { temporaryFolder } from "../../disk/temporary-folder.js";
import { InputError } from "../../errors/errors.js";
import { fileError } from "../../errors/file-error.js";
import { scrub } from "../../errors/secrets.js";
import type { KernelSpec } from "../install/kernelspec.js";
import type { ConnectionInfo } from "./message.js";

/** A kernel process, with the end of its output outside the protocol. */
export interface KernelProcess {
  readonly pid: number;
  /** Resolves when the process has ended, with a text such as `exit status 1` or `signal SIGKILL`. */
  readonly ended: Promise<string>;
  /** The last lines of its standard output and error, with keys removed. */
  lastWords(): string;
  kill(signal: NodeJS.Signals): void;
  clean(): Promise<void>;
}

const LAST_OUTPUT_CHARS = 4096;

/**
 * Starts the command of `spec` in `folder` with a new connection file.
 *
 * @throws {InputError} KernelNotStarted if the command cannot be run
 */
export async function spawnKernel(
  spec: KernelSpec,
  connection: ConnectionInfo,
  folder: string,
  env: NodeJS.ProcessEnv,
): Promise<KernelProcess> {
  const { path: place, release: clean } = await temporaryFolder("kernel");
  const file = join(place, "connection.json");
  // Only the user may read the key.
  await writeFile(file, JSON.stringify(connection), { mode: 0o600 }).catch(async (cause: unknown) => {
    await clean();
    throw fileError(place, "write", cause);
  });
  const [command, ...args] = spec.argv.map((part) =>
    part.replaceAll("{connection_file}", file).replaceAll("{resource_dir}", spec.folder ?? folder),
  );
  const child = spawn(command, args, {
    cwd: folder,
    // Kernels that support this variable end when the process with this id has ended.
    env: { ...env, JPY_PARENT_PID: String(process.pid), ...spec.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  try {
    await once(child, "spawn");
  } catch (error) {
    await clean();
    throw new InputError(`The kernel ${spec.name} could not be started: ${(error as Error).message}`, {
      code: "KernelNotStarted",
      hint: `Its command is ${JSON.stringify(command)}; reinstall the kernelspec, or pass another one with --kernel.`,
      cause: error,
    });
  }
  const words = tail(child);
  const killAtExit = (): void => void child.kill("SIGKILL");
  process.once("exit", killAtExit);
  child.once("close", () => process.off("exit", killAtExit));
  const ended = new Promise<string>((done) => {
    child.once("close", (code, signal) => done(signal === null ? `exit status ${code}` : `signal ${signal}`));
  });
  return { pid: child.pid!, ended, lastWords: words, kill: (signal) => void child.kill(signal), clean };
}

function tail(child: ChildProcess): () => string {
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8");
    stream?.on("data", (piece: string) => {
      text = (text + piece).slice(-LAST_OUTPUT_CHARS);
    });
  }
  return () => scrub(text.trim());
}

/**
 * Ports from here up to the first ephemeral one (32,768 on Linux; others start higher). An ephemeral port could be
 * given to any outgoing connection before the kernel binds it, even to our own attempt to connect to it.
 */
const FIRST_PORT = 10_000;
const FIRST_EPHEMERAL = 32_768;

/** The content of a connection file: five currently free ports of 127.0.0.1 and a new key. */
export async function newConnection(kernelName: string): Promise<ConnectionInfo> {
  const servers = await Promise.all(Array.from({ length: 5 }, listen));
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
  const [shell_port, iopub_port, stdin_port, control_port, hb_port] = ports;
  return {
    transport: "tcp",
    ip: "127.0.0.1",
    shell_port,
    iopub_port,
    stdin_port,
    control_port,
    hb_port,
    key: randomUUID(),
    signature_scheme: "hmac-sha256",
    kernel_name: kernelName,
  };
}

async function listen(): Promise<Server> {
  for (;;) {
    const server = await tryListen(randomInt(FIRST_PORT, FIRST_EPHEMERAL));
    if (server !== undefined) return server;
  }
}

/** Undefined if the port is taken or reserved. */
function tryListen(port: number): Promise<Server | undefined> {
  return new Promise((done, fail) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) =>
      error.code === "EADDRINUSE" || error.code === "EACCES" ? done(undefined) : fail(error),
    );
    server.listen(port, "127.0.0.1", () => done(server));
  });
}
