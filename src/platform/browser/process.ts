import type * as node from "../node/process.js";

export const environment: typeof node.environment = {};

/**
 * A request of the page. Its body is decoded, so that its length is unknown, but complete: the browser refuses a
 * truncated one. Headers that a browser sets itself are left out, because others are asked about before the request.
 */
export const pageFetch: typeof node.pageFetch = async (address, { headers, ...options } = {}) => {
  const { "user-agent": _agent, "accept-encoding": _coding, ...sent } = headers as Record<string, string>;
  const response = await fetch(address, { ...options, headers: sent });
  if (response.type === "opaqueredirect") return response;
  const shown = new Headers(response.headers);
  shown.delete("content-length");
  shown.delete("content-encoding");
  shown.set("transfer-encoding", "chunked");
  return new Response(response.body, { status: response.status, headers: shown });
};

const { port1, port2 } = new MessageChannel();
const waiting: (() => void)[] = [];
(port1 as { onmessage?: () => void }).onmessage = () => waiting.shift()?.();

/** A message comes sooner than a timer, whose least delay is 4 milliseconds. */
export const nextTurn: typeof node.nextTurn = () =>
  new Promise((resolve) => {
    waiting.push(resolve);
    port2.postMessage(null);
  });

export const setMaxListeners: typeof node.setMaxListeners = () => undefined;

export const emitWarning: typeof node.emitWarning = (message) => console.warn(message);

export const print: typeof node.print = (text) => console.log(text);

export const outputColumns: typeof node.outputColumns = () => 0;

export const hasTerminal: typeof node.hasTerminal = () => false;

export const garbageCollector: typeof node.garbageCollector = () => undefined;

const INSPECT = Symbol.for("nodejs.util.inspect.custom");

/** A value by its own method for it, else as JSON. */
export const inspect = ((value: unknown): string => {
  const own = (value as { [INSPECT]?: (depth: number, options: object) => string } | null | undefined)?.[INSPECT];
  if (typeof own === "function") return own.call(value, 0, {});
  if (typeof value !== "object" || value === null || value instanceof Error) return String(value);
  const above: unknown[] = [];
  return JSON.stringify(value, function (this: unknown, _, part) {
    if (typeof part === "bigint") return `${part}n`;
    // `this` holds the part: what is above it in the object is up to there.
    while (above.length > 0 && above[above.length - 1] !== this) above.pop();
    if (above.includes(part)) return "[Circular]";
    if (typeof part === "object" && part !== null) above.push(part);
    return part;
  });
}) as typeof node.inspect;

/** Not made to withstand anyone: browsers digest bytes only in promises. */
export const digestOf: typeof node.digestOf = (data) => {
  const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
  const sums = Uint32Array.of(0x811c9dc5, 0x9e3779b9, 0x85ebca6b, 0xc2b2ae35);
  for (const byte of bytes) {
    for (let i = 0; i < sums.length; i++)
      sums[i] = Math.imul(sums[i] ^ (byte + i), 0x01000193 + 2 * i) ^ (sums[i] >>> 15);
  }
  return Array.from(sums, (sum) => sum.toString(16).padStart(8, "0")).join("");
};
