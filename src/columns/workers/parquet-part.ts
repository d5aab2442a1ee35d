import { type FileState, fileAccess } from "../../format/random-access.js";

export { prepareDecoders } from "../parquet/read/decode/decoders.js";

import { type FlatPlan, FlatRows } from "../parquet/read/flat-rows.js";
import type { ParquetRead } from "../parquet/read/options.js";
import type { GiveBatch, ReadEnd } from "./transfer.js";

/** Some row groups of a Parquet file: only values that can be sent to a thread. */
export interface ParquetTask {
  readonly path: string;
  /** The state of the file when its footer was read. */
  readonly state: FileState;
  readonly plan: FlatPlan;
  readonly options: ParquetRead;
}

/** Reads row groups. Offsets are the compressed bytes that were read. */
export async function readGroups({ path, state, plan, options }: ParquetTask, give: GiveBatch): Promise<ReadEnd> {
  const file = await fileAccess(path, state);
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
