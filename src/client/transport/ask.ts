import { type Document, readDocument } from "../../document/document.js";
import type { Call } from "../../spec/endpoints.js";
import type { ResourceName } from "../../spec/resources.js";
import type { Format } from "../../spec/vocabulary.js";
import { type Reply, request, type Session } from "./request.js";

/** A call's parsed reply, with its headers. */
export interface ParsedReply<R extends ResourceName> {
  readonly document: Document<R>;
  readonly header: Reply["header"];
}

/** Sends a call in one format and parses the reply. */
export async function ask<R extends ResourceName>(
  session: Session,
  resource: R,
  call: Call & { readonly format: Format },
  signal?: AbortSignal,
): Promise<ParsedReply<R>> {
  const reply = await request(session, call, call.format, signal);
  try {
    const document = await readDocument(resource, call.format, reply.bytes, session.settings.profile);
    return { document, header: reply.header };
  } catch (error) {
    reply.disconnect();
    throw error;
  }
}
