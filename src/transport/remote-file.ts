import { FileError, hasCode, reworded, TransportError } from "../errors/errors.js";
import { rememberSecret } from "../errors/secrets.js";
import { bytesAccess, type OpenableFile, type RandomAccess } from "../format/random-access.js";
import { utf8Text } from "../platform/node/bytes.js";
import { pageFetch, setMaxListeners } from "../platform/node/process.js";
import { percentDecoded } from "../value/text.js";
import { bodyBytes, failureBody, truncated } from "./body.js";
import { type Answer, exchange, type Target, type Transport } from "./exchange.js";
import { sendByHTTP } from "./http.js";
import { proxyChooser } from "./proxy.js";
import { type RetryBudget, retryAfter, retryBudget } from "./retry.js";
import { type Send, sendByFetch } from "./send.js";
import { anySignal, sleep } from "./timer.js";

/** Bytes that the first request reads at the start of a file, or at its end: most footers are shorter. */
const START = 1_048_576;
const END = 65_536;
/** Bytes of one request; a longer read takes several at once. */
const PART = 16_777_216;
const PARTS_AT_ONCE = 4;
/** Bytes that must have arrived before the retry budget is refilled. */
const PROGRESS = 65_536;
/** Statuses of an address that expired: the one that redirected to it gives another. */
const EXPIRED = new Set([400, 401, 403, 404, 410]);

/** How remote files are requested; tests change it. */
export const REMOTE = {
  retry: { attempts: 5, pause: 500, maxPause: 30_000, budget: 300_000 },
  timeouts: { response: 60_000, idle: 30_000 },
  /** The most bytes of a file that are kept in memory because its server does not send parts of it. */
  mostHeld: 536_870_912,
};

/** Sends through the proxy of the environment at the time of the request; a page sends by its `fetch`. */
let sender: Send | undefined;
const senderOf = (): Send =>
  pageFetch ? sendByFetch(pageFetch, "follow") : sendByHTTP({ proxy: (address) => proxyChooser(undefined)(address) });

/** Where a remote file is. */
export interface RemoteAddress {
  /** May contain a key or signature, and is never shown. */
  readonly address: string;
  /** The address as messages show it. */
  readonly name: string;
  /** Adds a key or signature to requests of the origin of the address. */
  readonly authorize?: (target: Target) => Target | Promise<Target>;
  /** What to do where access is denied. */
  readonly denied: string;
}

/** What identifies the contents of a file. */
interface State {
  readonly size: number;
  readonly etag: string | null;
  readonly modified: string | null;
}

interface Piece {
  readonly start: number;
  readonly bytes: Uint8Array;
}

/**
 * A file at an address, of which only the parts that are read are requested: neighbouring ones together, several at
 * once, each checked by its place, its length and the `ETag`. Temporary failures are retried and a part resumed where
 * it broke off, within one budget of pauses. A file of a server that does not send parts is kept in memory.
 */
export class RemoteFile implements OpenableFile {
  readonly name: string;
  private readonly transport: Transport;
  private readonly pauses = { spent: 0 };
  /** What the first requests read. */
  private readonly pieces: Piece[] = [];
  private opening: Promise<State> | undefined;
  /** The address that replied last: of a chain of redirects the end. */
  private current: string;

  constructor(private readonly place: RemoteAddress) {
    this.name = place.name;
    this.current = place.address;
    const { origin } = new URL(place.address);
    const { authorize } = place;
    sender ??= senderOf();
    this.transport = {
      send: sender,
      timeouts: REMOTE.timeouts,
      authorize: (target) => (new URL(target.address).origin === origin ? (authorize?.(target) ?? target) : target),
    };
  }

  /**
   * @throws {FileError} FileNotFound, AccessDenied, FileChanged
   * @throws {TransportError} where the server cannot be reached or its replies are not usable
   */
  async open(from: "start" | "end" = "start"): Promise<RandomAccess> {
    // A page may count no part from the end, which servers would have to allow.
    this.opening ??= this.begin(pageFetch === undefined ? from : "start");
    const state = await this.opening;
    const whole = this.pieces.find(({ start, bytes }) => start === 0 && bytes.length === state.size);
    if (whole !== undefined) return bytesAccess(whole.bytes);
    const stop = new AbortController();
    const signal = anySignal(stop.signal) as AbortSignal;
    // Each request adds one.
    setMaxListeners(0, signal);
    return {
      size: state.size,
      mostAtOnce: PARTS_AT_ONCE * PART,
      read: (target, position) => this.read(state, target, position, signal),
      stream: (start, end) => this.stream(state, start, end, signal),
      close: async () => stop.abort(),
    };
  }

