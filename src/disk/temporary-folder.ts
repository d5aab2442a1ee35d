import { rmSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileError } from "../errors/file-error.js";
import { isAlive } from "./abandoned.js";
import { hostDigits } from "./temp-name.js";

/** `arrowbook-<what>-<machine>-<process>-<random>` */
const NAME = /^arrowbook-[a-z]+-([0-9a-f]{8})-(\d+)-\w{6}$/;

/**
 * Makes a folder in the system's folder for temporary files, readable by its user alone. It is removed when the process
 * exits, at the latest, and after a process that was killed by the next one that makes such a folder.
 *
 * @throws {FileError} as the file system says
 */
export async function temporaryFolder(what: "bulk" | "files" | "kernel") {
  const place = tmpdir();
  await sweep(place);
  const path = await mkdtemp(join(place, `arrowbook-${what}-${hostDigits()}-${process.pid}-`)).catch((cause: unknown) =>
    Promise.reject(fileError(place, "write", cause)),
  );
  const forget = deleteAtExit(path);
  return {
    path,
    async release(): Promise<void> {
      await rm(path, { recursive: true, force: true });
      forget();
    },
  };
}

/** Removes the folders of processes of this machine that have ended. */
async function sweep(place: string): Promise<void> {
  for (const name of await readdir(place).catch(() => [])) {
    const [, host, pid] = NAME.exec(name) ?? [];
    if (host !== hostDigits() || Number(pid) === process.pid || isAlive(Number(pid))) continue;
    // One of another user stays.
    await rm(join(place, name), { recursive: true, force: true }).catch(() => undefined);
  }
}

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
