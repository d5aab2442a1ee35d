import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline, Readable } from "node:stream";
import { writeFailure } from "../../document/failure.js";
import { hasCode } from "../../errors/errors.js";
import { CATALOG_PATH, type Endpoint, endpoints } from "../../spec/endpoints.js";
import { OPEN_API_PATH, openApi } from "../../spec/open-api.js";
import { hasExtension, type Profile } from "../../spec/profile.js";
import type { Format } from "../../spec/vocabulary.js";
import { withoutEnd } from "../../value/text.js";
import { answer } from "../answers/answer.js";
import { answerFile, FILES_PATH, noFile } from "../answers/answer-file.js";
import { answerJson, catalogItems } from "../answers/answer-list.js";
import type { MadeFile } from "../answers/exports.js";
import type { Gate, Subscriber } from "../answers/keys.js";
import { answerLogo, LOGOS_PATH } from "../answers/logo.js";
import type { Answer } from "../answers/reply.js";
import type { ServiceState } from "../answers/service-state.js";
import { Refused, refused, type ServerFailure } from "../data/refused.js";
import { acceptedCoding, acceptedFormat } from "./accepted.js";
import { corsHeaders, preflightHeaders } from "./cors.js";
import { fileResponse } from "./file-response.js";
import type { HostCheck } from "./hosts.js";
import type { ServeOptions } from "./options.js";
import { postedQuery } from "./post-body.js";
import { keyNames } from "./query-pairs.js";
import { report, scrubbedUrl } from "./request-log.js";
import { isRefusal, route } from "./route.js";

/** The HTTP side of a service: its data, its keys and its address. */
export interface HttpOptions extends Pick<ServeOptions, "publicUrl" | "cors" | "log"> {
  readonly state: ServiceState;
  readonly gate: Gate;
  readonly checkHost: HostCheck;
  /** Whether the service is stopping: connections are then closed after each reply. */
  readonly closing?: () => boolean;
}

/** A request as handlers see it. `url` is the undecoded target. */
interface Asked {
  readonly method: string;
  readonly url: string;
  readonly header: (name: string) => string | undefined;
  readonly origin: string;
  /** Aborts when the connection is closed. */
  readonly gone: AbortSignal;
  readonly posted: (profile: Profile) => Promise<string>;
}

/** The reply; the body is left out for HEAD. */
interface Sent {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body?: Uint8Array | Readable;
  readonly error?: unknown;
}

/** Sends the reply to a request: calls of spec section 4 under `/api/v3`, and the files behind links. */
export async function reply(incoming: IncomingMessage, outgoing: ServerResponse, options: HttpOptions): Promise<void> {
  const began = performance.now();
  const requestId = randomUUID();
  const gone = new AbortController();
  outgoing.once("close", () => outgoing.writableFinished || gone.abort());
  const asked: Asked = {
    method: incoming.method ?? "GET",
    url: incoming.url ?? "/",
    header: (name) => {
      const value = incoming.headers[name];
      return Array.isArray(value) ? value.join(", ") : value;
    },
    origin: originOf(incoming, options),
    gone: gone.signal,
    posted: (profile) => postedQuery(incoming, profile),
  };
  const answered = await respond(asked, requestId, options);
  const { status, body, error } = answered;
  const headers = withCors(answered.headers, asked, options);
  if (options.closing?.()) headers["connection"] = "close";
  const log = (): void => {
    if (options.log === undefined) return;
    report(options.log, {
      requestId,
      method: asked.method,
      url: scrubbedUrl(asked.url, options.state.profile),
      status,
      ms: performance.now() - began,
      ...("content-length" in headers && { bytes: Number(headers["content-length"]) }),
      ...(error !== undefined && { error }),
    });
  };
  // The caller may have left while the reply was made.
  if (gone.signal.aborted) log();
  else outgoing.once("close", log);
  if (!outgoing.destroyed) outgoing.writeHead(status, headers);
  if (!(body instanceof Readable)) outgoing.end(body);
  else pipeline(body, outgoing, () => undefined);
}

/** Adds what a web page of another origin needs to read the reply. */
function withCors(headers: Record<string, string>, { header }: Asked, { cors }: HttpOptions): Record<string, string> {
  if (cors === undefined) return headers;
  const vary = [headers["vary"], "origin"].filter((name) => name !== undefined).join(", ");
  return { ...headers, ...corsHeaders(cors, header("origin")), vary };
}

/**
 * Links use the origin under which the caller reached the service, or `publicUrl`. A proxy in front of it that speaks
 * TLS says so in `X-Forwarded-Proto`: a link carries a key, which must not travel unencrypted.
 */
function originOf(incoming: IncomingMessage, { publicUrl }: HttpOptions): string {
  if (publicUrl !== undefined) return withoutEnd(publicUrl, "/");
  const host = incoming.headers.host ?? "";
  const { localAddress, localPort } = incoming.socket;
  const own = `${localAddress?.includes(":") ? `[${localAddress}]` : localAddress}:${localPort}`;
  const forwarded = String(incoming.headers["x-forwarded-proto"] ?? "")
    .split(",")[0]
    .trim()
    .toLowerCase();
  const scheme = forwarded === "https" ? "https" : "http";
  return `${scheme}://${/^[\w.-]+(:\d+)?$|^\[[\da-f:]+\](:\d+)?$/i.test(host) ? host : own}`;
}

const COMMON = { "x-content-type-options": "nosniff", vary: "accept, accept-encoding" };

