import type { IncomingMessage } from "node:http";
import type { Agent } from "node:https";
import { builtin } from "../package/builtin.js";
import { type ProxyChooser, type TunnelOptions, throughProxy, tunnelAgent, unreachable } from "./proxy.js";
import type { Received, Send, SendOptions } from "./send.js";

const MAX_HEADER_BYTES = 64 * 1024;

export interface Connections {
  readonly proxy: ProxyChooser;
  /** Certificates of authorities, in addition to those that Node trusts. */
  readonly ca?: readonly string[];
}

/** Sends with Node's own client, whose bodies are not decoded. */
export function sendByHTTP({ proxy, ca }: Connections): Send {
  const trusted = ca && [...builtin("node:tls").rootCertificates, ...ca];
  const tunnels = new Map<string, Agent>();
  const ways = (address: string, options: SendOptions): Way => {
    const url = new URL(address);
    const through = proxy(url);
    const tls = url.protocol === "https:" && trusted ? { ca: [...trusted] } : {};
    if (through === undefined) return { client: clientOf(url), url, options: tls };
    if (url.protocol === "https:") {
      const agent = tunnels.get(through.href) ?? tunnelAgent(through, trusted);
      tunnels.set(through.href, agent);
      return { client: clientOf(url), url, options: { ...tls, agent, tunnelSignal: options.signal }, through };
    }
    const all = { ...throughProxy(through, url, options.headers), ...(trusted && { ca: trusted }) };
    return { client: clientOf(through), options: all, through };
  };
  return async (address, options) => {
    const way = ways(address, options);
    for (;;) {
      try {
        return await send(way, options);
      } catch (error) {
        // The service closed a kept-alive connection just as this request was written to it. The next connection may be
        // a kept one too; each is tried once.
        if (!(error instanceof ReusedSocketClosed)) throw error;
      }
    }
  };
}

interface Way {
  readonly client: ReturnType<typeof clientOf>;
  /** Without a proxy or through its tunnel, the address; a plain proxy gets it in the request. */
  readonly url?: URL;
  readonly options: TunnelOptions;
  readonly through?: URL;
}

const clientOf = ({ protocol }: URL) => builtin(protocol === "https:" ? "node:https" : "node:http");

class ReusedSocketClosed extends Error {}

function send({ client, url, options, through }: Way, { headers, signal }: SendOptions): Promise<Received> {
  const all = { headers, signal, maxHeaderSize: MAX_HEADER_BYTES, ...options };
  return new Promise((resolve, reject) => {
    const request = url === undefined ? client.request(all) : client.request(url, all);
    request.once("response", (message) => resolve(received(message)));
    request.once("upgrade", (message, socket) => {
      socket.destroy();
      resolve(received(message));
    });
    // Remains for errors after the response, which the body reports too.
    request.on("error", (error: NodeJS.ErrnoException) => {
      const closed = request.reusedSocket && error.code === "ECONNRESET" && !signal.aborted;
      if (closed) reject(new ReusedSocketClosed(error.message, { cause: error }));
      else reject(through !== undefined && error.syscall === "connect" ? unreachable(through, error) : error);
    });
    request.end();
  });
}

function received(message: IncomingMessage): Received {
  message.on("error", () => undefined);
  const { socket } = message;
  return {
    status: message.statusCode ?? 0,
    header: (name) => message.headers[name.toLowerCase()]?.toString() ?? null,
    body: message,
    decoded: false,
    discard: () => void message.destroy(),
    disconnect: () => void socket.destroy(),
  };
}
