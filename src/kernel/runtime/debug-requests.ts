import type { Bundle } from "../../display/base/show.js";
import type { Content, Json } from "../protocol/message.js";
import { isHidden, variablesOf } from "./variables.js";

type Arguments = Readonly<Record<string, Json | undefined>>;

/** What the kernel does with each request: the body of the reply. */
type Handler = (given: Arguments) => Json | Promise<Json>;

const GLOBALS = 1_000_000;

const INFO = {
  hashMethod: "Murmur2",
  hashSeed: 0,
  tmpFilePrefix: "arrowbook-cell-",
  tmpFileSuffix: ".ts",
  breakpoints: [],
  stoppedThreads: [],
  richRendering: true,
  exceptionPaths: [],
  copyToGlobals: false,
};

/** The replies that are always the same. */
const CONSTANT: Readonly<Record<string, Json>> = {
  attach: {},
  configurationDone: {},
  setExceptionBreakpoints: { breakpoints: [] },
  source: { content: "" },
  modules: { modules: [], totalModules: 0 },
  threads: { threads: [{ id: 1, name: "cells" }] },
  stackTrace: { stackFrames: [], totalFrames: 0 },
  scopes: { scopes: [{ name: "Globals", variablesReference: GLOBALS, expensive: false }] },
};

/**
 * Answers the debugger protocol as far as the variables view needs it; there are no breakpoints.
 *
 * @param names the names that cells declared; `value` has their values
 * @param bundle the MIME bundle of a value
 * @returns maps the content of a `debug_request` to that of its reply
 * @see https://jupyter-client.readthedocs.io/en/stable/messaging.html#debug-request
 */
export function debugRequests(
  names: () => readonly string[],
  value: (name: string) => unknown,
  bundle: (value: unknown) => Promise<Bundle>,
): (request: Content) => Promise<Content> {
  const variables = variablesOf(names, value);
  let started = false;
  let replies = 0;

  const handlers: Readonly<Record<string, Handler>> = {
    debugInfo: () => ({ isStarted: started, ...INFO }),
    initialize: () => {
      started = true;
      return { supportsSetVariable: false, supportsConfigurationDoneRequest: true };
    },
    disconnect: () => {
      started = false;
      return {};
    },
    dumpCell: ({ code }) => ({ sourcePath: `arrowbook-cell-${hash(String(code ?? ""))}.ts` }),
    setBreakpoints: (given) => ({ breakpoints: unverified(given["breakpoints"]) }),
    inspectVariables: () => ({ variables: variables.list() }),
    variables: ({ variablesReference }) => ({
      variables: variablesReference === GLOBALS ? variables.list() : variables.members(Number(variablesReference)),
    }),
    richInspectVariables: async ({ variableName }) => {
      const name = String(variableName ?? "");
      const held = isHidden(name) ? undefined : value(name);
      return { data: held === undefined ? {} : ((await bundle(held)) as Content), metadata: {} };
    },
  };

  return async (request) => {
    const command = String(request["command"] ?? "");
    const handler = Object.hasOwn(handlers, command) ? handlers[command] : undefined;
    const constant = Object.hasOwn(CONSTANT, command) ? CONSTANT[command] : undefined;
    const body = handler === undefined ? constant : await handler((request["arguments"] ?? {}) as Arguments);
    return {
      type: "response",
      seq: ++replies,
      request_seq: request["seq"] ?? 0,
      command,
      success: body !== undefined,
      ...(body !== undefined ? {} : { message: `${command} is not supported: this kernel shows variables only` }),
      body: body ?? {},
    };
  };
}

/** The breakpoints as the kernel accepts them: none is verified. */
function unverified(breakpoints: Json | undefined): Json {
  return Array.isArray(breakpoints)
    ? breakpoints.map((wanted: Json) => ({ verified: false, line: (wanted as { line?: Json } | null)?.line ?? 0 }))
    : [];
}

function hash(text: string): string {
  let sum = 0;
  for (let i = 0; i < text.length; i++) sum = (Math.imul(sum, 31) + text.charCodeAt(i)) | 0;
  return (sum >>> 0).toString(16);
}