  /** The first request: the state of the file, and the bytes at one of its ends. */
  private async begin(from: First): Promise<State> {
    const signal = anySignal();
    const budget = this.budget();
    for (;;) {
      try {
        const answer = await this.ask(FIRST[from], signal);
        try {
          return await this.firstOf(answer, from);
        } finally {
          answer.discard();
        }
      } catch (error) {
        if (error instanceof OtherFirst) return this.begin(error.from);
        await this.pause(budget, error, signal);
      }
    }
  }

  private async firstOf(answer: Answer, from: First): Promise<State> {
    const { status, header } = answer;
    const range = rangeOf(header("content-range"));
    const [etag, modified] = [header("etag"), header("last-modified")];
    if (status === 416 && range?.total === 0) return { size: 0, etag, modified };
    // Some servers send parts, but none that is counted from the end.
    const hasParts = status === 416 || (status === 200 && header("accept-ranges")?.toLowerCase() === "bytes");
    if (from === "end" && hasParts) throw new OtherFirst("start");
    if (status === 200) {
      // A page cannot see whether the end of the connection alone ends the body.
      if (!answer.framed && pageFetch === undefined) throw this.endless(answer);
      const bytes = await this.held(answer, answer.length);
      this.pieces.push({ start: 0, bytes });
      return { size: bytes.length, etag, modified };
    }
    if (status !== 206) throw await this.failure(answer);
    // A page reads this header only where the server exposes it; a part of what was compressed cannot be decoded.
    const isUnusable = answer.coded || (pageFetch !== undefined && range === undefined);
    if (isUnusable && from !== "all") throw new OtherFirst("all");
    const size = range?.total;
    const start = from === "end" ? Math.max(0, (size ?? 0) - END) : 0;
    if (size === undefined || range?.start !== start) throw this.otherPart(answer);
    const bytes = await this.held(answer, from === "end" ? size - start : Math.min(START, size));
    this.pieces.push({ start, bytes });
    return { size, etag, modified };
  }

  /** The body of a reply, of `length` bytes where that is known. */
  private async held(answer: Answer, length: number | undefined): Promise<Uint8Array> {
    const { mostHeld } = REMOTE;
    if ((length ?? 0) > mostHeld) throw this.noParts(answer);
    const bytes = await bodyBytes(answer, length ?? mostHeld, length).catch((error: unknown) => {
      if (!hasCode(error, "TooLarge")) throw error;
      throw length === undefined ? this.noParts(answer) : this.otherPart(answer);
    });
    return plainBytes(bytes);
  }

  private async read(state: State, target: Uint8Array, position: number, signal?: AbortSignal): Promise<void> {
    const last = Math.max(0, state.size - END);
    if (position + target.length > state.size) throw new Error("unexpected EOF");
    if (position >= last && !this.pieces.some(({ start, bytes }) => start + bytes.length === state.size)) {
      const bytes = new Uint8Array(state.size - last);
      await this.readPart(state, bytes, last, signal);
      this.pieces.push({ start: last, bytes });
    }
    let [from, to] = [position, position + target.length];
    for (const { start, bytes } of this.pieces) {
      const [first, end] = [Math.max(from, start), Math.min(to, start + bytes.length)];
      if (first >= end || (first > from && end < to)) continue;
      target.set(bytes.subarray(first - start, end - start), first - position);
      if (first === from) from = end;
      else to = first;
    }
    let next = from;
    const readParts = async (): Promise<void> => {
      while (next < to) {
        const at = next;
        next = Math.min(to, at + PART);
        await this.readPart(state, target.subarray(at - position, next - position), at, signal);
      }
    };
    await Promise.all(Array.from({ length: PARTS_AT_ONCE }, readParts));
  }

  private async readPart(state: State, target: Uint8Array, position: number, signal?: AbortSignal): Promise<void> {
    let done = 0;
    for await (const chunk of this.requested(state, position, position + target.length, signal)) {
      target.set(chunk, done);
      done += chunk.length;
    }
  }

