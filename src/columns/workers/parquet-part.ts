import { blobFile, type FileState, fileAccess, type SendableFile } from "../../format/random-access.js";

export { prepareDecoders } from "../parquet/read/decode/decoders.js";

import { type FlatPlan, FlatRows } from "../parquet/read/flat-rows.js";
import type { ParquetRead } from "../parquet/read/options.js";
import type { GiveBatch, ReadEnd } from "./transfer.js";

/** Some row groups of a Parquet file: only values that can be sent to a thread. */
export interface ParquetTask {
  readonly file: SendableFile;
  /** The state of the file at a path when its footer was read. */
  readonly state: FileState | undefined;
  readonly plan: FlatPlan;
  readonly options: ParquetRead;
}

/** Reads row groups. Offsets are the compressed bytes that were read. */
export async function readGroups(task: ParquetTask, give: GiveBatch): Promise<ReadEnd> {
  const { state, plan, options } = task;
  const file = await (typeof task.file === "string" ? fileAccess(task.file, state) : blobFile(task.file).open());
  try {
    const flat = new FlatRows(file, plan, options);
    let rows = 0;
    for await (const { raw, done } of flat.batches()) {
      rows += raw.rows;
      give(raw, done);
    }
    return { offset: flat.size, rows, reports: flat.policy.reports() };
  } finally {
    await file.close();
  }
}
