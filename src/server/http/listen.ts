import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { writeFailure } from "../../document/failure.js";
import { TransportError } from "../../errors/errors.js";
import type { ServiceCode } from "../../spec/error-meanings.js";
import type { Profile } from "../../spec/profile.js";
import type { ServeOptions } from "./options.js";

export interface ListenOptions
  extends Pick<ServeOptions, "port" | "timeouts" | "maxConnections" | "maxConnectionsPerAddress"> {
  readonly host: string;
  readonly profile: Profile;
}

/** Sends the reply to a request; settles when it was made, and may still be on its way. */
type Reply = (...[incoming, outgoing]: Parameters<RequestListener>) => Promise<void>;

/** The least default limit of connections per address, however small the service. */
const LEAST_PER_ADDRESS = 16;

/** Leaves room for queries that exceed the profile's limit, so that the service's own error is sent. */
const MAX_HEADER_BYTES = 64 * 1024;

/**
 * Listens for HTTP with explicit limits: by default, Node waits forever for a silent client.
 *
 * @throws {TransportError} NotListening if the port is in use or may not be used
 */
export async function listen(reply: Reply, options: ListenOptions) {
  const { host, port = 0, profile, timeouts = {} } = options;
  const idle = timeouts.idle ?? 30_000;
  const limits = {
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: timeouts.headers ?? 10_000,
    requestTimeout: timeouts.request ?? 30_000,
    keepAliveTimeout: timeouts.keepAlive ?? 5_000,
    connectionsCheckingInterval: 1_000,
  };
  const total = options.maxConnections ?? 1_000;
  const perAddress = options.maxConnectionsPerAddress ?? Math.max(LEAST_PER_ADDRESS, Math.ceil(total / 4));
  const open = connections({ total, perAddress });
  const server = createServer(limits, (incoming, outgoing) => {
    const { socket } = incoming;
    open.asking(socket, true);
    // Time during which a reply is generated does not count as idle.
    socket.setTimeout(0);
    outgoing.once("close", () => open.asking(socket, false));
    reply(incoming, outgoing)
      .catch(() => outgoing.destroy())
      .finally(() => socket.setTimeout(idle));
  });
  server.on("connection", (socket) => {
    if (!open.admit(socket)) refuseSocket("TOO_MANY", socket, profile);
  });
  server.timeout = idle;
  server.on("clientError", ({ code }: NodeJS.ErrnoException, socket) => refuseSocket(code, socket as Socket, profile));
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) => {
      const message = `The service cannot listen on ${host}:${port}: ${cause.message}`;
      const hint = "Pass another port, or 0 for a free one.";
      reject(new TransportError(message, { code: "NotListening", cause, hint }));
    });
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    /** Allows the process to end while there are no requests. */
    unref: () => void server.unref(),
    /** Stops listening and lets requests in progress finish, for `graceMs` at most. */
    stop: (graceMs: number) => stop(server, open.idle(), graceMs),
  };
}

const NOT_HTTP = socketFailure("400 Bad Request", "QESx09", "This is not an HTTP request.");

/** By the error codes of Node's HTTP parser and server, and of this module. */
const SOCKET_FAILURES: ReadonlyMap<string | undefined, typeof NOT_HTTP> = new Map([
  ["HPE_HEADER_OVERFLOW", socketFailure("414 URI Too Long", "QELx07", "The request query parameters are too long.")],
  ["ERR_HTTP_REQUEST_TIMEOUT", socketFailure("408 Request Timeout", "QESx09", "The request took too long to arrive.")],
  [
    "TOO_MANY",
    socketFailure("503 Service Unavailable", "QEXx01", "There are too many connections at once; try again later."),
  ],
]);

function socketFailure(line: string, code: ServiceCode, message: string) {
  return { line, failure: { code, status: Number.parseInt(line, 10), message } };
}

/** Time for a peer to read the error before its connection is closed, in milliseconds. */
const ERROR_GRACE_MS = 500;

/** Replies to connections without a valid request: not HTTP, headers too long or too slow, too many connections. */
function refuseSocket(code: string | undefined, socket: Socket, profile: Profile): void {
  if (!socket.writable || code === "ECONNRESET") return void socket.destroy();
  const { line, failure } = SOCKET_FAILURES.get(code) ?? NOT_HTTP;
  const { contentType, body } = writeFailure(failure, undefined, profile);
  const head = [
    `HTTP/1.1 ${line}`,
    `Content-Type: ${contentType}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
  ];
  socket.on("error", () => undefined);
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
  // A peer that neither reads nor closes would otherwise keep the connection until the network times out.
  const timer = setTimeout(() => socket.destroy(), ERROR_GRACE_MS);
  socket.once("close", () => clearTimeout(timer));
}

/** Whether a host name is reachable from this machine only. */
export function isLoopback(host: string): boolean {
  return /^127(\.\d{1,3}){3}$/.test(host) || host === "::1" || /^([^.]+\.)*localhost$/i.test(host);
}

async function stop(server: Server, waiting: readonly Socket[], graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // A caller that keeps its connection open after a reply must not delay the stop.
  server.keepAliveTimeout = 50;
  // Node counts a connection without any request so far as busy.
  for (const socket of waiting) socket.destroy();
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(timer);
}

interface AddressConnections {
  readonly all: Set<Socket>;
  /** Idle connections, the longest idle first. */
  readonly idle: Set<Socket>;
}

/** Keeps connections within `limits`, so that idle connections cannot keep others out. */
export function connections(limits: { readonly total: number; readonly perAddress: number }) {
  const byAddress = new Map<string, AddressConnections>();
  let total = 0;

  const remove = (address: string, socket: Socket): void => {
    const own = byAddress.get(address);
    if (!own?.all.delete(socket)) return;
    total--;
    own.idle.delete(socket);
    if (own.all.size === 0) byAddress.delete(address);
  };
  const dropIdle = (address: string, own: AddressConnections | undefined): boolean => {
    const [oldest] = own?.idle ?? [];
    if (oldest === undefined) return false;
    remove(address, oldest);
    oldest.destroy();
    return true;
  };
  const dropAnyIdle = (): boolean => {
    const addresses = [...byAddress].filter(([, own]) => own.idle.size > 0);
    const [most] = addresses.sort(([, a], [, b]) => b.all.size - a.all.size);
    return most !== undefined && dropIdle(...most);
  };

  return {
    /**
     * Accepts a new connection, if necessary instead of an idle one: the oldest of the same address, or of the address
     * that has most. False where every connection that could go has a request under way.
     */
    admit(socket: Socket): boolean {
      const address = socket.remoteAddress ?? "";
      const own = byAddress.get(address);
      if (own !== undefined && own.all.size >= limits.perAddress && !dropIdle(address, own)) return false;
      if (total >= limits.total && !dropAnyIdle()) return false;
      const place = byAddress.get(address) ?? { all: new Set(), idle: new Set() };
      byAddress.set(address, place);
      place.all.add(socket);
      place.idle.add(socket);
      total++;
      socket.once("close", () => remove(address, socket));
      return true;
    },
    /** Marks a connection as having, or no longer having, a request in progress. */
    asking(socket: Socket, isAsking: boolean): void {
      const own = byAddress.get(socket.remoteAddress ?? "");
      if (!own?.all.has(socket)) return;
      own.idle.delete(socket);
      if (!isAsking) own.idle.add(socket);
    },
    idle: (): Socket[] => [...byAddress.values()].flatMap(({ idle }) => [...idle]),
  };
}
