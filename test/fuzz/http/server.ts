import { type AddressInfo, createServer, type Socket } from "node:net";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import type { Plan } from "./plan.js";

/** A good reply. */
export interface GoodReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** A server on 127.0.0.1 that answers each request with a good reply, damaged as the script says. */
export interface ScriptServer {
  readonly port: number;
  /** The plans of the replies to come. */
  start(plans: readonly Plan[]): void;
  /** Closes every connection. */
  stop(): void;
}

/** Starts the server; it keeps no process alive. */
export async function scriptServer(reply: (target: string, host: string) => GoodReply): Promise<ScriptServer> {
  let plans: readonly Plan[] = [];
  let next = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.unref();
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    let head = "";
    socket.on("data", (bytes) => {
      head += bytes.toString("latin1");
      for (let end = head.indexOf("\r\n\r\n"); end >= 0; end = head.indexOf("\r\n\r\n")) {
        const [, target = "/"] = head.split(" ", 2);
        const host = /\r\nhost: ([^\r]*)/i.exec(head)?.[1] ?? "";
        head = head.slice(end + 4);
        void play(socket, reply(target, host), plans[next++] ?? {});
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.unref();
  return {
    port: (server.address() as AddressInfo).port,
    start(script) {
      plans = script;
      next = 0;
    },
    stop() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms).unref());

async function play(socket: Socket, reply: GoodReply, plan: Plan): Promise<void> {
  const [beforeHead = 0, beforeBody = 0, between = 0] = plan.delays ?? [];
  if (beforeHead > 0) await pause(beforeHead);
  const { head, body } = bytesOf(reply, plan);
  await send(socket, head, plan, between);
  if (beforeBody > 0) await pause(beforeBody);
  await send(socket, body, plan, between);
  if (plan.end === "more") socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}");
  if (plan.end === "reset") socket.resetAndDestroy();
  if (plan.end === "close" || plan.framing === "close") socket.end();
}

async function send(socket: Socket, bytes: Uint8Array, { packets = [] }: Plan, between: number): Promise<void> {
  let at = 0;
  for (const size of packets) {
    if (at >= bytes.length || socket.destroyed) return;
    socket.write(bytes.subarray(at, at + size));
    at += size;
    await (between > 0 ? pause(between) : new Promise((resolve) => setImmediate(resolve)));
  }
  if (at < bytes.length && !socket.destroyed) socket.write(bytes.subarray(at));
}

/** The reply as it is sent. */
function bytesOf(reply: GoodReply, plan: Plan): { head: Uint8Array; body: Uint8Array } {
  const { framing, headers = [] } = plan;
  const coded = encoded(bodyOf(reply, plan), plan);
  const body = coded.bytes.subarray(
    0,
    Math.floor(coded.bytes.length * (plan.end === undefined ? 1 : (plan.share ?? 1))),
  );
  const declared = framing === undefined || typeof framing === "number" || framing === "both";
  const lines = [
    plan.statusLine ?? `HTTP/1.1 ${reply.status} X`,
    ...Object.entries(reply.headers).map(([name, value]) => `${name}: ${value}`),
    ...(coded.header === undefined ? [] : [`content-encoding: ${coded.header}`]),
    ...(declared ? [`content-length: ${coded.bytes.length + (typeof framing === "number" ? framing : 0)}`] : []),
    ...(framing === "chunked" || framing === "bad chunks" || framing === "both" ? ["transfer-encoding: chunked"] : []),
    ...headers,
  ];
  const chunked = framing === "chunked" || framing === "bad chunks" || framing === "both";
  return {
    head: Buffer.from(`${plan.before ?? ""}${lines.join("\r\n")}\r\n\r\n`, "latin1"),
    body: chunked ? inChunks(body, framing === "bad chunks", plan.end !== undefined && plan.share !== undefined) : body,
  };
}

const BOMB = gzipSync(Buffer.alloc(40 << 20));
const PAGE = "<!DOCTYPE html><html><head><title>Sign in</title></head><body>api_key=canary</body></html>";

function bodyOf(reply: GoodReply, plan: Plan): Uint8Array {
  const { share = 1, end, prefix = "", suffix = "" } = plan;
  const own = {
    empty: () => Buffer.alloc(0),
    "web page": () => Buffer.from(PAGE),
    bomb: () => BOMB,
    error: () => Buffer.from('{"errors":[{"code":"QECx02","message":"no"}]}'),
    garbage: () => Buffer.from(Array.from({ length: 300 }, (_, i) => (i * 7919) & 0xff)),
  };
  const whole = plan.body === undefined ? reply.body : own[plan.body]();
  // With an end of its own the reply is declared whole and sent in part; else it is a shorter reply.
  const kept = end === undefined ? whole.subarray(0, Math.floor(whole.length * share)) : whole;
  return Buffer.concat([Buffer.from(prefix, "latin1"), kept, Buffer.from(suffix, "latin1")]);
}

function encoded(
  body: Uint8Array,
  { coding, body: kind }: Plan,
): { readonly bytes: Uint8Array; readonly header?: string } {
  if (kind === "bomb") return { bytes: body, header: "gzip" };
  const packed = gzipSync(body);
  switch (coding) {
    case undefined:
      return { bytes: body };
    case "gzip":
      return { bytes: packed, header: "gzip" };
    case "br":
      return { bytes: brotliCompressSync(body), header: "br" };
    case "deflate":
      return { bytes: deflateSync(body), header: "deflate" };
    case "gzip twice":
      return { bytes: gzipSync(packed), header: "gzip, gzip" };
    case "lie":
      return { bytes: body, header: "gzip" };
    case "unknown":
      return { bytes: body, header: "exi" };
    case "damaged gzip":
      packed[packed.length >> 1] ^= 0x55;
      return { bytes: packed, header: "gzip" };
    case "truncated gzip":
      return { bytes: packed.subarray(0, packed.length - 9), header: "gzip" };
  }
}

function inChunks(body: Uint8Array, bad: boolean, open: boolean): Uint8Array {
  const parts: Uint8Array[] = [];
  for (let at = 0; at < body.length; at += 97) {
    const piece = body.subarray(at, at + 97);
    const size = bad && at > 97 ? "zz" : piece.length.toString(16);
    parts.push(Buffer.from(`${size};x=1\r\n`), piece, Buffer.from("\r\n"));
  }
  if (!open) parts.push(Buffer.from("0\r\n\r\n"));
  return Buffer.concat(parts);
}
