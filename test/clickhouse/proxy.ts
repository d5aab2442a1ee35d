import { createServer, type IncomingMessage, type ServerResponse, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";

/** A request as the server gets it. */
export interface Seen {
  readonly sql: string;
  readonly settings: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
}

/** What happens to one request; the first fault that is not undefined is used. */
type Fault = (seen: Seen) => Answer | undefined;

/**
 * `forward` passes on to the server; `cut after` lets the server finish and then breaks the connection; `cut before`
 * breaks it at once; otherwise a made reply.
 */
export type Answer = "forward" | "cut after" | "cut before" | "silent" | Made;

/** A made reply; `cut` breaks the connection after the body. */
interface Made {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: Uint8Array | string;
  readonly cut?: boolean;
  /** Changes the body of the server's reply instead of making one. */
  readonly change?: (body: Buffer) => Buffer;
}

/** An HTTP proxy between the official client and the server, whose faults are scripted. */
export interface Proxy {
  /** The address of the proxy with the user and database of `address`. */
  readonly address: string;
  readonly seen: Seen[];
  fault: Fault;
  readonly close: () => Promise<void>;
}

/** Starts a proxy in front of a server; without an address all replies are made. */
export async function proxyTo(address = "http://default@127.0.0.1:1/tests"): Promise<Proxy> {
  const target = new URL(address);
  const seen: Seen[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of incoming) chunks.push(chunk as Buffer);
    } catch {
      return;
    }
    const body = Buffer.concat(chunks);
    const settings = new URL(incoming.url ?? "/", address).searchParams;
    const plain = incoming.headers["content-encoding"] === "gzip" ? gunzipSync(body) : body;
    const one = { sql: settings.get("query") ?? plain.toString(), settings, headers: incoming.headers, body: plain };
    seen.push(one);
    const answer = proxy.fault(one) ?? "forward";
    if (answer === "silent") return;
    if (answer === "cut before") return void outgoing.destroy();
    if (typeof answer === "object" && answer.change === undefined) return reply(outgoing, answer, answer.body);
    forward(incoming, outgoing, body, answer);
  });
  const forward = (incoming: IncomingMessage, outgoing: ServerResponse, body: Buffer, answer: Answer): void => {
    const { headers, method, url } = incoming;
    const onward = send({ host: target.hostname, port: target.port, path: url, method, headers });
    onward.on("response", async (response) => {
      if (answer === "forward") {
        outgoing.writeHead(response.statusCode ?? 200, response.headers);
        response.pipe(outgoing);
        return;
      }
      const parts: Buffer[] = [];
      for await (const part of response) parts.push(part as Buffer);
      if (typeof answer !== "object") return void outgoing.destroy();
      reply(outgoing, { headers: textHeaders(response), ...answer }, answer.change?.(Buffer.concat(parts)) ?? "");
    });
    onward.on("error", () => outgoing.destroy());
    outgoing.on("close", () => onward.destroy());
    onward.end(body);
  };
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  const proxy: Proxy = {
    address: `http://${target.username}:${target.password}@127.0.0.1:${port}${target.pathname}`,
    seen,
    fault: () => undefined,
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
  return proxy;
}

const textHeaders = (response: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(response.headers).flatMap(([name, value]) =>
      typeof value === "string" && name !== "transfer-encoding" && name !== "content-length" ? [[name, value]] : [],
    ),
  );

function reply(
  outgoing: ServerResponse,
  { status = 200, headers = {}, cut = false }: Omit<Made, "body">,
  body: Uint8Array | string,
): void {
  outgoing.writeHead(status, headers);
  if (!cut) return void outgoing.end(body);
  outgoing.write(body, () => setTimeout(() => outgoing.destroy(), 20));
}