  private async *stream(state: State, start: number, end: number, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
    const piece = this.pieces.find((one) => one.start <= start && one.start + one.bytes.length > start);
    const held = piece?.bytes.subarray(start - piece.start, end - piece.start) ?? new Uint8Array(0);
    if (held.length > 0) yield held;
    yield* this.requested(state, start + held.length, end, signal);
  }

  /** The bytes from `start` to `end` as they arrive; a reply that breaks off is resumed. */
  private async *requested(state: State, start: number, end: number, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
    const budget = this.budget();
    let at = start;
    let refilled = start;
    while (at < end) {
      try {
        for await (const chunk of this.reply(state, at, end, signal)) {
          at += chunk.length;
          yield chunk;
        }
      } catch (error) {
        if (at - refilled >= PROGRESS) {
          refilled = at;
          budget.refill();
        }
        await this.pause(budget, error, signal);
      }
    }
  }

  /** One reply, whose bytes are those from `start` to `end`. */
  private async *reply(state: State, start: number, end: number, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
    const answer = await this.ask(`${start}-${end - 1}`, signal, state);
    try {
      const { status, header } = answer;
      const range = rangeOf(header("content-range"));
      if (status === 412 || status === 416) throw this.changed();
      if (status !== 206 && status !== 200) throw await this.failure(answer);
      const known = [state.etag, state.modified] as const;
      const now = [header("etag"), header("last-modified")] as const;
      const at = known.findIndex((value, i) => value !== null && now[i] !== null);
      if (at >= 0 && known[at] !== now[at]) throw this.changed();
      if ((range?.total ?? state.size) !== state.size) throw this.changed();
      if (status === 200 || range?.start !== start || range.end >= end) throw this.otherPart(answer);
      let left = end - start;
      for await (const chunk of answer.chunks()) {
        left -= chunk.length;
        if (left < 0) throw this.otherPart(answer);
        yield plainBytes(chunk);
      }
      if (left > 0) throw truncated(answer, `has ${end - start - left} bytes instead of ${end - start}`);
    } finally {
      answer.discard();
    }
  }

  private async ask(range: string | undefined, signal: AbortSignal | undefined, state?: State): Promise<Answer> {
    // A weak ETag never matches. Of a page, servers would have to allow the header.
    const isConditional = pageFetch === undefined && state?.etag?.startsWith('"') === true;
    const headers = {
      "accept-encoding": "identity",
      ...(range !== undefined && { range: `bytes=${range}` }),
      ...(isConditional && { "if-match": String(state.etag) }),
    };
    for (;;) {
      const { current } = this;
      const answer = await exchange(this.transport, current, { headers, signal });
      const isExpired = EXPIRED.has(answer.status) && current !== this.place.address;
      this.current = isExpired ? this.place.address : answer.status < 300 ? answer.url : current;
      if (!isExpired) return answer;
      answer.discard();
    }
  }

  private budget(): RetryBudget {
    return retryBudget(REMOTE.retry, Math.random, this.pauses);
  }

