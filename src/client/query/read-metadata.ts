import type { Document } from "../../document/document.js";
import { refuseUnknown } from "../../errors/options.js";
import type { Call } from "../../spec/endpoints.js";
import type { Format } from "../../spec/vocabulary.js";
import type { MetadataCall } from "../transport/ask.js";
import type { Session } from "../transport/session.js";

/**
 * Requests metadata. That in JSON is remembered by the session under {@link metadataKey}; list cells of CSV cannot
 * always be parsed.
 *
 * @param shown gives the metadata its card
 */
export async function readMetadata<R extends "datasetMetadata" | "databaseMetadata" | "tableMetadata", M>(
  session: Session,
  { endpoint, codes, format }: Pick<Call, "codes"> & { readonly endpoint: R; readonly format: Format },
  options: MetadataCall,
  shown: (fields: Document<R>["fields"]) => M,
): Promise<M> {
  refuseUnknown(options, ["signal", "refresh"], "metadata()");
  const { askCached } = await import("../transport/ask.js");
  const { metadata: life = 0 } = session.settings.cache ?? {};
  const use = { signal: options.signal, ...(life > 0 && { maxAge: options.refresh ? 0 : life }) };
  const call = { endpoint, codes, format, parameters: {}, filters: [] };
  const read = async (): Promise<{ readonly value: M; readonly validFor?: number }> => {
    const { document, age = 0 } = await askCached(session, endpoint, call, use);
    return { value: shown(document.fields), ...(life > 0 && { validFor: life - age }) };
  };
  return format === "json" ? session.memory.renew(metadataKey(codes), read) : (await read()).value;
}

export function metadataKey(codes: Call["codes"]): string {
  return JSON.stringify(codes);
}
