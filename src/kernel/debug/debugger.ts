import type { Debugger as Inspector, InspectorNotification } from "node:inspector";
import { Session } from "node:inspector/promises";
import { SourceMap, type SourceMapPayload } from "node:module";
import { basename, isAbsolute } from "node:path";
import { fileURLToPath } from "node:url";
import { packageRoot } from "../../package/package-root.js";
import type { Content, Json } from "../protocol/message.js";
import { DEBUGGED, originalPosition, type Position, type ScriptSource, SOURCE_MAP_URL } from "./debug-values.js";

type Arguments = Readonly<Record<string, Json | undefined>>;
type Handler = (given: Arguments) => Json | Promise<Json>;

interface Script extends ScriptSource {
  readonly id: string;
  readonly path: string;
  readonly isCell: boolean;
  readonly sourceMap: SourceMap;
  readonly breakpoints: string[];
}

interface Frame {
  readonly call: Inspector.CallFrame;
  readonly script: Script;
  readonly line: number;
  readonly column: number;
}

const THREAD = 1;
const GLOBALS = 1_000_000;
/** References of the local variables of a frame: this and its number. */
const LOCALS = 2_000_000;
/** More than a stack has. */
const MOST_FRAMES = 100_000;
const PREFIX = "arrowbook-cell-";
const SUFFIX = ".ts";
const SCOPES = new Set(["local", "block", "catch", "closure", "with"]);
/** The most steps through code that the compiler added, for one step of the user. */
const MOST_STEPS = 50;

const INFO = {
  hashMethod: "Murmur2",
  hashSeed: 0,
  tmpFilePrefix: PREFIX,
  tmpFileSuffix: SUFFIX,
  richRendering: true,
  copyToGlobals: false,
};

const CAPABILITIES = {
  supportsConfigurationDoneRequest: true,
  supportsModulesRequest: true,
  supportsSetVariable: false,
  exceptionBreakpointFilters: [
    { filter: "all", label: "Exceptions", description: "Stop where a cell or a local file throws", default: false },
  ],
};

/**
 * The debugger of cells and local files. It runs beside the thread of the cells, connected by Node's inspector, so that
 * it answers while that thread is busy or stopped.
 *
 * @see https://jupyter-client.readthedocs.io/en/stable/messaging.html#debug-request
 * @see https://microsoft.github.io/debug-adapter-protocol/specification
 */
export class CellDebugger {
  readonly #session = new Session();
  readonly #scripts = new Map<string, Script>();
  /** The file names of scripts whose source has not been requested, by their ids. */
  readonly #newScripts = new Map<string, string>();
  /** The lines with a breakpoint by the path of their source. */
  readonly #lines = new Map<string, readonly number[]>();
  /** The code of cells by the path under which the front end has it. */
  readonly #dumped = new Map<string, string>();
  #frames: Frame[] = [];
  /** The id of the first frame: JupyterLab takes 0 for none, and a frame of the same id for one that did not move. */
  #firstFrame = 1;
  #isStarted = false;
  #isStopped = false;
  #step?: "stepOver" | "stepInto" | "stepOut";
  #steps = 0;
  /** The line and the depth of the stack at which the last step began. */
  #begin = "";
  #depth = 0;
  #seq = 0;
  #last: Promise<unknown> = Promise.resolve();

