import { createHash } from "node:crypto";
import { contentType } from "../../document/failure.js";
import { type DocumentToWrite, writeDocument } from "../../document/write.js";
import type { Call } from "../../spec/endpoints.js";
import type { Profile } from "../../spec/profile.js";
import type { ResourceName } from "../../spec/resources.js";
import type { Format } from "../../spec/vocabulary.js";
import type { MadeFile } from "./exports.js";

/** An answer before it meets a socket. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Text in pieces, a file on disk, or nothing. */
  readonly body?: Iterable<string> | MadeFile;
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
 * may be compressed or not.
 */
export async function answerReply(
  call: Call,
  reply: Reply,
  ifNoneMatch: string | undefined,
  profile: Profile,
): Promise<Answer> {
  const format: Format = call.format ?? "json";
  const headers: Record<string, string> = {
    "cache-control": reply.tag === undefined ? "no-store" : "private, no-cache",
  };
  if (reply.tag !== undefined) {
    const etag = weakTag(call, reply.tag, profile);
    headers["etag"] = etag;
    if (ifNoneMatch !== undefined && matches(ifNoneMatch, etag)) return { status: 304, headers };
  }
  const document = await reply.make();
  const body = writeDocument(reply.resource, format, document, profile);
  return { status: 200, headers: { ...headers, "content-type": contentType(format), ...document.headers }, body };
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
