import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Engine } from "../../engine/contract/engine.js";
import { embeddedEngine } from "../../engine/embedded.js";
import { FileError } from "../../errors/errors.js";
import { unlessAborted } from "../../errors/unless-aborted.js";
import type { WithEngine } from "./engine.js";

type OpenFile = ReturnType<typeof opened>;

const OPENER = {};
const OPEN = Symbol.for("arrowbook.mirror.files");

/** All copies of this module have one map: the engine opens a file once in a process. */
function openFiles(): Map<string, OpenFile> {
  const shared = globalThis as { [OPEN]?: Map<string, OpenFile> };
  shared[OPEN] ??= new Map();
  return shared[OPEN];
}

/** Milliseconds that calls wait for a file that another process has open, and about those between two attempts. */
const LONGEST_WAIT = 20_000;
const POLL = 50;

/**
 * Opens a database file for calls at once, and closes it after the last of them, so that other processes can use it in
 * between; waits for one that does.
 */
export function sharedFile(path: string, longestWait = LONGEST_WAIT): WithEngine {
  return async (use, signal) => {
    const files = openFiles();
    const name = realName(path);
    let file = files.get(name);
    for (; file !== undefined && (file.users === 0 || file.opener !== OPENER); file = files.get(name))
      await file.closed;
    file ??= opened(path, longestWait);
    files.set(name, file);
    file.users++;
    try {
      return await use(await unlessAborted(file.engine, signal));
    } finally {
      if (--file.users === 0) await close(name, file);
    }
  };
}

export const isOpen = (path: string): boolean => openFiles().has(realName(path));

function opened(path: string, longestWait: number) {
  let onClosed!: () => void;
  const closed = new Promise<void>((resolve) => {
    onClosed = resolve;
  });
  return {
    /** The copy of this module that opened it: ESM and CommonJS have classes of their own. */
    opener: OPENER,
    engine: waitedFor(path, longestWait),
    /** Calls that use it; 0 while it is being closed. */
    users: 0,
    closed,
    onClosed,
  };
}

async function waitedFor(path: string, longestWait: number): Promise<Engine> {
  const deadline = performance.now() + longestWait;
  for (;;) {
    try {
      return await embeddedEngine(path);
    } catch (error) {
      const isInUse = error instanceof FileError && error.retry?.retryable === true;
      if (!isInUse || performance.now() > deadline) throw error;
      await pause(POLL * (0.5 + Math.random()));
    }
  }
}

async function close(name: string, { engine, onClosed }: OpenFile): Promise<void> {
  try {
    await (await engine.catch(() => undefined))?.close();
  } finally {
    openFiles().delete(name);
    onClosed();
  }
}

/** One name of a file that has several by links; the file may be missing. */
function realName(path: string): string {
  for (const [known, rest] of [
    [path, ""],
    [dirname(path), basename(path)],
  ]) {
    try {
      return join(realpathSync(known), rest);
    } catch {
      // Missing: named by its folder.
    }
  }
  return path;
}
