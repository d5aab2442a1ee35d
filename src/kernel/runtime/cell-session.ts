import { setImmediate as nextTurn } from "node:timers/promises";
import { offerDisplay } from "../../display/base/host.js";
import { offerLiveHost } from "../../display/base/live-view.js";
import { bundleMetadata } from "../../display/base/picture-size.js";
import type { Bundle } from "../../display/base/show.js";
import { scrub } from "../../errors/secrets.js";
import { memoryReleaser } from "../../package/garbage.js";
import { type Comms, createComms } from "../comms/comms.js";
import { createWidgets, type Widgets } from "../comms/widgets.js";
import { offerDebugValues } from "../debug/debug-values.js";
import { offerKernelHooks } from "../hook/kernel-hooks.js";
import { type Content, type Json, type Message, newMessage } from "../protocol/message.js";
import { cellContext } from "./cell-context.js";
import { type CellTasks, Interrupted } from "./cell-tasks.js";
import { type CellResult, type Executor, INTERRUPTED } from "./executor.js";
import type { CellHints, Hints } from "./language.js";
import type { Prelude } from "./prelude.js";
import type { Sender } from "./remote.js";
import { resultBundle } from "./result-bundle.js";
import { ServiceNames } from "./service-names.js";
import { type CapturedStreams, captureStreams } from "./streams.js";
import { awaitInput, type CellCalls, expectInput, type SocketCalls } from "./thread-messages.js";
import { TypedSecrets } from "./typed-secrets.js";

export interface SessionParts {
  readonly sockets: Sender<SocketCalls>;
  readonly executor: Executor;
  readonly tasks: CellTasks;
  readonly kernelInfo: Content;
  readonly prelude: Prelude;
  /** The memory through which a line of input arrives. */
  readonly input: SharedArrayBuffer;
  exit(): void;
}

interface Request {
  /** The number of the connection that sent it. */
  readonly origin: number;
  readonly message: Message;
}

/** The execution of one cell. */
interface RunningCell {
  readonly request: Request;
  /** Payloads for the front end in the reply. */
  readonly payload: Json[];
}

/** The executions of the main shell or of one subshell, which wait for each other. */
interface Shell {
  last: Promise<void>;
  /** An error that aborts the waiting executions increments it. */
  generation: number;
}

interface History {
  readonly count: number;
  readonly input: string;
}

const LONGEST_HISTORY = 1000;
/** After this time without a request the kernel does housekeeping. */
const IDLE_MS = 800;

/** The thread that runs cells: handles the requests of the shell channel, one execution of a shell at a time. */
export class CellSession implements CellHints, CellCalls {
  readonly #id: string = crypto.randomUUID();
  readonly #streams: CapturedStreams;
  readonly #history: History[] = [];
  #count = 0;
  readonly #shells = new Map<string, Shell>();
  /** The cell of the code that runs now, also of its callbacks after its reply. */
  readonly #cells = cellContext<RunningCell>(() => this.#latest());
  /** The cells that are not answered, and the last that was. */
  readonly #running = new Set<RunningCell>();
  #answered?: RunningCell;
  #commMessage?: Message;
  #idle?: NodeJS.Timeout;
  #working = 0;
  readonly #memoryReleaser = memoryReleaser();
  readonly #names: ServiceNames;
  readonly #secrets = new TypedSecrets();
  readonly #comms: Comms;
  readonly #widgets: Widgets;

