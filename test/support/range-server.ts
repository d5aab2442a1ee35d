import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A request as the server saw it, and the bytes of bodies that it sent. */
interface Asked {
  readonly path: string;
  readonly range: string | undefined;
  readonly headers: IncomingMessage["headers"];
  bytes: number;
}

type Answer = (request: IncomingMessage, response: ServerResponse, number: number) => boolean | undefined;

/** A server of files, by their paths, that sends parts as RFC 9110 says, unless `hostile` answers in its place. */
export async function rangeServer(files: Readonly<Record<string, Uint8Array>>) {
  const asked: Asked[] = [];
  const state: { hostile: Answer | undefined; etag: string | undefined } = { hostile: undefined, etag: undefined };
  let run = 0;
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://x");
    if (!searchParams.has(`run${run}`)) return void response.writeHead(404).end();
    const path = decodeURIComponent(pathname);
    const entry: Asked = { path, range: request.headers.range, headers: request.headers, bytes: 0 };
    asked.push(entry);
    for (const name of ["write", "end"] as const) {
      const send = response[name].bind(response) as (...parts: unknown[]) => unknown;
      Object.assign(response, {
        [name]: (chunk: unknown, ...rest: unknown[]) => {
          if (chunk instanceof Uint8Array) entry.bytes += chunk.length;
          return send(chunk, ...rest);
        },
      });
    }
    if (state.hostile?.(request, response, asked.length) === true) return;
    const bytes = files[path];
    if (bytes === undefined) return void response.writeHead(404).end("<Error><Code>NoSuchKey</Code></Error>");
    sendPart(request, response, bytes, state.etag ?? etagOf(bytes));
  });
  await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    asked,
    state,
    /** The query of addresses since the last reset; all others do not exist. */
    get run(): string {
      return `run${run}`;
    },
    /** Forgets what was asked and answers as it should. */
    reset(hostile?: Answer): void {
      run++;
      asked.length = 0;
      state.hostile = hostile;
      state.etag = undefined;
    },
    async close(): Promise<void> {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

const etagOf = (bytes: Uint8Array): string => `"${createHash("md5").update(bytes).digest("hex")}"`;

/** The part of a file that a request asks for. */
export function sendPart(
  { headers }: IncomingMessage,
  response: ServerResponse,
  bytes: Uint8Array,
  etag = etagOf(bytes),
): void {
  const common = { etag, "accept-ranges": "bytes" };
  if (headers["if-match"] !== undefined && headers["if-match"] !== etag) return void response.writeHead(412).end();
  const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/.exec(headers.range ?? "") ?? [];
  if (first === "" && last === "") {
    return void response.writeHead(200, { ...common, "content-length": bytes.length }).end(bytes);
  }
  const start = first === "" ? Math.max(0, bytes.length - Number(last)) : Number(first);
  const end = first === "" || last === "" ? bytes.length : Math.min(bytes.length, Number(last) + 1);
  if (start >= end) return void response.writeHead(416, { "content-range": `bytes */${bytes.length}` }).end();
  const range = `bytes ${start}-${end - 1}/${bytes.length}`;
  response.writeHead(206, { ...common, "content-range": range, "content-length": end - start });
  response.end(bytes.subarray(start, end));
}