async function respond(asked: Asked, requestId: string, options: HttpOptions): Promise<Sent> {
  let format: Format | undefined;
  try {
    const answered = await answerTo(asked, options, (known) => {
      format = known;
    });
    const { headers, ...sent } = await sentOf(asked, answered, options.state);
    return { ...sent, headers: { ...headers, "x-request-id": requestId } };
  } catch (thrown) {
    const error = refusalOf(thrown, options.state.profile);
    const known = error instanceof Refused;
    const failure: ServerFailure = known
      ? error.failure
      : { code: "QEMx01", status: 500, message: `The service failed; its log has request ${requestId}.` };
    const { contentType, body } = writeFailure(failure, format, options.state.profile);
    const allow: Record<string, string> = failure.status === 405 ? { allow: "GET, HEAD" } : {};
    const own = known ? error.headers : {};
    const about = { "content-type": contentType, "cache-control": "no-store", "x-request-id": requestId };
    const headers = { ...COMMON, ...allow, ...own, ...about };
    return { ...sentBytes(asked, failure.status, headers, Buffer.from(body)), ...(!known && { error }) };
  }
}

/** Rows with characters that XML cannot represent are rejected in XML; this is not a failure of the service. */
function refusalOf(thrown: unknown, profile: Profile): unknown {
  if (!hasCode(thrown, "NotInXml")) return thrown;
  return refused(profile, "QESx05", `${thrown.message} Request JSON or CSV.`);
}

async function answerTo(asked: Asked, options: HttpOptions, found: (format?: Format) => void): Promise<Answer> {
  const { state } = options;
  const path = asked.url.split("?", 1)[0];
  options.checkHost(asked.header("host"));
  const coding = acceptedCoding(asked.header("accept-encoding"));
  if (asked.method === "GET" || asked.method === "HEAD") {
    if (path.startsWith(`${FILES_PATH}/`)) return answerFile(path, subscriberOf(asked, options), state);
    if (path.startsWith(LOGOS_PATH)) return answerLogo(path, coding, state);
    if (path === OPEN_API_PATH) return answerJson(openApi(state.profile, asked.origin), coding);
    if (path === CATALOG_PATH && subscriberOf(asked, options)) {
      return answerJson({ catalog: catalogItems(state.store) }, coding);
    }
  }
  if (asked.method === "OPTIONS" && options.cors !== undefined) {
    const posts = hasExtension(state.profile, "post");
    return { status: 204, headers: preflightHeaders(["GET", "HEAD", ...(posts ? ["POST"] : [])]) };
  }
  const url = await completeUrl(asked, state.profile);
  let subscriber!: Subscriber;
  const routed = route(asked.method, url, state.profile, ({ formats }, format) => {
    found(format ?? ownFormat(formats, asked));
    subscriber = subscriberOf({ ...asked, url }, options);
  });
  if (isRefusal(routed)) {
    found(routed.format);
    throw new Refused(routed);
  }
  const { formats }: Endpoint = endpoints[routed.endpoint];
  const call = { ...routed, format: routed.format ?? ownFormat(formats, asked) };
  found(call.format);
  const ifNoneMatch = asked.method === "POST" ? undefined : asked.header("if-none-match");
  const { origin, gone } = asked;
  return answer(call, { subscriber, origin, gone, coding, ...(ifNoneMatch && { ifNoneMatch }) }, state);
}

async function completeUrl({ method, url, posted }: Asked, profile: Profile): Promise<string> {
  if (method !== "POST" || !hasExtension(profile, "post")) return url;
  const query = await posted(profile);
  return query === "" ? url : `${url}${url.includes("?") ? "&" : "?"}${query}`;
}

/** The format of the reply to a path that ends without one: the accepted one, if the call has formats. */
function ownFormat(formats: readonly Format[], { header }: Asked): Format | undefined {
  return formats.length === 0 ? undefined : acceptedFormat(header("accept"), formats);
}

/** The key in the query, or in the header if the profile has one. */
function subscriberOf({ url, header }: Asked, { gate, state }: HttpOptions): Subscriber {
  const { keyHeader } = state.profile;
  const query = new URLSearchParams(url.includes("?") ? url.slice(url.indexOf("?") + 1) : "");
  const keys = keyNames(state.profile).flatMap((name) => query.getAll(name));
  const inHeader = keyHeader.value === null ? undefined : header(keyHeader.value.toLowerCase());
  return gate(inHeader === undefined || keys.length > 0 ? keys : [inHeader]);
}

async function sentOf(asked: Asked, { status, headers, body }: Answer, state: ServiceState): Promise<Sent> {
  const all = { ...COMMON, ...headers };
  if (body === undefined) return { status, headers: all };
  if ("path" in body) return sentFile(asked, body, all, state);
  const coding = body.coding(acceptedCoding(asked.header("accept-encoding")));
  const bytes = await body.bytes(coding);
  const encoding: Record<string, string> = coding === "identity" ? {} : { "content-encoding": coding };
  return sentBytes(asked, status, { ...all, ...encoding }, bytes);
}

function sentBytes({ method }: Asked, status: number, headers: Record<string, string>, bytes: Uint8Array): Sent {
  const all = { ...headers, "content-length": String(bytes.length) };
  return { status, headers: all, ...(method !== "HEAD" && { body: bytes }) };
}

async function sentFile(
  asked: Asked,
  file: MadeFile,
  headers: Record<string, string>,
  { files, profile }: ServiceState,
): Promise<Sent> {
  const response = await fileResponse(file, asked, files.find);
  if (response === undefined) throw noFile(profile);
  return { ...response, headers: { ...headers, ...response.headers } };
}
