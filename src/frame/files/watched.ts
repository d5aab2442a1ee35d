import type { RecordBatch } from "../../columns/arrow/arrow.js";
import { type OnProgress, readProgress } from "../../columns/io/progress.js";
import { SpentBatches } from "../../columns/io/spent-batches.js";
import { follow } from "../../display/progress/follow.js";
import { type AnyFile, nameOfFile } from "../../format/random-access.js";

/** Options of a potentially long read. */
export interface Watched {
  /**
   * Receives the progress; `false` disables it. Default: a bar in notebooks and on terminals for tasks of more than
   * half a second.
   */
  readonly onProgress?: OnProgress | false;
}

type OnBytes = (bytes: number, total: number) => void;

/** Reads a file, or bytes, and reports the progress. */
export async function watched<T>(
  source: AnyFile,
  { onProgress }: Watched,
  read: (onBytes: OnBytes) => Promise<T>,
): Promise<T> {
  const { tell, end } = follow(onProgress);
  const { step, done } = readProgress(tell, nameOfFile(source, "bytes"));
  try {
    const result = await read((bytes, total) => step({ bytes, total }));
    done();
    return result;
  } finally {
    end();
  }
}

/** The same for a file, bytes or several files that are read one batch at a time. */
export async function* watchedBatches(
  source: AnyFile | undefined,
  { onProgress }: Watched,
  read: (onBytes: OnBytes) => AsyncIterable<RecordBatch>,
): AsyncGenerator<RecordBatch> {
  const { tell, end } = follow(onProgress);
  const { step, done } = readProgress(tell, source === undefined ? "bytes" : nameOfFile(source, "bytes"));
  const spent = new SpentBatches();
  try {
    let rows = 0;
    for await (const batch of read((bytes, total) => step({ bytes, total, rows }))) {
      rows += batch.numRows;
      yield batch;
      spent.add(batch);
    }
    done();
  } finally {
    end();
  }
}
