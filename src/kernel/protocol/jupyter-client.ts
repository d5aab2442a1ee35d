import { randomUUID } from "node:crypto";
import { connect as connectSocket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { CodeOf } from "../../errors/codes.js";
import { TransportError } from "../../errors/errors.js";
import type { KernelSpec } from "../install/kernelspec.js";
import { type KernelProcess, spawnKernel } from "./kernel-process.js";
import {
  type ConnectionInfo,
  type Content,
  decodeMessage,
  encodeMessage,
  type Message,
  newMessage,
} from "./message.js";
import { newConnection } from "./ports.js";
import { type SocketType, type Wire, wire } from "./zmtp.js";

/** What {@link startKernel} takes besides the kernel to start. */
export interface KernelOptions {
  /** Working folder of the kernel: packages are resolved from here. Default: the current one. */
  readonly folder?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Milliseconds the kernel may take until it answers. Default 30,000. */
  readonly startTimeout?: number;
}

/** What {@link KernelClient.execute} takes besides the code. */
interface ExecuteOptions {
  /** Milliseconds; then the kernel is interrupted and a `TransportError` with code `CellTimeout` is thrown. */
  readonly timeout?: number;
  readonly silent?: boolean;
  readonly storeHistory?: boolean;
  readonly stopOnError?: boolean;
  /** Called with each message of the iopub channel that belongs to this cell, in order. */
  readonly onMessage?: (message: Message) => void;
}

/** One executed request: the reply and what was published for it until the kernel was idle again. */
export interface Execution {
  readonly reply: Message;
  readonly published: readonly Message[];
}

/** A running kernel and the four channels to it. */
export interface KernelClient {
  readonly pid: number;
  /** Content of the first `kernel_info_reply`. */
  readonly info: Content;
  /** Runs one cell to its end; outputs that come later reach `onLate`. */
  execute(code: string, options?: ExecuteOptions): Promise<Execution>;
  /** Sends one request and waits for its reply and for idle. */
  request(type: string, content: Content, options?: RequestOptions): Promise<Execution>;
  /** Interrupts what runs, by signal or message as the kernelspec says. */
  interrupt(): Promise<void>;
  /**
   * Asks the kernel to end; true when it did so by itself within `patience` milliseconds (default 2,000), else it was
   * killed.
   */
  shutdown(patience?: number): Promise<boolean>;
}

/** What {@link KernelClient.request} takes. */
interface RequestOptions {
  readonly channel?: "shell" | "control";
  readonly timeout?: number;
  readonly onMessage?: (message: Message) => void;
}

interface Pending {
  reply?: Message;
  idle: boolean;
  readonly published: Message[];
  readonly onMessage?: (message: Message) => void;
  readonly done: (execution: Execution) => void;
  readonly fail: (error: Error) => void;
}

const ASK_AGAIN_MS = 300;
const DEFAULT_START_MS = 30_000;

/**
 * Starts a kernel and connects to it over ZeroMQ's own wire protocol, in plain TypeScript without a native module.
 *
 * @param onLate gets each iopub message whose request is already answered, such as the output of a timer.
 * @throws {TransportError} KernelDied or KernelTimeout, whose message ends with what the kernel last wrote
 */
export async function startKernel(
  spec: KernelSpec,
  options: KernelOptions = {},
  onLate?: (message: Message) => void,
): Promise<KernelClient> {
  const connection = await newConnection(spec.name);
  const folder = options.folder ?? process.cwd();
  const child = await spawnKernel(spec, connection, folder, options.env ?? process.env);
  const session = new KernelSession(spec, connection, child, onLate);
  try {
    await session.open(options.startTimeout ?? DEFAULT_START_MS);
  } catch (error) {
    await session.end();
    throw error;
  }
  return session;
}

class KernelSession implements KernelClient {
  readonly pid: number;
  info: Content = {};
  readonly #id = randomUUID();
  readonly #pending = new Map<string, Pending>();
  readonly #wires: Wire[] = [];
  #shell?: Wire;
  #control?: Wire;
  #dead?: TransportError;

  constructor(
    private readonly spec: KernelSpec,
    private readonly connection: ConnectionInfo,
    private readonly child: KernelProcess,
    private readonly onLate: ((message: Message) => void) | undefined,
  ) {
    this.pid = child.pid;
    void child.ended.then((how) => {
      this.#dead = this.#problem("KernelDied", `The kernel ${spec.name} ended unexpectedly (${how})`);
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
    // A subscription takes effect some time after it was sent: iopub flows once a request was also published.
    const asked: Promise<Execution>[] = [];
    for (;;) {
      const ask = this.request("kernel_info_request", {});
      ask.catch(() => undefined);
      asked.push(ask);
      const first = await Promise.race([...asked, sleep(ASK_AGAIN_MS)]);
      if (first !== undefined) {
        this.info = first.reply.content;
        return;
      }
      this.#check(limit);
    }
  }

  execute(code: string, options: ExecuteOptions = {}): Promise<Execution> {
    const content: Content = {
      code,
      silent: options.silent ?? false,
      store_history: options.storeHistory ?? true,
      user_expressions: {},
      allow_stdin: false,
      stop_on_error: options.stopOnError ?? true,
    };
    return this.request("execute_request", content, { timeout: options.timeout, onMessage: options.onMessage });
  }

  request(type: string, content: Content, options: RequestOptions = {}): Promise<Execution> {
    const message = newMessage(type, content, this.#id);
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

  /** Ends the process for sure and lets go of everything. */
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
    // Not awaited: a kernel that is stuck may never answer it.
    this.interrupt().catch(() => undefined);
    throw this.#problem("CellTimeout", `No answer within ${timeout / 1000} s`);
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
          this.#wires.push(ready);
          done(ready);
        },
        onMessage: (parts) => this.#receive(parts, type),
        onClose: () => done(undefined),
      });
      void this.child.ended.then(() => made.close());
    });
  }

  #receive(parts: Buffer[], type: SocketType): void {
    const message = decodeMessage(parts, this.connection.key);
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

  #check(limit: AbortSignal): void {
    if (this.#dead !== undefined) throw this.#dead;
    if (limit.aborted) throw this.#problem("KernelTimeout", `The kernel ${this.spec.name} did not answer in time`);
  }

  #problem(code: CodeOf<"TransportError">, what: string): TransportError {
    const words = this.child.lastWords();
    return new TransportError(words === "" ? `${what}.` : `${what}. It last wrote:\n${words}`, { code });
  }
}
