import type { Agent, RequestOptions } from "node:https";
import type { Duplex } from "node:stream";
import type { ConnectionOptions } from "node:tls";
import { InputError, TransportError } from "../errors/errors.js";
import { rememberSecret } from "../errors/secrets.js";
import { builtin } from "../package/builtin.js";
import { percentDecoded } from "../value/text.js";

export type ProxyChooser = (address: URL) => URL | undefined;

/**
 * Chooses proxies as the environment says: `HTTPS_PROXY` and `HTTP_PROXY` by the scheme of an address, else
 * `ALL_PROXY`, except for the hosts of `NO_PROXY`; names in lower case count first. A string is the proxy for all
 * addresses, `false` none.
 *
 * @throws {InputError} BadAddress for a proxy that is not an http or https address; that of a name of the environment
 *   is thrown by the chooser, for addresses to which it applies
 */
export function proxyChooser(
  given: string | false | undefined,
  env: Readonly<Record<string, string | undefined>> = process.env,
): ProxyChooser {
  if (given === false) return () => undefined;
  if (given !== undefined) {
    const proxy = proxyUrl(given, "proxy");
    return () => proxy;
  }
  const setting = (name: string): string | undefined => env[name.toLowerCase()] || env[name] || undefined;
  const values = ["HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY"].map((name) => [name, setting(name)] as const);
  /** A proxy of another kind, such as SOCKS, is an error where it would be used: others may come before it. */
  const found = new Map<string, URL | undefined>();
  const proxyFor = (protocol: string): URL | undefined => {
    const unused = protocol === "https:" ? "HTTP_PROXY" : "HTTPS_PROXY";
    if (!found.has(protocol)) {
      const first = values.find(([name, value]) => name !== unused && value !== undefined);
      found.set(protocol, first && proxyUrl(String(first[1]), first[0]));
    }
    return found.get(protocol);
  };
  const exceptions = (env["no_proxy"] || env["NO_PROXY"] || "").split(/[\s,]+/).filter((entry) => entry !== "");
  return (address) =>
    exceptions.some((entry) => isException(entry, address)) ? undefined : proxyFor(address.protocol);
}

/** `example.com` and `.example.com` match the host and those below it; `*` all; a port restricts an entry to it. */
function isException(entry: string, { hostname, port, protocol }: URL): boolean {
  if (entry === "*") return true;
  // An IPv6 address is bracketed only if a port follows.
  const isBare = entry.split(":").length > 2 && !entry.startsWith("[");
  const [, name, wanted] = isBare ? [entry, entry] : (/^(.*?)(?::(\d+))?$/.exec(entry) ?? [entry, entry]);
  if (wanted !== undefined && wanted !== (port || (protocol === "https:" ? "443" : "80"))) return false;
  const bare = name
    .toLowerCase()
    .replace(/^\*?\./, "")
    .replace(/^\[|\]$/g, "");
  const host = hostname.toLowerCase().replace(/^\[|\]$/g, "");
  return host === bare || host.endsWith(`.${bare}`);
}

function proxyUrl(text: string, name: string): URL {
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw new InputError(`${name} is not the address of a proxy.`, {
      code: "BadAddress",
      hint: "Use http://host:port or https://host:port.",
    });
  }
  if (url.password !== "") rememberSecret(decoded(url.password));
  return url;
}

function authorization({ username, password }: URL): Record<string, string> {
  if (username === "") return {};
  const text = `${decoded(username)}:${decoded(password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(text).toString("base64")}` };
}

/** A part of an address; a `%` that encodes nothing is itself, as in passwords that were not encoded. */
const decoded = (text: string): string => percentDecoded(text) ?? text;

export function throughProxy(proxy: URL, address: URL, headers: Readonly<Record<string, string>>): RequestOptions {
  return {
    host: proxy.hostname.replace(/^\[|\]$/g, ""),
    port: proxy.port || (proxy.protocol === "https:" ? 443 : 80),
    path: address.href,
    headers: { ...headers, host: address.host, ...authorization(proxy) },
  };
}

export interface TunnelOptions extends RequestOptions {
  /** Ends the attempt to open the tunnel; Node passes the signal of a request to its agent under no name. */
  readonly tunnelSignal?: AbortSignal;
}

/** An agent whose connections go through a tunnel of the proxy (CONNECT), with TLS to the service inside. */
export function tunnelAgent(proxy: URL, ca: readonly string[] | undefined): Agent {
  const agent = new (builtin("node:https").Agent)({ keepAlive: true });
  const connect = (
    { tunnelSignal: signal, ...options }: ConnectionOptions & TunnelOptions,
    done: (error: Error | null, socket?: Duplex) => void,
  ): undefined => {
    const host = String(options.host);
    const target = `${host.includes(":") ? `[${host}]` : host}:${options.port ?? 443}`;
    const client = builtin(proxy.protocol === "https:" ? "node:https" : "node:http");
    const request = client.request({
      ...throughProxy(proxy, new URL(`http://${target}`), {}),
      method: "CONNECT",
      path: target,
      ...(ca && { ca: [...ca] }),
      agent: false,
    });
    let opening: Duplex | undefined;
    let isSettled = false;
    const settle = (error: Error | null, socket?: Duplex): void => {
      if (isSettled) return;
      isSettled = true;
      signal?.removeEventListener("abort", stop);
      done(error, socket);
    };
    const stop = (): void => {
      settle(signal?.reason);
      request.destroy();
      opening?.destroy();
    };
    request.once("connect", (reply, socket) => {
      if (isSettled) return void socket.destroy();
      if (reply.statusCode !== 200) {
        socket.destroy();
        return settle(refusedBy(proxy, reply.statusCode ?? 0));
      }
      const secure = builtin("node:tls").connect({ ...options, socket, servername: options.servername ?? host });
      opening = secure;
      secure.once("secureConnect", () => settle(null, secure));
      secure.once("error", settle);
    });
    request.once("response", (reply) => {
      reply.destroy();
      settle(refusedBy(proxy, reply.statusCode ?? 0));
    });
    request.once("error", (cause) => settle(unreachable(proxy, cause)));
    signal?.addEventListener("abort", stop, { once: true });
    request.end();
  };
  return Object.assign(agent, { createConnection: connect });
}

function refusedBy(proxy: URL, status: number): TransportError {
  return new TransportError(`The proxy ${proxy.host} refused the connection (status ${status}).`, {
    code: "Unreachable",
    hint: status === 407 ? "Pass its user: http://user:password@host:port." : "Check HTTPS_PROXY, or set NO_PROXY.",
    retry: { retryable: status >= 500 },
  });
}

export function unreachable(proxy: URL, cause: Error): TransportError {
  return new TransportError(`The proxy ${proxy.host} cannot be reached: ${cause.message}.`, {
    code: "Unreachable",
    cause,
    hint: "Check HTTPS_PROXY and HTTP_PROXY, or pass proxy: false to connect().",
    retry: { retryable: true },
  });
}
