import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Engine } from "../../engine/contract/engine.js";
import { embeddedEngine } from "../../engine/embedded.js";
import { FileError } from "../../errors/errors.js";
import { unlessAborted } from "../../errors/unless-aborted.js";
import type { WithEngine } from "./engine.js";

type OpenEngine = ReturnType<typeof opened>;

const OPENER = {};
const OPEN = Symbol.for("arrowbook.mirror.files");

/** All copies of this module have one map: the engine opens a file once in a process. */
function openEngines(): Map<string, OpenEngine> {
  const global = globalThis as { [OPEN]?: Map<string, OpenEngine> };
  global[OPEN] ??= new Map();
  return global[OPEN];
}

/** Milliseconds that calls wait for a file that another process has open, and about those between two attempts. */
const LONGEST_WAIT = 20_000;
const POLL = 50;

/**
 * Opens a database file for calls at once, and closes it after the last of them, so that other processes can use it in
 * between; waits for one that does.
 */
export function sharedFile(path: string, longestWait = LONGEST_WAIT): WithEngine {
  return shared(
    () => realName(path),
    () => waitedFor(path, longestWait),
  );
}

/** Opens an engine for calls at once, which have one name, and closes it after the last of them. */
export function shared(nameOf: () => string, open: () => Promise<Engine>): WithEngine {
  return async (use, signal) => {
    const engines = openEngines();
    const name = nameOf();
    let found = engines.get(name);
    for (; found !== undefined && (found.users === 0 || found.opener !== OPENER); found = engines.get(name))
      await unlessAborted(found.closed, signal);
    found ??= opened(open());
    engines.set(name, found);
    found.users++;
    let isOpened = false;
    try {
      const engine = await unlessAborted(found.engine, signal);
      isOpened = true;
      return await use(engine);
    } finally {
      if (--found.users === 0) {
        const closing = close(name, found);
        // What was still being opened at the abort is closed once it is open.
        if (isOpened || !signal?.aborted) await closing;
        else closing.catch(() => undefined);
      }
    }
  };
}

export const isOpen = (path: string): boolean => openEngines().has(realName(path));

function opened(engine: Promise<Engine>) {
  let onClosed!: () => void;
  const closed = new Promise<void>((resolve) => {
    onClosed = resolve;
  });
  return {
    /** The copy of this module that opened it: ESM and CommonJS have classes of their own. */
    opener: OPENER,
    engine,
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

async function close(name: string, { engine, onClosed }: OpenEngine): Promise<void> {
  try {
    await (await engine.catch(() => undefined))?.close();
  } finally {
    openEngines().delete(name);
    onClosed();
  }
}

/** One name of a file that has several by links; a missing file is named by its folder. */
function realName(path: string): string {
  const folder = dirname(path);
  if (existsSync(path)) return realpathSync(path);
  return existsSync(folder) ? join(realpathSync(folder), basename(path)) : path;
}