  /** Waits until a step may be repeated, or throws its error. */
  private async pause(budget: RetryBudget, error: unknown, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) throw signal.reason;
    await sleep(this.pauseOf(budget, error), signal);
  }

  private pauseOf(budget: RetryBudget, error: unknown): number {
    try {
      return budget.pauseFor(error);
    } catch (last) {
      throw this.named(last);
    }
  }

  /** An error of the transport with the name of the file, and a hint for it. */
  private named(error: unknown): unknown {
    if (!(error instanceof TransportError)) return error;
    const { message, hint } = error;
    const own = hint?.includes("connect()")
      ? "Check the address and the network, then try again."
      : hint?.replace(", or raise retry.budget", "");
    const isNamed = message.includes(this.name);
    const what = isNamed ? message : `Cannot read ${this.name}: ${message[0].toLowerCase()}${message.slice(1)}`;
    return reworded(error, what, { hint: own });
  }

  /** The error of a reply without bytes of the file. */
  private async failure(answer: Answer): Promise<FileError | TransportError> {
    const { status, header, host, redirectedFrom } = answer;
    // The code of an error of an object storage, such as ExpiredToken.
    const code = /<Code>([A-Za-z]{1,60})<\/Code>/.exec(utf8Text(await failureBody(answer)))?.[1];
    const at = redirectedFrom === undefined ? "" : ` of ${host}`;
    const said = `status ${status}${at}${code === undefined ? "" : `, ${code}`}`;
    const isMissing = status === 404 || status === 410;
    if (isMissing || status === 401 || status === 403) {
      return new FileError(
        `Cannot read ${this.name}: ${isMissing ? "it does not exist" : "access is denied"} (${said}).`,
        {
          code: isMissing ? "FileNotFound" : "AccessDenied",
          status,
          hint: isMissing ? "Check the address." : this.place.denied,
        },
      );
    }
    const retryable = status === 408 || status === 429 || status >= 500;
    // Object storages reply with status 400 to a token that expired and to the wrong region.
    const hint = retryable ? "Try again later." : this.place.denied;
    const more = { status, retry: { retryable, after: retryAfter(header) } };
    return this.refused("ServerFailed", `the server replied with an error (${said})`, hint, more);
  }

  private changed(): FileError {
    return new FileError(`${this.name} changed while it was being read.`, {
      code: "FileChanged",
      hint: "Read it again when no other process writes it.",
    });
  }

  private otherPart({ host }: Answer): TransportError {
    const hint = "The server or a proxy handles parts of files wrongly: download the file and read it from disk.";
    return this.refused("BadRange", `${host} replied with other bytes than were requested`, hint);
  }

  private noParts({ host }: Answer): TransportError {
    const what = `${host} does not send parts of a file, and the file is larger than ${REMOTE.mostHeld} bytes`;
    return this.refused("TooLarge", what, "Download it and read it from disk.");
  }

  private endless({ host }: Answer): TransportError {
    const what = `${host} does not declare its length, so that one cut short would look complete`;
    return this.refused("BadRange", what, "Download it, check that it is complete, and read it from disk.");
  }

  private refused(
    code: "ServerFailed" | "BadRange" | "TooLarge",
    what: string,
    hint: string,
    more: Pick<TransportError, "status" | "retry"> = { retry: { retryable: false } },
  ): TransportError {
    return new TransportError(`Cannot read ${this.name}: ${what}.`, { code, hint, ...more });
  }
}

/** What the first request is for: the start of a file, its end, or all of it. */
type First = "start" | "end" | "all";

const FIRST = { start: `0-${START - 1}`, end: `-${END}`, all: undefined };

/** The first request must be for another part. */
class OtherFirst extends Error {
  constructor(readonly from: First) {
    super("the part cannot be read");
  }
}

/** The first and last byte of a part, and the length of the file where it is known. */
function rangeOf(header: string | null): { start: number; end: number; total: number | undefined } | undefined {
  const [, start, end, total] = /^bytes (?:(\d+)-(\d+)|\*)\/(\d+|\*)$/i.exec(header?.trim() ?? "") ?? [];
  if (total === undefined) return undefined;
  return { start: Number(start), end: Number(end), total: total === "*" ? undefined : Number(total) };
}

/** The bytes as an array whose `slice` copies, unlike that of a Buffer. */
const plainBytes = ({ buffer, byteOffset, length }: Uint8Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, length);

/** Parameters of an address that hold a key or a signature. */
const SECRET = /key|token|sig|secret|credential|password/i;

/**
 * The file at an `http:` or `https:` address; its user and password are sent to its own origin alone, and no message
 * shows them or its query.
 */
export function fileAt(address: URL): RemoteFile {
  const url = new URL(address);
  const [user, password] = [url.username, url.password].map((text) => percentDecoded(text) ?? text);
  url.username = "";
  url.password = "";
  url.hash = "";
  for (const [name, value] of url.searchParams) if (SECRET.test(name)) rememberSecret(value);
  const place = {
    address: url.href,
    name: url.origin + url.pathname,
    denied: "Check the address: a signed one may have expired.",
  };
  if (user === "" && password === "") return new RemoteFile(place);
  rememberSecret(password);
  const authorization = `Basic ${btoa(String.fromCharCode(...new TextEncoder().encode(`${user}:${password}`)))}`;
  return new RemoteFile({
    ...place,
    authorize: (target) => ({ ...target, headers: { ...target.headers, authorization } }),
  });
}
