import { type Document, readDocument } from "../../document/document.js";
import type { Call } from "../../spec/endpoints.js";
import type { ResourceName } from "../../spec/resources.js";
import type { Format } from "../../spec/vocabulary.js";
import { type Reply, request, type Session } from "./request.js";

/** A call's reply taken apart, with the answer's headers beside it. */
export interface Asked<R extends ResourceName> {
  readonly document: Document<R>;
  readonly header: Reply["header"];
}

/** Sends a call in one format and takes the reply apart. */
export async function ask<R extends ResourceName>(
  session: Session,
  resource: R,
  call: Call & { readonly format: Format },
  signal?: AbortSignal,
): Promise<Asked<R>> {
  const reply = await request(session, call, call.format, signal);
  const document = await readDocument(resource, call.format, reply.bytes, session.settings.profile);
  return { document, header: reply.header };
}
