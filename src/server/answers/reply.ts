import { createHash } from "node:crypto";
import { Output } from "../../document/cells/output.js";
import { type DocumentToWrite, documentFormat, writeDocument } from "../../document/formats.js";
import type { Allocate } from "../../engine/contract/engine.js";
import type { Call } from "../../spec/endpoints.js";
import type { Profile } from "../../spec/profile.js";
import type { ResourceName } from "../../spec/resources.js";
import type { Format } from "../../spec/vocabulary.js";
import type { MadeFile } from "./exports.js";
import type { PageMemory } from "./page-memory.js";
import { type Coding, type Rendered, rendered } from "./rendered.js";
import type { Asker, ServiceState } from "./service-state.js";

/** A reply, independent of the socket. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Bytes, a file on disk, or none. */
  readonly body?: Rendered | MadeFile;
}

/** A reply as a document: its resource, and an entity tag of its rows and members (none if it must not be cached). */
export interface Reply {
  readonly resource: ResourceName;
  readonly tag?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The rows may be in the memory of `allocate`. Ends early where `signal` aborts. */
  make(signal: AbortSignal, allocate: Allocate): Promise<DocumentToWrite & Pick<Reply, "headers">>;
}

/**
 * Writes a reply in the format of the call, or replies 304 if the caller has it already. Tags are weak: the same rows
 * may be compressed or not. A reply with a tag is cached for equal queries.
 */
export async function answerReply(
  call: Call,
  reply: Reply,
  { ifNoneMatch, gone, coding }: Asker,
  { profile, replies, lendMemory }: ServiceState,
): Promise<Answer> {
  const format: Format = call.format ?? "json";
  const render = (signal: AbortSignal): Promise<Rendered> =>
    lendMemory((memory) => rendering(reply, { format, profile, coding }, signal, memory));
  if (reply.tag === undefined) {
    const body = await render(gone);
    return { status: 200, headers: { ...body.headers, "cache-control": "no-store" }, body };
  }
  const etag = weakTag(call, reply.tag, profile);
  const headers = { "cache-control": "private, no-cache", etag };
  if (ifNoneMatch !== undefined && matches(ifNoneMatch, etag)) return { status: 304, headers };
  const body = await replies.reply(etag, render, gone);
  return { status: 200, headers: { ...headers, ...body.headers }, body };
}

export function answerFields(
  resource: ResourceName,
  fields: object,
  call: Call,
  asker: Asker,
  state: ServiceState,
): Promise<Answer> {
  return answerReply(call, { resource, tag: JSON.stringify(fields), make: async () => ({ fields }) }, asker, state);
}

/** Capacity for the text of a reply without rows, which grows where that is too little. */
const SHORT_TEXT = 2_048;

async function rendering(
  { resource, make }: Reply,
  { format, profile, coding }: { readonly format: Format; readonly profile: Profile; readonly coding: Coding },
  signal: AbortSignal,
  memory: () => PageMemory,
): Promise<Rendered> {
  const document = await make(signal, (bytes) => memory().allocate(bytes));
  const out = document.rows === undefined ? new Output(SHORT_TEXT) : memory().out;
  const slice = slices();
  if (document.rows !== undefined) await slice.turn();
  for (const _ of writeDocument({ resource, document, profile }, format, out)) {
    await slice.pause();
    signal.throwIfAborted();
  }
  const headers = { "content-type": documentFormat(format).contentType, ...document.headers };
  return rendered(out.written(), coding, headers);
}

function weakTag(call: Call, tag: string, profile: Profile): string {
  const hash = createHash("sha256").update(JSON.stringify([call, tag, profile.name]));
  return `W/"${hash.digest("base64url").slice(0, 22)}"`;
}

/** Whether an `If-None-Match` or `If-Range` list contains the tag (weak comparison). */
export function matches(header: string, etag: string): boolean {
  const bare = etag.replace(/^W\//, "");
  return header.split(",").some((each) => each.trim() === "*" || each.trim().replace(/^W\//, "") === bare);
}

/** How long a reply may occupy the serving thread before other requests are handled, in milliseconds. */
const SLICE_MS = 2;

const waiting: (() => void)[] = [];

/** Resumes one waiting reply per turn of the event loop, so that sockets are served between slices. */
function nextTurn(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(nextTurn);
}

/** Divides the rendering of a long reply into slices of a few milliseconds, one reply at a time. */
export function slices() {
  let began = performance.now();
  /** Waits for a turn, so that answers that become ready at one time are not begun in one turn. */
  const turn = (): Promise<void> =>
    new Promise((resolve) => {
      waiting.push(() => {
        began = performance.now();
        resolve();
      });
      if (waiting.length === 1) setImmediate(nextTurn);
    });
  /** To be called between two steps; waits for a turn once the slice is used up. */
  const pause = () => (performance.now() - began < SLICE_MS ? undefined : turn());
  return { pause, turn };
}
