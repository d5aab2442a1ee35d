import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Hono } from "hono";
import { writeFailure } from "../../document/failure.js";
import { hasCode } from "../../errors/errors.js";
import type { Profile } from "../../spec/profile.js";
import type { Format } from "../../spec/vocabulary.js";
import { answer } from "../answers/answer.js";
import { FILES_PATH } from "../answers/answer-export.js";
import type { MadeFile } from "../answers/exports.js";
import type { Gate, Subscriber } from "../answers/keys.js";
import { answerLogo } from "../answers/logo.js";
import type { Answer } from "../answers/reply.js";
import type { ServiceState } from "../answers/service-state.js";
import type { ServerFailure } from "../data/refused.js";
import { Refused, refused } from "../data/refused.js";
import { filePart, fileStream } from "./file-response.js";
import { type RequestLog, scrubbedUrl } from "./request-log.js";
import { isRefusal, route } from "./route.js";

/** The HTTP side of a service: its data, its keys and its address. */
export interface HttpOptions {
  readonly state: ServiceState;
  readonly gate: Gate;
  readonly publicUrl?: string;
  readonly log?: (entry: RequestLog) => void;
  /** Whether the service stops: connections are then closed behind each answer. */
  readonly closing?: () => boolean;
}

interface Bindings {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}

/** A request as handlers see it. `url` is the target as it came, not yet decoded. */
interface Asked {
  readonly method: string;
  readonly url: string;
  readonly header: (name: string) => string | undefined;
  readonly origin: string;
}

/** The application: calls of spec section 4 under `/api/v3`, and the files that links lead to. */
export async function application(options: HttpOptions): Promise<Hono<{ Bindings: Bindings }>> {
  const { Hono } = await import("hono");
  const app = new Hono<{ Bindings: Bindings }>();
  app.all("*", async (context) => {
    const began = performance.now();
    const requestId = randomUUID();
    const { incoming, outgoing } = context.env;
    const asked: Asked = {
      method: incoming.method ?? "GET",
      url: incoming.url ?? "/",
      header: (name) => {
        const value = incoming.headers[name];
        return Array.isArray(value) ? value.join(", ") : value;
      },
      origin: originOf(incoming, options),
    };
    const { response, error } = await respond(asked, requestId, options);
    if (options.closing?.()) response.headers.set("connection", "close");
    outgoing.once("close", () => {
      options.log?.({
        requestId,
        method: asked.method,
        url: scrubbedUrl(asked.url),
        status: response.status,
        ms: performance.now() - began,
        ...(response.headers.has("content-length") && { bytes: Number(response.headers.get("content-length")) }),
        ...(error !== undefined && { error }),
      });
    });
    return response;
  });
  return app;
}

/** Links lead to where the asker found the service; a proxy in front says so by `publicUrl`. */
function originOf(incoming: IncomingMessage, { publicUrl }: HttpOptions): string {
  if (publicUrl !== undefined) return publicUrl.replace(/\/+$/, "");
  const host = incoming.headers.host ?? "";
  const { localAddress, localPort } = incoming.socket;
  const own = `${localAddress?.includes(":") ? `[${localAddress}]` : localAddress}:${localPort}`;
  return `http://${/^[\w.-]+(:\d+)?$|^\[[\da-f:]+\](:\d+)?$/i.test(host) ? host : own}`;
}

const COMMON = { "x-content-type-options": "nosniff", vary: "accept-encoding" };

async function respond(
  asked: Asked,
  requestId: string,
  options: HttpOptions,
): Promise<{ response: Response; error?: unknown }> {
  let format: Format | undefined;
  try {
    const answered = await answerTo(asked, options, (known) => {
      format = known;
    });
    const response = await responseOf(asked, answered);
    response.headers.set("x-request-id", requestId);
    return { response };
  } catch (thrown) {
    const error = refusalOf(thrown, options.state.profile);
    const known = error instanceof Refused;
    const failure: ServerFailure = known
      ? error.failure
      : { code: "QEMx01", status: 500, message: `The service failed; its log has request ${requestId}.` };
    const { contentType, body } = writeFailure(failure, format, options.state.profile);
    const allow: Record<string, string> = failure.status === 405 ? { allow: "GET, HEAD" } : {};
    const own = known ? error.headers : {};
    const headers = { ...COMMON, ...allow, ...own, "content-type": contentType, "cache-control": "no-store" };
    const bytes = Buffer.from(body);
    const response = new Response(asked.method === "HEAD" ? null : bytes, {
      status: failure.status,
      headers: { ...headers, "content-length": String(bytes.length), "x-request-id": requestId },
    });
    return known ? { response } : { response, error };
  }
}