  /** @param emit sends an event to the front end */
  constructor(private readonly emit: (content: Content) => void) {
    this.#session.connectToMainThread();
    this.#session.on("Debugger.scriptParsed", ({ params: { scriptId, url, sourceMapURL } }) => {
      // Node makes URLs of paths.
      const file = url.startsWith("file:") ? fileURLToPath(url) : url;
      if (sourceMapURL === SOURCE_MAP_URL) this.#newScripts.set(scriptId, file);
    });
    this.#session.on("Debugger.paused", (event) => void this.#paused(event).catch(() => this.#resume()));
  }

  readonly #handlers: Readonly<Record<string, Handler>> = {
    debugInfo: () => ({
      ...INFO,
      isStarted: this.#isStarted,
      breakpoints: [...this.#lines].map(([source, lines]) => ({
        source,
        breakpoints: lines.map((line) => ({ line, verified: true })),
      })),
      stoppedThreads: this.#isStopped ? [THREAD] : [],
      exceptionPaths: [],
    }),
    initialize: async () => {
      await this.#start();
      return CAPABILITIES;
    },
    attach: () => {
      this.#event("initialized", {});
      return {};
    },
    configurationDone: () => ({}),
    disconnect: async () => {
      await this.stop();
      this.#event("terminated", {});
      return {};
    },
    dumpCell: ({ code }) => {
      const sourcePath = cellPath(String(code ?? ""));
      this.#dumped.set(sourcePath, String(code ?? ""));
      return { sourcePath };
    },
    setBreakpoints: async ({ source, breakpoints }) => {
      const { path } = source as { readonly path: string };
      const wanted = (breakpoints ?? []) as readonly { readonly line: number }[];
      const lines = await this.#setLines(
        path,
        wanted.map(({ line }) => line),
      );
      return { breakpoints: lines.map((line) => ({ verified: true, line, source: { path } })) };
    },
    setExceptionBreakpoints: async ({ filters }) => {
      const state = Array.isArray(filters) && filters.includes("all") ? "all" : "none";
      await this.#post("Debugger.setPauseOnExceptions", { state });
      return { breakpoints: [] };
    },
    threads: () => ({ threads: [{ id: THREAD, name: "cells" }] }),
    stackTrace: () => ({
      stackFrames: this.#frames.map((frame, at) => stackFrame(frame, this.#firstFrame + at)),
      totalFrames: this.#frames.length,
    }),
    scopes: ({ frameId }) => ({
      scopes: [
        ...(this.#frame(frameId) === undefined
          ? []
          : [{ name: "Locals", variablesReference: LOCALS + Number(frameId), expensive: false }]),
        { name: "Globals", variablesReference: GLOBALS, expensive: false },
      ],
    }),
    variables: async ({ variablesReference }) => ({ variables: await this.#variables(Number(variablesReference)) }),
    inspectVariables: async () => ({ variables: await this.#call(`list(${this.#isStopped})`) }),
    richInspectVariables: async ({ variableName, frameId }) => ({
      data: await this.#bundle(String(variableName ?? ""), this.#frame(frameId)),
      metadata: {},
    }),
    evaluate: async ({ expression, frameId }) => {
      const code = `${DEBUGGED}.described(eval(${JSON.stringify(String(expression ?? ""))}))`;
      await this.#call("expose(true)");
      try {
        const found = (await this.#evaluate(code, this.#frame(frameId ?? this.#firstFrame))) as Readonly<
          Record<string, Json>
        >;
        return { result: found["value"], type: found["type"], variablesReference: found["variablesReference"] };
      } finally {
        await this.#call("expose(false)");
      }
    },
    source: ({ source }) => {
      const { path = "" } = (source ?? {}) as { readonly path?: string };
      const script = [...this.#scripts.values()].reverse().find((each) => each.path === path);
      return { content: this.#dumped.get(path) ?? script?.source ?? "", mimeType: "text/typescript" };
    },
    modules: () => {
      const paths = new Set([...this.#scripts.values()].filter(({ isCell }) => !isCell).map(({ path }) => path));
      const modules = [...paths].map((path, id) => ({ id, name: basename(path), path }));
      return { modules, totalModules: modules.length };
    },
    continue: async () => {
      await this.#resume();
      return { allThreadsContinued: true };
    },
    next: () => this.#go("stepOver"),
    stepIn: () => this.#go("stepInto"),
    stepOut: () => this.#go("stepOut"),
    pause: async () => {
      this.#step = "stepInto";
      await this.#post("Debugger.pause");
      return {};
    },
  };

  /** Answers a `debug_request`, after those before it; none waits for a value to be shown, which may take for ever. */
  reply(request: Content): Promise<Content> {
    const answered = this.#last.then(() => this.#reply(request));
    if (request["command"] !== "richInspectVariables") this.#last = answered;
    return answered;
  }

  async #reply(request: Content): Promise<Content> {
    const command = String(request["command"] ?? "");
    const response = { type: "response", seq: ++this.#seq, request_seq: request["seq"] ?? 0, command };
    try {
      const handler = Object.hasOwn(this.#handlers, command) ? this.#handlers[command] : undefined;
      if (handler === undefined) throw new Error(`${command} is not supported by this debugger`);
      const body = await handler((request["arguments"] ?? {}) as Arguments);
      return { ...response, success: true, body };
    } catch (error) {
      return { ...response, success: false, message: (error as Error).message, body: {} };
    }
  }

  /** Lets stopped code run on without further stops, as before an interrupt. */
  async release(): Promise<void> {
    if (!this.#isStopped) return;
    await this.#post("Debugger.setSkipAllPauses", { skip: true });
    await this.#resume();
  }

  /** All requests of cells are answered: a step that left its cell ends. */
  async idle(): Promise<void> {
    if (this.#step !== undefined) this.#continued();
    this.#step = undefined;
    if (this.#isStarted) await this.#post("Debugger.setSkipAllPauses", { skip: false });
  }

  async stop(): Promise<void> {
    if (!this.#isStarted) return;
    this.#isStarted = false;
    this.#lines.clear();
    await this.release();
    await this.#post("Debugger.disable");
    this.#scripts.clear();
  }

  /** Disconnects: Node waits at its end for the sessions of its inspector. */
  async close(): Promise<void> {
    await this.stop();
    this.#session.disconnect();
  }

  async #start(): Promise<void> {
    if (this.#isStarted) return;
    this.#isStarted = true;
    await this.#post("Debugger.enable");
    await this.#readSources();
    const own = packageRoot().replaceAll(/[^\w/]/g, "\\$&");
    await this.#post("Debugger.setBlackboxPatterns", {
      patterns: ["^node:", "[\\\\/]node_modules[\\\\/]", `${own}/dist/`],
    });
    // Breakpoints are set when a script is about to run: before, it is not known where its lines are.
    const instrumentation = "beforeScriptWithSourceMapExecution";
    await this.#post("Debugger.setInstrumentationBreakpoint", { instrumentation });
  }

  /** Reads what the new scripts were compiled from: of a file only its newest version, which is the one that runs. */
  async #readSources(): Promise<void> {
    const newest = new Map([...this.#newScripts].map(([id, file]) => [file, id]));
    this.#newScripts.clear();
    const files = [...newest.keys()];
    const sources = (await this.#call(`sources(${JSON.stringify(files)})`)) as unknown as (ScriptSource | null)[];
    for (const [i, found] of sources.entries()) {
      if (found === null) continue;
      const isCell = !isAbsolute(files[i]);
      const id = newest.get(files[i]) as string;
      const sourceMap = new SourceMap(JSON.parse(found.map) as SourceMapPayload);
      const path = isCell ? cellPath(found.source) : files[i];
      this.#scripts.set(id, { ...found, id, path, isCell, sourceMap, breakpoints: [] });
    }
  }

  async #paused({ params }: InspectorNotification<Inspector.PausedEventDataType>): Promise<void> {
    const { reason, callFrames, data } = params;
    if (reason === ("instrumentation" as string)) {
      await this.#readSources();
      const script = this.#scripts.get((data as { readonly scriptId: string }).scriptId);
      if (script !== undefined) await this.#apply(script);
      await this.#post("Debugger.resume");
      return;
    }
    const isHit = (params.hitBreakpoints ?? []).length > 0;
    const isException = reason === "exception" || reason === "promiseRejection";
    const top = this.#frameOf(callFrames[0]);
    if (!isHit && !isException && this.#step === undefined) return this.#post("Debugger.resume") as Promise<void>;
    if (top === undefined) {
      const isOwn = this.#scripts.has(callFrames[0]?.location.scriptId);
      if (isException || !isOwn || ++this.#steps > MOST_STEPS) await this.#post("Debugger.resume");
      else await this.#post(`Debugger.${this.#step ?? "stepOver"}`);
      return;
    }
    const isWithinLine = this.#step === "stepInto" && placeOf(top, callFrames.length) === this.#begin;
    if (isWithinLine && !isHit && !isException && ++this.#steps <= MOST_STEPS) {
      // It came back from code that finds the function to call.
      await this.#post("Debugger.stepInto");
      return;
    }
    this.#step = undefined;
    this.#depth = callFrames.length;
    this.#isStopped = true;
    this.#frames = callFrames.map((call) => this.#frameOf(call)).filter((frame) => frame !== undefined);
    this.#firstFrame += MOST_FRAMES;
    const text = isException ? String((data as { description?: string }).description ?? "").split("\n")[0] : undefined;
    const body = { reason: isException ? "exception" : isHit ? "breakpoint" : "step", threadId: THREAD };
    this.#event("stopped", { ...body, allThreadsStopped: true, ...(text === undefined ? {} : { text }) });
  }

  #frameOf(call: Inspector.CallFrame | undefined): Frame | undefined {
    const script = call && this.#scripts.get(call.location.scriptId);
    const at = script && positionIn(script, call.location);
    return at && { call, script, line: at.line + 1, column: at.column + 1 };
  }

  async #setLines(path: string, wanted: readonly number[]): Promise<readonly number[]> {
    this.#lines.set(path, wanted);
    let lines = wanted;
    for (const script of this.#scripts.values()) {
      if (script.path !== path) continue;
      for (const breakpointId of script.breakpoints.splice(0)) {
        await this.#post("Debugger.removeBreakpoint", { breakpointId });
      }
      lines = await this.#apply(script);
    }
    if (wanted.length === 0) this.#lines.delete(path);
    return lines;
  }

  /** Sets the breakpoints of a script; returns their lines: a line without code becomes the next one with code. */
  async #apply(script: Script): Promise<readonly number[]> {
    const wanted = this.#lines.get(script.path) ?? [];
    if (wanted.length === 0) return wanted;
    const start = { scriptId: script.id, lineNumber: 0, columnNumber: 0 };
    const possible = (await this.#post("Debugger.getPossibleBreakpoints", { start })) as {
      readonly locations: readonly Inspector.BreakLocation[];
    };
    const places = possible.locations.flatMap((location) => {
      const at = positionIn(script, location);
      return at === undefined ? [] : [{ location, line: at.line + 1 }];
    });
    const lines: number[] = [];
    for (const line of wanted) {
      const found = Math.min(...places.filter((place) => place.line >= line).map((place) => place.line));
      const place = places.find((each) => each.line === found);
      lines.push(place?.line ?? line);
      if (place === undefined) continue;
      const { scriptId, lineNumber, columnNumber } = place.location;
      const location = { scriptId, lineNumber, columnNumber };
      const set = (await this.#post("Debugger.setBreakpoint", { location }).catch(() => undefined)) as
        | { readonly breakpointId: string }
        | undefined;
      if (set !== undefined) script.breakpoints.push(set.breakpointId);
    }
    return lines;
  }

  async #go(step: "stepOver" | "stepInto" | "stepOut"): Promise<Json> {
    if (!this.#isStopped) throw new Error("The cells are not stopped.");
    this.#step = step;
    this.#steps = 0;
    this.#begin = placeOf(this.#frames[0], this.#depth);
    this.#isStopped = false;
    this.#frames = [];
    await this.#post(`Debugger.${step}`);
    return {};
  }

  async #resume(): Promise<void> {
    if (!this.#isStopped) return;
    this.#isStopped = false;
    this.#continued();
    await this.#post("Debugger.resume");
  }

  #continued(): void {
    this.#frames = [];
    this.#event("continued", { threadId: THREAD, allThreadsContinued: true });
  }

  #event(event: string, body: Content): void {
    this.emit({ type: "event", seq: ++this.#seq, event, body });
  }

  async #variables(reference: number): Promise<Json> {
    if (reference === GLOBALS) return this.#call("list(true)");
    const frame = this.#frame(reference - LOCALS);
    if (frame === undefined) return this.#call(`members(${reference})`);
    const found = new Map<string, Json>();
    for (const { type, object } of frame.call.scopeChain) {
      if (!SCOPES.has(type) || object.objectId === undefined) continue;
      const { objectId } = object;
      const functionDeclaration = `function () { return ${DEBUGGED}.scope(this); }`;
      const all = await this.#value("Runtime.callFunctionOn", { objectId, functionDeclaration, returnByValue: true });
      for (const variable of all as readonly { readonly name: string }[]) {
        if (!found.has(variable.name)) found.set(variable.name, variable as Json);
      }
    }
    return [...found.values()];
  }

  #frame(id: Json | undefined): Frame | undefined {
    return this.#frames[Number(id) - this.#firstFrame];
  }

  #bundle(name: string, frame: Frame | undefined): Promise<Json> {
    if (!/^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name)) return Promise.resolve({});
    const global = `bundle(${JSON.stringify(name)})`;
    // Promises of stopped code stay pending.
    if (frame === undefined) return this.#call(global, !this.#isStopped);
    return this.#evaluate(`${DEBUGGED}.bundleNow(${name})`, frame).catch(() => this.#call(global));
  }

  /** Calls what the thread of the cells offers the debugger. */
  #call(code: string, awaitPromise = false): Promise<Json> {
    return this.#evaluate(`${DEBUGGED}.${code}`, undefined, awaitPromise);
  }

  #evaluate(expression: string, frame?: Frame, awaitPromise = false): Promise<Json> {
    if (frame === undefined) {
      return this.#value("Runtime.evaluate", { expression, returnByValue: true, awaitPromise, disableBreaks: true });
    }
    const { callFrameId } = frame.call;
    return this.#value("Debugger.evaluateOnCallFrame", { callFrameId, expression, returnByValue: true, silent: true });
  }

  async #value(method: string, params: object): Promise<Json> {
    const { result, exceptionDetails } = (await this.#post(method, params)) as {
      readonly result: { readonly value?: Json };
      readonly exceptionDetails?: { readonly text: string; readonly exception?: { readonly description?: string } };
    };
    if (exceptionDetails === undefined) return result.value ?? null;
    throw new Error((exceptionDetails.exception?.description ?? exceptionDetails.text).split("\n")[0]);
  }

  #post(method: string, params: object = {}): Promise<unknown> {
    return this.#session.post(method, params) as Promise<unknown>;
  }
}

function cellPath(code: string): string {
  return `${PREFIX}${murmur2(code)}${SUFFIX}`;
}

/** A line of a function in the stack. */
function placeOf({ script, line }: Frame, depth: number): string {
  return `${script.id}:${line}:${depth}`;
}

function stackFrame({ call, script, line, column }: Frame, id: number): Json {
  const name = call.functionName.replace(/^\$?\w+\./, "");
  const source = { path: script.path, name: script.isCell ? "cell" : basename(script.path) };
  return { id, name: name === "" ? source.name : name, line, column, source };
}

/** Where a position of the running code is in its source; undefined for code that was added. */
function positionIn(
  { sourceMap, source }: Script,
  { lineNumber, columnNumber = 0 }: Inspector.Location,
): Position | undefined {
  const found = originalPosition(sourceMap, { line: lineNumber, column: columnNumber });
  return found === undefined || found.line >= source.split("\n").length ? undefined : found;
}

const MURMUR = 0x5bd1e995;
const mixed = (value: number): number => Math.imul(value ^ (value >>> 24), MURMUR);

/** The hash (MurmurHash2, 32 bits, seed 0) by which front ends name the source of a cell for the debugger. */
function murmur2(text: string): number {
  const bytes = new TextEncoder().encode(text);
  const view = new DataView(bytes.buffer);
  const whole = bytes.length & ~3;
  let hash = bytes.length;
  for (let at = 0; at < whole; at += 4)
    hash = Math.imul(hash, MURMUR) ^ mixed(Math.imul(view.getInt32(at, true), MURMUR));
  if (bytes.length > whole) {
    for (let at = whole; at < bytes.length; at++) hash ^= bytes[at] << (8 * (at - whole));
    hash = Math.imul(hash, MURMUR);
  }
  hash = Math.imul(hash ^ (hash >>> 13), MURMUR);
  return (hash ^ (hash >>> 15)) >>> 0;
}
