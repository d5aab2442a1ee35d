import type { MadeFile } from "./exports.js";
import type { Asker, ServiceState } from "./service-state.js";

/** Path under which bulk files are downloaded. */
export const FILES_PATH = "/files";

/** A link to a bulk file, with the key of the caller (spec 2.8). */
export function fileLink(file: MadeFile, name: string, asker: Asker, { links, profile }: ServiceState): string {
  const key = `${profile.keyParameter.value}=${encodeURIComponent(asker.subscriber.key)}`;
  return `${asker.origin}${FILES_PATH}/${links.make(file.id)}/${name}?${key}`;
}
