import { readFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { createServer, type Server } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import type { CellDebugger } from "../debug/debugger.js";
import {
  type ConnectionInfo,
  type Content,
  decodeMessage,
  encodeMessage,
  type Message,
  newMessage,
} from "../protocol/message.js";
import { type SocketType, type Wire, wire } from "../protocol/zmtp.js";
import { OUT_OF_MEMORY, watchFatalReport } from "./fatal-report.js";
import { InterruptState } from "./interrupt-state.js";
import type { Language } from "./language.js";
import { type Remote, remote, type Sender, sender, serve } from "./remote.js";
import {
  type CellCalls,
  cancelInput,
  deliverInput,
  type SocketCalls,
  type SocketThreadData,
} from "./thread-messages.js";

/** The requests that need the compiler and no cell. */
const ABOUT_CODE: ReadonlySet<string> = new Set(["complete_request", "inspect_request", "is_complete_request"]);
/** How long the cells' thread may take to acknowledge an interrupt before its code is terminated from outside. */
const STUCK_MS = 200;
const FORCED_TRIES = 20;
/** After this many interrupts, code that runs after its cell is terminated too. */
const IDLE_TRIES = 10;
/** How long a shutdown may take before the process is terminated from outside. */
const CLOSE_MS = 1500;
const PARENT_CHECK_MS = 1000;
/** The first byte of a message that subscribes to a topic. */
const SUBSCRIBE = 1;

/**
 * The thread that owns the five sockets, so that output, heartbeats, interrupts and shutdown work while a cell keeps
 * the other thread busy.
 */
export async function runSocketThread(): Promise<void> {
  const data = workerData as SocketThreadData;
  const connection = JSON.parse(readFileSync(data.connectionFile, "utf8")) as ConnectionInfo;
  await new SocketThread(parentPort!, connection, data).listen();
}

class SocketThread implements SocketCalls {
  readonly #subscribers = new Set<Wire>();
  readonly #clients = new Map<number, Wire>();
  /** The identity of each connection: clients use one for shell and stdin. */
  readonly #identities = new Map<number, string>();
  /** The connections of the stdin socket, by their numbers. */
  readonly #inputs = new Map<number, Wire>();
  readonly #session: string = crypto.randomUUID();
  #nextOrigin = 1;
  readonly #state: InterruptState;
  #interrupts = 0;
  #interrupting = false;
  #seen?: () => void;
  #closed?: () => void;
  #closing = false;
  readonly #subshells = new Set<string>();
  /** Loaded with the first request for it. */
  #debugger?: Promise<CellDebugger>;
  /** The last request for the debugger, to which its events belong. */
  #debugRequest?: Message;
  /** The input of the latest cell. */
  #latest?: Message;
  readonly #kernelInfo: Content;
  readonly #input: SharedArrayBuffer;
  readonly #language: Remote<Language>;
  readonly #cells: Sender<CellCalls>;

  constructor(
    port: MessagePort,
    private readonly connection: ConnectionInfo,
    { kernelInfo, input, interrupts, language }: SocketThreadData,
  ) {
    this.#kernelInfo = kernelInfo;
    this.#input = input;
    this.#language = remote(language);
    this.#state = new InterruptState(interrupts);
    this.#cells = sender(port);
    serve(port, this);
    watchParent();
  }

  async listen(): Promise<void> {
    const { shell_port, control_port, stdin_port, hb_port, iopub_port } = this.connection;
    await Promise.all([
      this.#bind(iopub_port, "PUB", (parts, from) => this.#welcome(parts, from)),
      this.#bind(hb_port, "REP", (parts, from) => from.send(parts)),
      this.#bind(stdin_port, "ROUTER", (parts) => this.#inputReply(parts), this.#inputs),
      this.#bind(shell_port, "ROUTER", (parts, from, origin) => this.#request(false, parts, from, origin)),
      this.#bind(control_port, "ROUTER", (parts, from, origin) => this.#request(true, parts, from, origin)),
    ]);
  }

  #bind(
    port: number,
    type: SocketType,
    onMessage: (parts: Buffer[], from: Wire, origin: number) => void,
    connections: Map<number, Wire> = this.#clients,
  ): Promise<Server> {
    const server = createServer((socket) => {
      const origin = this.#nextOrigin++;
      const opened = wire(socket, type, {
        onReady: (ready, identity) => {
          connections.set(origin, ready);
          this.#identities.set(origin, identity);
          if (type === "PUB") this.#subscribers.add(ready);
        },
        onMessage: (parts, from) => onMessage(parts, from, origin),
        onClose: () => {
          connections.delete(origin);
          this.#identities.delete(origin);
          this.#subscribers.delete(opened);
        },
      });
    });
    return new Promise((done, fail) => {
      server.once("error", fail);
      server.listen(port, this.connection.ip, () => done(server));
    });
  }

  #request(isControl: boolean, parts: Buffer[], from: Wire, origin: number): void {
    const message = this.#decoded(parts);
    if (message === undefined) return;
    const type = message.header.msg_type;
    if (type === "shutdown_request") void this.#shutdown(message, from);
    else if (type === "interrupt_request") {
      // VS Code sends it on the shell channel.
      this.#answer(message, from, "interrupt_reply", { status: "ok" });
      void this.#stopCells();
    } else if (type === "kernel_info_request") this.#answer(message, from, "kernel_info_reply", this.#kernelInfo);
    else if (ABOUT_CODE.has(type)) void this.#answerAboutCode(message, from);
    else if (type === "debug_request") void this.#debug(message, from);
    else if (isControl && type.endsWith("_subshell_request")) {
      this.#answer(message, from, type.replace(/request$/, "reply"), this.#subshell(type, message.content));
    } else this.#cells("request", origin, message);
  }

  async #debug(request: Message, from: Wire): Promise<void> {
    this.#debugRequest = request;
    this.#debugger ??= import("../debug/debugger.js").then(
      ({ CellDebugger }) =>
        new CellDebugger((event) => this.#publish(newMessage("debug_event", event, this.#session, this.#debugRequest))),
    );
    const content = await (await this.#debugger).reply(request.content);
    this.#answer(request, from, "debug_reply", content);
  }

  /** Creates, deletes or lists subshells; the thread of the cells runs the requests of each in their order. */
  #subshell(type: string, { subshell_id }: Content): Content {
    if (type === "list_subshell_request") return { status: "ok", subshell_id: [...this.#subshells] };
    if (type === "create_subshell_request") {
      const id = crypto.randomUUID();
      this.#subshells.add(id);
      return { status: "ok", subshell_id: id };
    }
    if (type === "delete_subshell_request" && this.#subshells.delete(String(subshell_id))) return { status: "ok" };
    const evalue = `There is no subshell ${JSON.stringify(subshell_id)}.`;
    return { status: "error", ename: "UnknownSubshell", evalue, traceback: [evalue] };
  }

  /** Confirms a subscription to iopub, whose messages the client receives from now on. */
  #welcome([frame]: Buffer[], from: Wire): void {
    if (frame[0] !== SUBSCRIBE) return;
    const topic = frame.subarray(1);
    const welcome = newMessage("iopub_welcome", { subscription: topic.toString() }, this.#session);
    from.send(encodeMessage({ ...welcome, identities: [topic] }, this.connection.key));
  }

  publish(message: Message): void {
    if (message.header.msg_type === "execute_input") this.#latest = message;
    this.#publish(message);
    if (message.content["execution_state"] === "idle") void this.#debugger?.then((debug) => debug.idle());
  }

  reply(origin: number, message: Message): void {
    this.#clients.get(origin)?.send(encodeMessage(message, this.connection.key));
  }

  /** Reports the end of a process whose memory is full, as an error of the cell that runs, before it ends. */
  watchFatalReport(folder: string): void {
    watchFatalReport(folder, () => {
      const error = newMessage("error", OUT_OF_MEMORY, this.#session);
      this.#publish({ ...error, parent: this.#latest?.parent ?? {} });
    });
  }

  interrupted(): void {
    this.#seen?.();
  }

  closed(): void {
    this.#closed?.();
  }

  /** Sends an `input_request` on the stdin connection of the client that sent the cell. */
  askInput(origin: number, message: Message): void {
    const identity = this.#identities.get(origin);
    const open = [...this.#inputs];
    const own = open.find(([number]) => identity !== "" && this.#identities.get(number) === identity) ?? open.at(-1);
    if (own === undefined) cancelInput(this.#input);
    else own[1].send(encodeMessage(message, this.connection.key));
  }

  #inputReply(parts: Buffer[]): void {
    const reply = this.#decoded(parts);
    if (reply?.header.msg_type === "input_reply") deliverInput(this.#input, String(reply.content["value"] ?? ""));
  }

  /** A message without a valid signature is ignored. */
  #decoded(parts: Buffer[]): Message | undefined {
    try {
      return decodeMessage(parts, this.connection.key);
    } catch {
      return undefined;
    }
  }

  #publish(message: Message): void {
    const topic = Buffer.from(message.header.msg_type);
    const parts = encodeMessage({ ...message, identities: [topic] }, this.connection.key);
    for (const subscriber of this.#subscribers) subscriber.send(parts);
  }

  #answer(request: Message, from: Wire, type: string, content: Content): void {
    const make = (kind: string, body: Content): Message => newMessage(kind, body, this.#session, request);
    this.#publish(make("status", { execution_state: "busy" }));
    from.send(encodeMessage(make(type, content), this.connection.key));
    this.#publish(make("status", { execution_state: "idle" }));
  }

  /** Has the compiler's thread answer, which no cell keeps busy. */
  async #answerAboutCode(request: Message, from: Wire): Promise<void> {
    const type = request.header.msg_type;
    const content = await this.#language
      .call("reply", type, request.content)
      .catch(({ name, message }: Error): Content => ({ status: "error", ename: name, evalue: message }));
    this.#answer(request, from, type.replace("request", "reply"), content);
  }

  async #stopCells(): Promise<void> {
    if (this.#interrupting) return;
    this.#interrupting = true;
    await this.#debugger?.then((debug) => debug.release());
    const id = ++this.#interrupts;
    const seen = new Promise<boolean>((done) => {
      // The message may acknowledge a repetition of the interrupt before.
      this.#seen = () => this.#state.isAcknowledged(id) && done(true);
    });
    for (let tries = 1, forced = 0; !this.#state.isAcknowledged(id) && forced < FORCED_TRIES; tries++) {
      // A termination may hit the handler of the message.
      this.#cells("interrupt", id);
      cancelInput(this.#input);
      if (await Promise.race([seen, after(STUCK_MS)])) break;
      if (await this.#state.terminate(id, tries >= IDLE_TRIES, terminateExecution)) forced++;
    }
    this.#interrupting = false;
  }

  /** Waits for the end of the cells' thread, terminating what keeps it busy. */
  async #forced(answered: Promise<boolean>): Promise<void> {
    for (let attempt = 0; attempt < FORCED_TRIES; attempt++) {
      if (await Promise.race([answered, after(STUCK_MS)])) return;
      await terminateExecution();
    }
  }

  async #shutdown(request: Message, from: Wire): Promise<void> {
    if (this.#closing) return;
    this.#closing = true;
    const restart = request.content["restart"] === true;
    await this.#debugger?.then((debug) => debug.close());
    const closed = new Promise<boolean>((done) => {
      this.#closed = () => done(true);
    });
    this.#cells("shutdown");
    cancelInput(this.#input);
    await Promise.race([this.#forced(closed), after(CLOSE_MS)]);
    this.#answer(request, from, "shutdown_reply", { status: "ok", restart });
    await after(50);
    this.#cells("exit");
    await after(CLOSE_MS);
    process.kill(process.pid, "SIGKILL");
  }
}

const after = (milliseconds: number): Promise<boolean> => sleep(milliseconds, false);

/**
 * Terminates what the cells' thread is running: a loop, a loop of promises, any JavaScript. The thread survives, which
 * requires Node's `--no-force-async-hooks-checks`: the terminated code leaves its async context behind.
 */
async function terminateExecution(): Promise<void> {
  const session = new Session();
  session.connectToMainThread();
  await session.post("Runtime.terminateExecution").catch(() => undefined);
  session.disconnect();
}

/** Ends the process when its parent has ended, so that no orphaned kernel remains. */
function watchParent(): void {
  const parent = Number(process.env["JPY_PARENT_PID"]);
  // On Windows the variable contains a handle.
  if (!Number.isInteger(parent) || parent < 1 || process.platform === "win32") return;
  const timer = setInterval(() => {
    if (!isAlive(parent)) process.kill(process.pid, "SIGKILL");
  }, PARENT_CHECK_MS);
  timer.unref();
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