  constructor(private readonly parts: SessionParts) {
    const value = (name: string): unknown =>
      parts.executor.valueOf(name) ?? (name === "service" ? parts.prelude.service() : undefined);
    this.#names = new ServiceNames(value, (code) => parts.prelude.serviceFor(code));
    this.#streams = captureStreams(
      () => this.#cell(),
      (name, text, cell) => this.#publish("stream", { name, text: scrub(text) }, cell?.request.message),
    );
    offerDebugValues({
      names: () => parts.executor.names(),
      value: (name) => parts.executor.valueOf(name),
      bundle: (value) => this.#bundle(value) as Promise<Content>,
      source: (file) => parts.executor.sourceOf(file),
      clean: (content) => this.#secrets.removeFrom(content),
    });
    this.#comms = createComms({
      inCell: () => this.#cells.snapshot(),
      publish: (type, content, metadata) => this.#publish(type, content, this.#commMessage ?? this.#parent(), metadata),
      report: (error, where) => console.error([`${where}:`, ...parts.executor.errorOf(error).traceback].join("\n")),
    });
    this.#widgets = createWidgets(this.#comms);
    offerLiveHost(this.#widgets);
    offerKernelHooks({
      clearOutput: (wait) => {
        this.#streams.flush();
        this.#publish("clear_output", { wait });
      },
      page: (data) => this.#cell()?.payload.push({ source: "page", data, start: 0 }),
      input: (question, isSecret) => this.#input(question, isSecret),
      bundle: (value) => this.#bundle(value),
      errorOf: (error) => parts.executor.errorOf(error),
    });
    for (const event of ["uncaughtException", "unhandledRejection"] as const) {
      process.on(event, (error: unknown) => {
        const { traceback } = parts.executor.lateError(error, event === "unhandledRejection");
        console.error(traceback.join("\n"));
      });
    }
    process.on("SIGINT", () => this.#interrupt());
  }

  request(origin: number, message: Message): void {
    if (message.header.msg_type === "execute_request") this.#enqueue({ origin, message });
    else void this.#answerNow({ origin, message });
  }

  interrupt(id: number): void {
    this.parts.tasks.acknowledge(id, () => this.#interrupt());
    this.parts.sockets("interrupted");
  }

  shutdown(): void {
    this.parts.executor.close();
    this.#streams.flush();
    this.parts.sockets("closed");
  }

  exit(): void {
    this.parts.exit();
  }

  #interrupt(): void {
    this.parts.executor.interrupt();
    this.#widgets.interrupt();
  }

  #enqueue(request: Request): void {
    const name = request.message.header.subshell_id ?? "";
    const shell = this.#shells.get(name) ?? { last: Promise.resolve(), generation: 0 };
    this.#shells.set(name, shell);
    const { generation } = shell;
    shell.last = shell.last.then(() =>
      this.#between(request, async () => {
        if (generation !== shell.generation) {
          // Without a number: the cell did not run.
          this.#reply(request, "execute_reply", { status: "aborted" });
          return;
        }
        const cell: RunningCell = { request, payload: [] };
        this.#running.add(cell);
        this.parts.tasks.begin();
        await this.#cells.run(cell, () => this.#execute(cell, shell)).finally(() => this.parts.tasks.end());
      }),
    );
  }

  /** The cell to which the code that runs now belongs; else the latest one. */
  #cell(): RunningCell | undefined {
    return this.#cells.current() ?? this.#latest();
  }

  #latest(): RunningCell | undefined {
    return [...this.#running].at(-1) ?? this.#answered;
  }

  #parent(): Message | undefined {
    return this.#cell()?.request.message;
  }

  async #answerNow(request: Request): Promise<void> {
    await this.#between(request, async () => {
      const answer = await this.#answer(request.message);
      if (answer !== undefined) this.#reply(request, ...answer);
    });
  }

  /** Handles one request between the two status messages that every request requires. */
  async #between(request: Request, work: () => Promise<void>): Promise<void> {
    clearTimeout(this.#idle);
    this.#working++;
    this.#publish("status", { execution_state: "busy" }, request.message);
    try {
      await work();
    } catch (error) {
      console.error("The kernel failed to reply:", error);
    } finally {
      this.#streams.flush();
      this.#publish("status", { execution_state: "idle" }, request.message);
      if (--this.#working === 0) this.#idle = setTimeout(() => this.#whenIdle(), IDLE_MS).unref();
    }
  }

  #whenIdle(): void {
    const { prelude, tasks } = this.parts;
    tasks.protect(() => prelude.whenIdle());
    this.#idle = setTimeout(this.#memoryReleaser, IDLE_MS).unref();
  }

  async #execute(cell: RunningCell, shell: Shell): Promise<void> {
    const { request, payload } = cell;
    const { content } = request.message;
    const code = String(content["code"] ?? "");
    const silent = content["silent"] === true;
    this.#streams.flush();
    // A new function per cell: `display()` compares them.
    offerDisplay((display, update) => {
      this.#streams.flush();
      this.#publish(update ? "update_display_data" : "display_data", display as unknown as Content);
    });
    if (!silent && content["store_history"] !== false) {
      this.#count++;
      this.#history.push({ count: this.#count, input: code });
      if (this.#history.length > LONGEST_HISTORY) this.#history.shift();
    }
    const count = this.#count;
    if (!silent) this.#publish("execute_input", { code, execution_count: count });
    await this.parts.prelude.before(code, "run");
    const result = await this.#runAndShow(cell, code, count);
    this.#streams.finish(cell);
    this.#running.delete(cell);
    this.#answered = cell;
    if (result.status === "ok") {
      this.#reply(request, "execute_reply", {
        status: "ok",
        execution_count: count,
        payload,
        user_expressions: {},
      });
      return;
    }
    const { ename, evalue, traceback } = result.error;
    if (!silent) this.#publish("error", { ename, evalue, traceback });
    if (content["stop_on_error"] !== false) await this.#abortWaiting(shell);
    this.#reply(request, "execute_reply", { status: "error", execution_count: count, ename, evalue, traceback });
  }

  /** Asks the front end that sent the running cell for a line; the thread waits. */
  #input(question: string, isSecret: boolean): string | undefined {
    const cell = this.#cell();
    if (cell === undefined || !this.#running.has(cell) || cell.request.message.content["allow_stdin"] !== true)
      return undefined;
    const { request } = cell;
    this.#streams.flush();
    const message = newMessage("input_request", { prompt: question, password: isSecret }, this.#id, request.message);
    expectInput(this.parts.input);
    this.parts.sockets("askInput", request.origin, message);
    const line = awaitInput(this.parts.input);
    if (line === undefined) {
      this.parts.tasks.expectInterrupt();
      throw new DOMException("The cell was interrupted while it waited for input.", "AbortError");
    }
    if (isSecret) this.#secrets.add(line);
    return line;
  }

  async #runAndShow(cell: RunningCell, code: string, count: number): Promise<CellResult> {
    const result = await this.parts.executor.run(code, count).catch(kernelFault);
    const isSilent = cell.request.message.content["silent"] === true;
    if (result.status === "error" || isSilent || result.value === undefined) return result;
    const { value } = result;
    let data: Bundle;
    try {
      data = await this.parts.tasks.run(() => this.#bundle(value));
    } catch (error) {
      return error instanceof Interrupted ? INTERRUPTED : kernelFault(error);
    }
    this.#streams.finish(cell);
    // The handle of a display has nothing to show.
    if (Object.keys(data).length === 0) return result;
    const metadata = bundleMetadata(data);
    this.#publish("execute_result", { execution_count: count, data: data as Content, metadata });
    return result;
  }

  /** A value that fails to render is still a result. */
  async #bundle(value: unknown): Promise<Bundle> {
    try {
      return await resultBundle(value);
    } catch (error) {
      return {
        "text/plain": `(this value could not be shown: ${error instanceof Error ? error.message : String(error)})`,
      };
    }
  }

  /**
   * Aborts requests that the front end has already sent; two turns of the event loop let those in flight between the
   * threads arrive.
   */
  async #abortWaiting(shell: Shell): Promise<void> {
    await nextTurn();
    await nextTurn();
    shell.generation++;
  }

  async #answer(message: Message): Promise<[string, Content] | undefined> {
    const { content } = message;
    switch (message.header.msg_type) {
      case "kernel_info_request":
        return ["kernel_info_reply", this.parts.kernelInfo];
      case "history_request":
        return ["history_reply", { status: "ok", history: this.#historyFor(content) }];
      case "comm_info_request":
        return ["comm_info_reply", this.#comms.info(content["target_name"])];
      case "comm_open":
      case "comm_msg":
      case "comm_close":
        this.#commMessage = message;
        this.#comms.receive(message.header.msg_type, content);
        this.#commMessage = undefined;
        return undefined;
      default:
        return undefined;
    }
  }

  async hints(code: string, position: number, isCompletion: boolean): Promise<Hints> {
    const { executor, prelude } = this.parts;
    await prelude.before(code, "complete");
    const codes = isCompletion ? await this.#names.codes(code.slice(0, position)) : undefined;
    if (codes !== undefined) return { codes };
    if (isCompletion) await this.#names.learn(code, position);
    return { declarations: this.#names.declarations(code), values: executor.valueTypes() };
  }

  #historyFor(content: Content): Json {
    const chosen = chosenHistory(this.#history, content);
    return chosen.map(({ count, input }) => [0, count, content["output"] === true ? [input, null] : input]);
  }

  #publish(type: string, content: Content, parent = this.#parent(), metadata: Content = {}): void {
    const message = newMessage(type, this.#secrets.removeFrom(content), this.#id, parent);
    this.parts.sockets("publish", { ...message, metadata });
  }

  #reply(request: Request, type: string, content: Content): void {
    const message = newMessage(type, this.#secrets.removeFrom(content), this.#id, request.message);
    this.parts.sockets("reply", request.origin, message);
  }
}

/** A failure of the kernel or its compiler is still reported in the reply. */
function kernelFault(error: unknown): CellResult {
  const evalue = error instanceof Error ? error.message : String(error);
  const stack = error instanceof Error && error.stack !== undefined ? error.stack.split("\n") : [evalue];
  return { status: "error", error: { ename: "KernelError", evalue, traceback: stack } };
}

/**
 * The part of the history that a request selects: the tail, a range of counts (end exclusive), or matches of a pattern.
 */
function chosenHistory(all: readonly History[], content: Content): readonly History[] {
  const last = content["n"] === undefined || content["n"] === null ? all.length : Number(content["n"]);
  switch (content["hist_access_type"]) {
    case "range": {
      const start = Number(content["start"] ?? 0);
      const stop = Number(content["stop"] ?? Number.POSITIVE_INFINITY);
      return all.filter(({ count }) => count >= start && count < stop);
    }
    case "search": {
      const found = all.filter(({ input }) => globMatch(String(content["pattern"] ?? "*"), input));
      const latest = new Map(found.map((entry) => [entry.input, entry]));
      return (content["unique"] === true ? [...latest.values()] : found).slice(-last);
    }
    default:
      return all.slice(-last);
  }
}

function globMatch(pattern: string, text: string): boolean {
  const source = [...pattern]
    .map((letter) => (letter === "*" ? ".*" : letter === "?" ? "." : letter.replace(/[\\^$+.()|[\]{}]/, "\\$&")))
    .join("");
  return new RegExp(`^${source}$`, "s").test(text);
}
