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

/** Answers that may be used again for a while: metadata asked for only to check names and read types. */
export interface Memory {
  remember<T>(key: string, make: () => Promise<T>): Promise<T>;
  /** Asks anew, and remembers the answer in the place of the one before. */
  renew<T>(key: string, make: () => Promise<T>): Promise<T>;
  /** What is remembered; undefined where nothing is. Asks nothing. */
  known<T>(key: string): Promise<T | undefined>;
}

const LIFE_MS = 10 * 60 * 1000;

/** A memory of ten minutes; failures are not kept. */
export function memory(now: () => number = () => performance.now()): Memory {
  const kept = new Map<string, { readonly at: number; readonly value: Promise<unknown> }>();
  const fresh = (key: string): Promise<unknown> | undefined => {
    const found = kept.get(key);
    return found && now() - found.at < LIFE_MS ? found.value : undefined;
  };
  return {
    async renew<T>(key: string, make: () => Promise<T>): Promise<T> {
      const value = await make();
      kept.set(key, { at: now(), value: Promise.resolve(value) });
      return value;
    },
    async known<T>(key: string): Promise<T | undefined> {
      return (await fresh(key)?.catch(() => undefined)) as T | undefined;
    },
    remember<T>(key: string, make: () => Promise<T>): Promise<T> {
      const known = fresh(key);
      if (known) return known as Promise<T>;
      const value = make();
      kept.set(key, { at: now(), value });
      value.catch(() => kept.delete(key));
      return value;
    },
  };
}
