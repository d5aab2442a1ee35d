import { statSync } from "node:fs";
import type { System } from "./typescript-parts.js";

type Callback = (file: string, event: number) => void;

const CHANGED = 1;

/**
 * Wraps the compiler's file access, so that it records which local files the compiler watches: modules beside the
 * notebook and what they import. Files of packages are left to the compiler's own watchers.
 */
export function watchedFiles(sys: System) {
  const files = new Map<string, { state: string; readonly callbacks: Set<Callback> }>();
  const original = sys["watchFile"] as (path: string, callback: Callback, ...rest: unknown[]) => { close(): void };
  const own = Object.assign(Object.create(sys) as System, {
    watchFile(path: string, callback: Callback, ...rest: unknown[]) {
      const watcher = original.call(sys, path, callback, ...rest);
      if (/[\\/]node_modules[\\/]/.test(path) || path.endsWith(".d.ts")) return watcher;
      const file = files.get(path) ?? { state: stateOf(path), callbacks: new Set() };
      files.set(path, file);
      file.callbacks.add(callback);
      return {
        close() {
          watcher.close();
          file.callbacks.delete(callback);
          if (file.callbacks.size === 0) files.delete(path);
        },
      };
    },
  });
  return {
    sys: own,
    /** The files that changed since the last call. The compiler is notified at once: its watchers look rarely. */
    changed(): string[] {
      const found: string[] = [];
      for (const [path, file] of files) {
        const state = stateOf(path);
        if (state === file.state) continue;
        file.state = state;
        found.push(path);
        for (const callback of file.callbacks) callback(path, CHANGED);
      }
      return found;
    },
  };
}

/** What changes when a file is written. */
function stateOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? "" : `${found.mtimeMs} ${found.size} ${found.ino}`;
}
