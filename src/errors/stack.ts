import { fileURLToPath } from "../platform/node/files.js";
import { environment } from "../platform/node/process.js";
import { scrub } from "./secrets.js";

/**
 * Whether errors show the full stack (`ARROWBOOK_STACK=1`): in the stack itself, on the command line, in cards and in
 * the kernel's traces.
 */
export function showsStack(): boolean {
  return Boolean(environment["ARROWBOOK_STACK"]);
}

/**
 * The stack of an error for the caller: the message, the hint and the caller's own frames. Node and notebooks print the
 * stack of an uncaught error.
 */
export function visibleStack(error: Error & { readonly hint?: string }): string {
  const message = `${error.name}: ${error.message}${error.hint === undefined ? "" : `\n${error.hint}`}`;
  const frames = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  const shown = showsStack() ? frames : frames.filter((frame) => !isOurs(frame) && !frame.includes("node:"));
  return [message, ...shown.map(scrub)].join("\n");
}

function isOurs(frame: string): boolean {
  OWN ??= ownFolders();
  return OWN.some((folder) => frame.includes(folder));
}

let OWN: readonly string[] | undefined;

/**
 * The folders of this package's code, as paths and as URLs: the source, or both built module formats; empty once it has
 * been bundled elsewhere.
 */
function ownFolders(): readonly string[] {
  const here = import.meta.url;
  const root = here.slice(0, Math.max(here.lastIndexOf("/dist/"), here.lastIndexOf("/src/")) + 1);
  if (!root.startsWith("file:")) return [];
  return [`${root}dist/`, `${root}src/`].flatMap((url) => [url, fileURLToPath(url)]);
}
