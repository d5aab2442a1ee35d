import { rmSync } from "node:fs";

const paths = new Set<string>();

/** Deletes a file or folder when the process exits, unless the returned function is called first. */
export function deleteAtExit(path: string): () => void {
  if (paths.size === 0) process.once("exit", deleteAll);
  paths.add(path);
  return () => {
    paths.delete(path);
    if (paths.size === 0) process.off("exit", deleteAll);
  };
}

function deleteAll(): void {
  for (const path of paths) rmSync(path, { recursive: true, force: true });
}
