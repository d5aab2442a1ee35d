import { fileURLToPath } from "node:url";
import { scrub } from "./secrets.js";

/**
 * Whether errors show their whole stack: the one switch, `ARROWBOOK_STACK=1`, for the stack itself, the command line,
 * cards and the kernel's traces.
 */
export function showsStack(): boolean {
  return Boolean(process.env["ARROWBOOK_STACK"]);
}

/**
 * The stack of an error as a caller needs it: what went wrong, what to do next, and the caller's own frames. A stack is
 * what Node and a notebook print of an uncaught error.
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
 * Where this package's code lies, as paths and as URLs: the source, or both built halves; nowhere known once it is
 * bundled elsewhere.
 */
function ownFolders(): readonly string[] {
  const here = import.meta.url;
  const root = here.slice(0, Math.max(here.lastIndexOf("/dist/"), here.lastIndexOf("/src/")) + 1);
  if (!root.startsWith("file:")) return [];
  return [`${root}dist/`, `${root}src/`].flatMap((url) => [url, fileURLToPath(url)]);
}
