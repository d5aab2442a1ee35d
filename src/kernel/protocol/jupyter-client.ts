import { randomUUID } from "node:crypto";
import { connect as connectSocket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { CodeOf } from "../../errors/codes.js";
import { TransportError } from "../../errors/errors.js";
import type { KernelSpec } from "../install/kernelspec.js";
import { type KernelProcess, newConnection, spawnKernel } from "./kernel-process.js";
import {
  type ConnectionInfo,
  type Content,
  decodeMessage,
  encodeMessage,
  type Message,
  newMessage,
} from "./message.js";
import { type SocketType, type Wire, wire } from "./zmtp.js";

export interface KernelOptions {
  /** Working folder of the kernel, from which packages are resolved. Default: the current one. */
  readonly folder?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Time limit for the kernel's first reply in milliseconds. Default 60,000. */
  readonly startTimeout?: number;
}

interface ExecuteOptions {
  /** In milliseconds; then the kernel is interrupted and a `TransportError` CellTimeout is thrown. */
  readonly timeout?: number;
  readonly silent?: boolean;
  readonly storeHistory?: boolean;
  readonly stopOnError?: boolean;
  /** The subshell that runs the cell; default: the main shell. */
  readonly subshell_id?: string;
  /** Called with each iopub message of this cell, in order. */
  readonly onMessage?: (message: Message) => void;
  /** Returns the line for which the cell asks; a promise that never resolves leaves it waiting. Default: no input. */
  readonly onInput?: (question: string, isSecret: boolean) => string | Promise<string>;
}

/** An executed request: the reply and what was published until the kernel was idle again. */
export interface Execution {
  readonly reply: Message;
  readonly published: readonly Message[];
}

/** A running kernel and its four channels. */
export interface KernelClient {
  readonly pid: number;
  /** Content of the first `kernel_info_reply`. */
  readonly info: Content;
  /** Runs one cell to its end; later outputs are passed to `onLate`. */
  execute(code: string, options?: ExecuteOptions): Promise<Execution>;
  /** Sends one request and waits for its reply and the idle status. */
  request(type: string, content: Content, options?: RequestOptions): Promise<Execution>;
  /** Interrupts the running cell, by signal or message as the kernelspec requires. */
  interrupt(): Promise<void>;
  /**
   * Asks the kernel to shut down; true if it ended within `patience` milliseconds (default 2,000), otherwise it was
   * killed.
   */
  shutdown(patience?: number): Promise<boolean>;
}

interface RequestOptions {
  readonly channel?: "shell" | "control";
  readonly timeout?: number;
  readonly onMessage?: (message: Message) => void;
  readonly subshell_id?: string;
}

interface Pending {
  reply?: Message;
  idle: boolean;
  readonly published: Message[];
  readonly onMessage?: (message: Message) => void;
  readonly done: (execution: Execution) => void;
  readonly fail: (error: Error) => void;
}

const REPEAT_MS = 300;
const HANDSHAKE_MS = 1000;
const DEFAULT_START_MS = 60_000;
/** How often a kernel is started whose ports another process takes before it binds them. */
const STARTS = 3;

/**
 * Starts a kernel and connects to it with ZeroMQ's wire protocol, in plain TypeScript without a native module.
 *
 * @param onLate receives iopub messages whose request has already been answered, such as the output of a timer
 * @throws {TransportError} KernelDied or KernelTimeout, with the last output of the kernel
 */
export async function startKernel(
  spec: KernelSpec,
  options: KernelOptions = {},
  onLate?: (message: Message) => void,
): Promise<KernelClient> {
  const folder = options.folder ?? process.cwd();
  for (let start = 1; ; start++) {
    const connection = await newConnection(spec.name);
    const child = await spawnKernel(spec, connection, folder, options.env ?? process.env);
    const session = new KernelSession(spec, connection, child, onLate);
    try {
      await session.open(options.startTimeout ?? DEFAULT_START_MS);
      return session;
    } catch (error) {
      await session.end();
      if (start === STARTS || !portTaken(child)) throw error;
    }
  }
}

function portTaken(child: KernelProcess): boolean {
  return /EADDRINUSE|address already in use/i.test(child.lastWords());
}

class KernelSession implements KernelClient {
  readonly pid: number;
  info: Content = {};
  readonly #id = randomUUID();
  readonly #pending = new Map<string, Pending>();
  readonly #wires: Wire[] = [];
  #shell?: Wire;
  #control?: Wire;
  #stdin?: Wire;
  #onInput?: ExecuteOptions["onInput"];
  #dead?: TransportError;

  constructor(
    private readonly spec: KernelSpec,
    private readonly connection: ConnectionInfo,
    private readonly child: KernelProcess,
    private readonly onLate: ((message: Message) => void) | undefined,
  ) {
    this.pid = child.pid;
    void child.ended.then((how) => {
      const isFull = /heap out of memory/.test(child.lastWords());
      const end = isFull ? "ran out of memory; a larger limit, in MB: NODE_OPTIONS=--max-old-space-size=8192" : how;
      this.#dead = this.#problem("KernelDied", `The kernel ${spec.name} ended unexpectedly (${end})`);
      for (const pending of this.#pending.values()) pending.fail(this.#dead);
      this.#pending.clear();
    });
  }

  async open(timeout: number): Promise<void> {
    const limit = AbortSignal.timeout(timeout);
    const { shell_port, control_port, iopub_port } = this.connection;
    [this.#shell, this.#control] = await Promise.all([
      this.#connect(shell_port, "DEALER", limit),
      this.#connect(control_port, "DEALER", limit),
      this.#connect(iopub_port, "SUB", limit),
    ]);
    // A subscription takes effect with a delay: iopub works once the status of a request has been received.
    const asked: Promise<Execution>[] = [];
    for (;;) {
      const ask = this.request("kernel_info_request", {});
      ask.catch(() => undefined);
      asked.push(ask);
      const first = await Promise.race([...asked, sleep(REPEAT_MS)]);
      if (first !== undefined) {
        this.info = first.reply.content;
        return;
      }
      this.#check(limit);
    }
  }

  async execute(code: string, options: ExecuteOptions = {}): Promise<Execution> {
    this.#onInput = options.onInput;
    if (options.onInput !== undefined && this.#stdin === undefined) {
      const limit = AbortSignal.timeout(DEFAULT_START_MS);
      this.#stdin = await this.#connect(this.connection.stdin_port, "DEALER", limit);
    }
    const content: Content = {
      code,
      silent: options.silent ?? false,
      store_history: options.storeHistory ?? true,
      user_expressions: {},
      allow_stdin: options.onInput !== undefined,
      stop_on_error: options.stopOnError ?? true,
    };
    return this.request("execute_request", content, options);
  }

  request(type: string, content: Content, options: RequestOptions = {}): Promise<Execution> {
    const made = newMessage(type, content, this.#id);
    const { subshell_id } = options;
    const message = subshell_id === undefined ? made : { ...made, header: { ...made.header, subshell_id } };
    const id = message.header.msg_id;
    const answered = new Promise<Execution>((done, fail) => {
      if (this.#dead !== undefined) {
        fail(this.#dead);
        return;
      }
      this.#pending.set(id, { idle: false, published: [], onMessage: options.onMessage, done, fail });
      const channel = options.channel === "control" ? this.#control : this.#shell;
      channel?.send(encodeMessage(message, this.connection.key));
    });
    return options.timeout === undefined ? answered : this.#limited(answered, id, options.timeout);
  }

  async interrupt(): Promise<void> {
    if (this.spec.interruptMode === "signal") {
      this.child.kill("SIGINT");
      return;
    }
    await this.request("interrupt_request", {}, { channel: "control" });
  }

  async shutdown(patience = 2000): Promise<boolean> {
    if (this.#dead === undefined) {
      this.request("shutdown_request", { restart: false }, { channel: "control" }).catch(() => undefined);
    }
    const timer = new AbortController();
    const willing = await Promise.race([
      this.child.ended.then(() => true),
      sleep(patience, false, { signal: timer.signal }).catch(() => false),
    ]);
    timer.abort();
    await this.end();
    return willing;
  }

  /** Kills the process and releases all resources. */
  async end(): Promise<void> {
    this.child.kill("SIGKILL");
    await this.child.ended;
    for (const open of this.#wires) open.close();
    await this.child.clean();
  }

  async #limited(answered: Promise<Execution>, id: string, timeout: number): Promise<Execution> {
    const timer = new AbortController();
    const late = sleep(timeout, "late" as const, { signal: timer.signal, ref: true }).catch(() => "late" as const);
    const first = await Promise.race([answered, late]).finally(() => timer.abort());
    if (first !== "late") return first;
    this.#pending.delete(id);
    answered.catch(() => undefined);
    // Not awaited: a stuck kernel may never reply.
    this.interrupt().catch(() => undefined);
    throw this.#problem("CellTimeout", `No reply within ${timeout / 1000} s`);
  }

  async #connect(port: number, type: SocketType, limit: AbortSignal): Promise<Wire> {
    for (;;) {
      const opened = await this.#tryConnect(port, type);
      if (opened !== undefined) return opened;
      this.#check(limit);
      await sleep(20);
    }
  }

  #tryConnect(port: number, type: SocketType): Promise<Wire | undefined> {
    return new Promise((done) => {
      const socket = connectSocket(port, this.connection.ip);
      const made = wire(socket, type, {
        onReady: (ready) => {
          clearTimeout(timer);
          this.#wires.push(ready);
          done(ready);
        },
        onMessage: (parts) => this.#receive(parts, type),
        onClose: () => {
          clearTimeout(timer);
          done(undefined);
        },
      });
      // Another process that took the port may accept the connection and send nothing.
      const timer = setTimeout(() => made.close(), HANDSHAKE_MS);
      void this.child.ended.then(() => made.close());
    });
  }

  #receive(parts: Buffer[], type: SocketType): void {
    const message = decodeMessage(parts, this.connection.key);
    if (message.header.msg_type === "input_request") {
      void this.#replyToInput(message);
      return;
    }
    if (message.header.msg_type === "iopub_welcome") return;
    const id = message.parent.msg_id;
    const pending = id === undefined ? undefined : this.#pending.get(id);
    if (id === undefined || pending === undefined) {
      if (type === "SUB") this.onLate?.(message);
      return;
    }
    if (type === "DEALER") pending.reply = message;
    else if (message.header.msg_type === "status") pending.idle ||= message.content["execution_state"] === "idle";
    else {
      pending.published.push(message);
      pending.onMessage?.(message);
    }
    if (pending.reply === undefined || !pending.idle) return;
    this.#pending.delete(id);
    pending.done({ reply: pending.reply, published: pending.published });
  }

  async #replyToInput({ content, header }: Message): Promise<void> {
    const value = await this.#onInput?.(String(content["prompt"]), content["password"] === true);
    const reply = { ...newMessage("input_reply", { status: "ok", value: value ?? "" }, this.#id), parent: header };
    this.#stdin?.send(encodeMessage(reply, this.connection.key));
  }

  #check(limit: AbortSignal): void {
    if (this.#dead !== undefined) throw this.#dead;
    // A kernel such as tslab stays alive without the port that it could not bind.
    if (limit.aborted || portTaken(this.child))
      throw this.#problem("KernelTimeout", `The kernel ${this.spec.name} did not reply in time`);
  }

  #problem(code: CodeOf<"TransportError">, what: string): TransportError {
    const output = this.child.lastWords();
    return new TransportError(output === "" ? `${what}.` : `${what}. Its last output:\n${output}`, { code });
  }
}
