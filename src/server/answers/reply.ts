import { createHash } from "node:crypto";
import { type DocumentToWrite, documentFormat } from "../../document/formats.js";
import { writeDocument } from "../../document/write.js";
import type { Call } from "../../spec/endpoints.js";
import type { Profile } from "../../spec/profile.js";
import type { ResourceName } from "../../spec/resources.js";
import type { Format } from "../../spec/vocabulary.js";
import type { MadeFile } from "./exports.js";
import { type Rendered, rendered } from "./reply-cache.js";
import type { ServiceState } from "./service-state.js";
import { slices } from "./slices.js";

/** An answer before it meets a socket. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Bytes, a file on disk, or nothing. */
  readonly body?: Rendered | MadeFile;
}

/**
 * A reply as a document: which resource, and an entity tag of its rows and members (none where it must not be cached).
 */
export interface Reply {
  readonly resource: ResourceName;
  readonly tag?: string;
  readonly headers?: Readonly<Record<string, string>>;
  make(): Promise<DocumentToWrite & { readonly headers?: Readonly<Record<string, string>> }>;
}

/**
 * Writes a reply in the format of the call, or answers 304 when the caller has it already. Tags are weak: the same rows
 * may be compressed or not. A reply with a tag is kept for equal questions.
 */
export async function answerReply(
  call: Call,
  reply: Reply,
  ifNoneMatch: string | undefined,
  { profile, replies }: ServiceState,
): Promise<Answer> {
  const format: Format = call.format ?? "json";
  if (reply.tag === undefined) {
    const body = await render(reply, format, profile);
    return { status: 200, headers: { ...body.headers, "cache-control": "no-store" }, body };
  }
  const etag = weakTag(call, reply.tag, profile);
  const headers = { "cache-control": "private, no-cache", etag };
  if (ifNoneMatch !== undefined && matches(ifNoneMatch, etag)) return { status: 304, headers };
  const body = await replies.reply(etag, () => render(reply, format, profile));
  return { status: 200, headers: { ...headers, ...body.headers }, body };
}

/** Writes a document as bytes, in slices. */
async function render(reply: Reply, format: Format, profile: Profile): Promise<Rendered> {
  const document = await reply.make();
  const slice = slices();
  const parts: Buffer[] = [];
  for (const text of writeDocument(reply.resource, format, document, profile)) {
    parts.push(Buffer.from(text));
    await slice.pause();
  }
  return rendered(Buffer.concat(parts), { "content-type": documentFormat(format).contentType, ...document.headers });
}

function weakTag(call: Call, tag: string, profile: Profile): string {
  const hash = createHash("sha256").update(JSON.stringify([call, tag, profile.name]));
  return `W/"${hash.digest("base64url").slice(0, 22)}"`;
}

/** Whether an `If-None-Match` or `If-Range` list names the tag, weakly compared. */
export function matches(header: string, etag: string): boolean {
  const bare = etag.replace(/^W\//, "");
  return header.split(",").some((each) => each.trim() === "*" || each.trim().replace(/^W\//, "") === bare);
}
