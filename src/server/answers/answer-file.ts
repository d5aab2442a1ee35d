import type { Profile } from "../../spec/profile.js";
import { type Refused, refused } from "../data/refused.js";
import type { MadeFile } from "./exports.js";
import type { Subscriber } from "./keys.js";
import type { Answer } from "./reply.js";
import type { Asker, ServiceState } from "./service-state.js";

export const FILES_PATH = "/files";

/** A link to a bulk file, with the key of the caller (spec 2.8). */
export function fileLink(file: MadeFile, name: string, asker: Asker, { links, profile }: ServiceState): string {
  const key = `${profile.keyParameter.value}=${encodeURIComponent(asker.subscriber.key)}`;
  return `${asker.origin}${FILES_PATH}/${links.make(file.id)}/${name}?${key}`;
}

export const noFile = (profile: Profile): Refused =>
  refused(profile, "QECx03", "There is no such file. Repeat the export call.");

/** Serves a bulk file behind its link (spec 2.8, 3): for 30 minutes, with the key of a subscriber. */
export function answerFile(path: string, subscriber: Subscriber, { links, files, profile }: ServiceState): Answer {
  const [segment, name] = path.slice(FILES_PATH.length + 1).split("/");
  const opened = links.open(segment);
  if (opened === "expired") {
    throw refused(profile, "QECx03", "This link has expired. Repeat the export call to obtain a new one.", 410);
  }
  const file = opened === undefined ? undefined : files.find(opened.file);
  if (file === undefined) throw noFile(profile);
  if (!subscriber.subscribes(file.code)) {
    throw refused(profile, "QEPx04", "You do not have permission to download this file.");
  }
  const type = file.path.endsWith(".parquet") ? "application/vnd.apache.parquet" : "application/zip";
  const headers = { "content-type": type, "content-disposition": `attachment; filename="${plain(name)}"` };
  return { status: 200, headers, body: file };
}

const plain = (name: string | undefined): string => (name ?? "export.zip").replace(/[^\w.-]/g, "_");
