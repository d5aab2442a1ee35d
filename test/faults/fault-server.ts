import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo, Socket } from "node:net";

/** What the server does with one request. Everything may be wrong on purpose. */
export interface Step {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Milliseconds before the answer begins. */
  readonly delay?: number;
  /** Milliseconds between the head and the body, so that they arrive in packets of their own. */
  readonly headFirst?: number;
  /** Closes the connection after this many bytes of the body; before the answer begins where it is -1. */
  readonly cutAt?: number;
  /** Delays the cut until it returns true. Default: a tenth of a second, in which not all bytes need to be read. */
  readonly cutWhen?: () => boolean;
  /** Sends nothing more after this many bytes of the body; nothing at all where it is -1. */
  readonly stallAt?: number;
  /** Sends one byte per this many milliseconds. */
  readonly trickle?: number;
  /** Milliseconds after every 64 KB. */
  readonly pace?: number;
  /**
   * Declared length, true or not; `close`: none, the end of the connection ends the body; `chunked`. Default: the true
   * length.
   */
  readonly length?: number | "close" | "chunked";
}

export type Answer = Step | ((request: SeenRequest) => Step);

/** A request as it arrived. */
interface SeenRequest {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly at: number;
}

export interface FaultServer {
  readonly url: string;
  readonly seen: SeenRequest[];
  /** Answers to requests whose path starts with `prefix`, in order; the last one stands for all that follow. */
  on(prefix: string, ...answers: Answer[]): void;
  /** Requests to this path so far. */
  count(prefix: string): number;
  reset(): void;
  close(): Promise<void>;
}

/** Starts a server that follows a script, request by request. */
export async function faultServer(): Promise<FaultServer> {
  const routes = new Map<string, { answers: Answer[]; next: number }>();
  const seen: SeenRequest[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request) => {
    const url = new URL(request.url ?? "/", "http://x");
    const { headers } = request as { headers: Record<string, string | undefined> };
    const arrived: SeenRequest = { path: url.pathname, query: url.searchParams, headers, at: performance.now() };
    seen.push(arrived);
    const prefix = [...routes.keys()]
      .filter((key) => arrived.path.startsWith(key))
      .sort((a, b) => b.length - a.length)[0];
    const found = routes.get(prefix);
    if (!found) return void play(request, { status: 404, body: "nothing here" });
    const answer = found.answers[Math.min(found.next++, found.answers.length - 1)];
    void play(request, typeof answer === "function" ? answer(arrived) : answer);
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.unref();
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    on: (prefix, ...answers) => void routes.set(prefix, { answers, next: 0 }),
    count: (prefix) => seen.filter(({ path }) => path.startsWith(prefix)).length,
    reset() {
      routes.clear();
      seen.length = 0;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Writes the answer to the socket itself, so that nothing corrects it. */
async function play({ socket }: IncomingMessage, step: Step): Promise<void> {
  const { status = 200, headers = {}, cutAt, stallAt, length } = step;
  const body = Buffer.from(step.body ?? "");
  if (step.delay) await pause(step.delay);
  if (cutAt === -1) return void socket.destroy();
  if (stallAt === -1) return;
  const framing =
    length === "close"
      ? ""
      : length === "chunked"
        ? "transfer-encoding: chunked\r\n"
        : `content-length: ${length ?? body.length}\r\n`;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const connection = length === "close" ? "connection: close\r\n" : "";
  await write(socket, `HTTP/1.1 ${status} X\r\n${connection}${framing}${lines.join("")}\r\n`);
  if (step.headFirst) await pause(step.headFirst);
  const end = Math.min(cutAt ?? body.length, stallAt ?? body.length, body.length);
  const size = step.trickle ? 1 : 65_536;
  for (let at = 0; at < end && !socket.destroyed; at += size) {
    const piece = body.subarray(at, Math.min(end, at + size));
    await write(socket, length === "chunked" ? `${piece.length.toString(16)}\r\n` : "");
    await write(socket, piece);
    if (length === "chunked") await write(socket, "\r\n");
    if (step.trickle ?? step.pace) await pause(step.trickle ?? step.pace ?? 0);
  }
  if (stallAt !== undefined) return;
  if (cutAt !== undefined) {
    if (step.cutWhen === undefined) await pause(100);
    else while (!step.cutWhen() && !socket.destroyed) await pause(5);
    return void socket.destroy();
  }
  if (length === "chunked") await write(socket, "0\r\n\r\n");
  if (length === "close" || typeof length === "number") socket.end();
}

function write(socket: Socket, data: string | Uint8Array): Promise<void> {
  if (data.length === 0 || socket.destroyed) return Promise.resolve();
  return new Promise((resolve) => socket.write(data, () => resolve()));
}

/** An answer that serves `bytes` with `Range` as services do; `change` is laid over every answer. */
export function ranged(
  bytes: Uint8Array,
  headers: Readonly<Record<string, string>> = {},
  change: Partial<Step> = {},
): Answer {
  return ({ headers: asked }) => {
    const range = /^bytes=(\d+)-$/.exec(asked.range ?? "");
    const condition = asked["if-range"];
    const from = range && (condition === undefined || condition === headers.etag) ? Number(range[1]) : undefined;
    if (from === undefined)
      return { headers: { "content-type": "application/zip", ...headers }, body: bytes, ...change };
    if (from >= bytes.length) return { status: 416, headers: { "content-range": `bytes */${bytes.length}` } };
    return {
      status: 206,
      headers: { ...headers, "content-range": `bytes ${from}-${bytes.length - 1}/${bytes.length}` },
      body: bytes.subarray(from),
      ...change,
    };
  };
}