/** Rows with characters that XML cannot carry are refused in XML, not a failure of the service. */
function refusalOf(thrown: unknown, profile: Profile): unknown {
  if (!hasCode(thrown, "NotInXml")) return thrown;
  return refused(profile, "QESx05", `${thrown.message} Ask for JSON or CSV.`);
}

async function answerTo(asked: Asked, options: HttpOptions, found: (format?: Format) => void): Promise<Answer> {
  const { state } = options;
  const path = asked.url.split("?", 1)[0];
  if (asked.method === "GET" || asked.method === "HEAD") {
    if (path.startsWith(`${FILES_PATH}/`)) return answerFile(path, subscriberOf(asked, options), state);
    const logo = answerLogo(path, state);
    if (logo !== undefined) return logo;
  }
  const call = route(asked.method, asked.url, state.profile);
  found(call.format);
  if (isRefusal(call)) throw new Refused(call);
  const ifNoneMatch = asked.header("if-none-match");
  const subscriber = subscriberOf(asked, options);
  return answer(call, { subscriber, origin: asked.origin, ...(ifNoneMatch && { ifNoneMatch }) }, state);
}

/** The key in the query, or in the header of a profile that has one. */
function subscriberOf({ url, header }: Asked, { gate, state }: HttpOptions): Subscriber {
  const { keyParameter, keyHeader } = state.profile;
  const query = url.includes("?") ? url.slice(url.indexOf("?") + 1) : "";
  const keys = new URLSearchParams(query).getAll(keyParameter.value);
  const inHeader = keyHeader.value === null ? undefined : header(keyHeader.value.toLowerCase());
  return gate(inHeader === undefined || keys.length > 0 ? keys : [inHeader]);
}

/** A bulk file behind its link (spec 2.8, 3): for 30 minutes, with the key of a subscriber. */
function answerFile(path: string, subscriber: Subscriber, { links, files, profile }: ServiceState): Answer {
  const [segment, name] = path.slice(FILES_PATH.length + 1).split("/");
  const opened = links.open(segment);
  if (opened === "expired") {
    throw refused(profile, "QECx03", "This link has expired. Repeat the export call to obtain a new one.", 410);
  }
  const file = opened === undefined ? undefined : files.find(opened.file);
  if (file === undefined) throw refused(profile, "QECx03", "There is no such file. Repeat the export call.");
  if (!subscriber.subscribes(file.code)) {
    throw refused(profile, "QEPx04", "You do not have permission to download this file.");
  }
  const headers = { "content-type": "application/zip", "content-disposition": `attachment; filename="${plain(name)}"` };
  return { status: 200, headers, body: file };
}

const plain = (name: string | undefined): string => (name ?? "export.zip").replace(/[^\w.-]/g, "_");

async function responseOf(asked: Asked, { status, headers, body }: Answer): Promise<Response> {
  const all = { ...COMMON, ...headers };
  if (body === undefined) return new Response(null, { status, headers: all });
  if ("path" in body) return fileResponse(asked, body, all);
  const packs = body.bytes.length > SMALL && acceptsGzip(asked.header("accept-encoding") ?? "");
  const bytes = packs ? await body.gzipped() : body.bytes;
  const encoding: Record<string, string> = packs ? { "content-encoding": "gzip" } : {};
  return new Response(asked.method === "HEAD" ? null : new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length), {
    status,
    headers: { ...all, ...encoding, "content-length": String(bytes.length) },
  });
}

function fileResponse(asked: Asked, file: MadeFile, headers: Record<string, string>): Response {
  const part = filePart(file, asked.header);
  const sends = part.range !== undefined && asked.method !== "HEAD";
  const body = sends && part.range !== undefined ? fileStream(file, part.range) : null;
  return new Response(body, { status: part.status, headers: { ...headers, ...part.headers } });
}

/** Replies below this many bytes go as they are. */
const SMALL = 1_024;

function acceptsGzip(accepted: string): boolean {
  return accepted.split(",").some((each) => {
    const [name, ...parameters] = each
      .trim()
      .toLowerCase()
      .split(/\s*;\s*/);
    return (name === "gzip" || name === "*") && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}
