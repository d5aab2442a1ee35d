import type { OnProgress } from "../../columns/io/progress.js";
import { readProgress } from "../../columns/io/read-progress.js";
import { follow } from "../../display/progress/follow.js";

/** Options of a potentially long read. */
export interface Watched {
  /**
   * Receives the progress; `false` disables it. Default: a bar in notebooks and on terminals for tasks of more than
   * half a second.
   */
  readonly onProgress?: OnProgress | false;
}

/** Reads a file, or bytes, and reports the progress. */
export async function watched<T>(
  source: unknown,
  { onProgress }: Watched,
  read: (onBytes: (bytes: number, total: number) => void) => Promise<T>,
): Promise<T> {
  const code = typeof source === "string" ? source : "bytes";
  const { tell, end } = follow(onProgress);
  const { step, done } = readProgress(tell, code);
  try {
    const result = await read((bytes, total) => step({ bytes, total }));
    done();
    return result;
  } finally {
    end();
  }
}
