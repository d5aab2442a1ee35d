import type { Random } from "../random.js";

/** What is wrong with one reply. Nothing is where a member is missing. */
export interface Plan {
  /** Instead of the reply's own status line, as it is sent. */
  readonly statusLine?: string;
  /** Header lines that are added, as they are sent. */
  readonly headers?: readonly string[];
  /** Raw bytes before the status line: interim replies, or garbage. */
  readonly before?: string;
  /** The body: another one, or the reply's own, cut to this share of its length, between garbage. */
  readonly body?: "empty" | "web page" | "bomb" | "error" | "garbage";
  readonly share?: number;
  readonly prefix?: string;
  readonly suffix?: string;
  /** How the body is encoded, and what the head says of it (`lie`: gzip, of a body that is not). */
  readonly coding?: "gzip" | "br" | "deflate" | "gzip twice" | "lie" | "unknown" | "damaged gzip" | "truncated gzip";
  /** What marks the end of the body; a number is added to its true length. */
  readonly framing?: "chunked" | "bad chunks" | "close" | "both" | number;
  /** Sizes of the packets that the reply is sent in; the rest goes as one. */
  readonly packets?: readonly number[];
  /** Milliseconds before the head, between head and body, and between packets. */
  readonly delays?: readonly [number, number, number];
  /**
   * What happens after the bytes above: more bytes on the connection, its end, its reset, or nothing more of an
   * unfinished reply.
   */
  readonly end?: "close" | "reset" | "stall" | "more";
}

/** One input: a call, and the plans of the replies in the order in which requests arrive. Later replies are good. */
export interface Script {
  readonly call: string;
  readonly transport: "http" | "fetch";
  readonly plans: readonly Plan[];
}

const STATUS_LINES = [
  "HTTP/1.1 204 No Content",
  "HTTP/1.1 206 Partial Content",
  "HTTP/1.1 101 Switching Protocols",
  "HTTP/1.1 199 Odd",
  "HTTP/1.1 301 Moved",
  "HTTP/1.1 302 Found",
  "HTTP/1.1 304 Not Modified",
  "HTTP/1.1 400 Bad Request",
  "HTTP/1.1 401 Unauthorized",
  "HTTP/1.1 403 Forbidden",
  "HTTP/1.1 404 Not Found",
  "HTTP/1.1 429 Too Many Requests",
  "HTTP/1.1 500 Failed",
  "HTTP/1.1 503 Unavailable",
  "HTTP/1.1 599",
  "HTTP/1.1 999 No",
  "HTTP/1.0 200 OK",
  "HTTP/1.1 200",
  "HTTP/2 200 OK",
  "HTTP/1.1 0 OK",
  "HTTP/1.1 20",
  "ICY 200 OK",
  "SSH-2.0-x",
  "",
];

const HEADERS = [
  "content-length: 5",
  "content-length: -1",
  "content-length: 1e3",
  "content-length: 99999999999999999999",
  "transfer-encoding: chunked",
  "transfer-encoding: gzip, chunked",
  "content-type: text/html",
  "content-type: application/zip",
  "content-type: ",
  "content-encoding: ",
  "content-encoding: identity, identity",
  "location: /elsewhere",
  "location: http://[",
  "location: file:///etc/passwd",
  "location: //127.0.0.2:1/",
  "location: ?",
  "retry-after: 0",
  "retry-after: 3600",
  "retry-after: 99999999999999999999999",
  "retry-after: soon",
  "retry-after: Wed, 21 Oct 2065 07:28:00 GMT",
  "cursor_id: loop",
  "etag: W/x",
  "connection: close",
  "connection: upgrade\r\nupgrade: websocket",
  "keep-alive: timeout=0",
  "trailer: x",
  "set-cookie: a=b",
  "x: \x01\x7f",
  "no colon",
  ": no name",
  " folded",
  "x\x00y: z",
  `x-long: ${"y".repeat(70_000)}`,
];

const GARBAGE = [
  "\0",
  "}",
  "]]>",
  "<html>",
  "\r\n\r\n",
  "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}",
  "\u0001\u0002\u0003",
  "PK",
  "\x1f\x8b",
];
const BEFORE = [
  "HTTP/1.1 100 Continue\r\n\r\n",
  "HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n",
  "HTTP/1.1 100 Continue\r\n\r\n".repeat(50),
  "\r\n",
  "\0\0\0\0",
  "GET / HTTP/1.1\r\n\r\n",
];

type Change = (random: Random) => Plan;

const CHANGES: readonly Change[] = [
  (random) => ({ statusLine: random.pick(STATUS_LINES) }),
  (random) => ({ headers: [random.pick(HEADERS)] }),
  (random) => ({ statusLine: random.pick(STATUS_LINES), headers: [random.pick(HEADERS), random.pick(HEADERS)] }),
  (random) => ({ before: random.pick(BEFORE) }),
  (random) => ({ body: random.pick(["empty", "web page", "bomb", "error", "garbage"]) }),
  (random) => ({
    statusLine: random.pick(STATUS_LINES),
    body: random.pick(["empty", "web page", "bomb", "error", "garbage"]),
  }),
  (random) => ({ share: random.below(1000) / 1000 }),
  (random) => ({ share: random.below(1000) / 1000, framing: random.pick(["close", "chunked"]) }),
  (random) => ({ prefix: random.pick(GARBAGE) }),
  (random) => ({ suffix: random.pick(GARBAGE) }),
  (random) => ({
    coding: random.pick([
      "gzip",
      "br",
      "deflate",
      "gzip twice",
      "lie",
      "lie",
      "unknown",
      "damaged gzip",
      "truncated gzip",
    ]),
    delays: [0, random.pick([0, 5, 20]), 0],
  }),
  (random) => ({ framing: random.pick(["chunked", "bad chunks", "close", "both", -1, 1, -20, 20, 1e9]) }),
  (random) => ({
    packets: Array.from({ length: 1 + random.below(8) }, () => 1 + random.below(200)),
    delays: [0, 0, 1],
  }),
  () => ({ packets: Array.from({ length: 60 }, () => 1), delays: [0, 0, 0] }),
  (random) => ({ end: random.pick(["close", "reset", "more"]) }),
  (random) => ({ share: random.below(1000) / 1000, end: random.pick(["close", "reset", "stall"]) }),
  (random) => ({ delays: [random.pick([0, 30, 1_000]), random.pick([0, 30, 1_000]), 0] }),
];

/** The script with one to three of its replies damaged, most often one, each in one to three ways. */
export function mutateScript(script: Script, random: Random): Script {
  const plans: Plan[] = [...script.plans];
  const damaged = random.oneIn(3) ? 1 + random.below(3) : 1;
  for (let i = 0; i < damaged; i++) {
    const at = random.below(4);
    while (plans.length <= at) plans.push({});
    const changes = random.oneIn(2) ? 1 : 1 + random.below(3);
    for (let change = 0; change < changes; change++) plans[at] = { ...plans[at], ...random.pick(CHANGES)(random) };
  }
  return { ...script, plans, transport: random.oneIn(4) ? "fetch" : "http" };
}
